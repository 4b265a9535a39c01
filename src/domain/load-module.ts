// Loads TypeScript and JavaScript domain files on plain Node 20, from any folder: `landbridge` and `zod` always resolve
// to this package's own, so that a file needs no node_modules beside it.
import { mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '../errors.ts';
import { defineDomain } from './definition/define-domain.ts';

/** What `import … from 'landbridge'` gives inside a domain file. */
export type Library = () => Promise<object>;

const own: Library = async () => ({ defineDomain, z: (await import('zod')).z });

/** The default export of a domain file. Everything that goes wrong on the way is one sentence with the file's name. */
export async function importModule(path: string, file: string, library: Library = own): Promise<unknown> {
  let module: { default?: unknown };
  try {
    // jiti costs a start some 100 ms, so it is loaded only when there is a module to load
    const [{ createJiti }, zod, landbridge] = await Promise.all([import('jiti'), import('zod'), library()]);
    const jiti = createJiti(import.meta.url, {
      virtualModules: { landbridge, zod, 'zod/v4': zod },
      moduleCache: false,
      interopDefault: false,
      tryNative: false,
      fsCache: cacheFolder(path),
    });
    module = await jiti.import(path);
  } catch (error) {
    // a mistake in defineDomain() is already a sentence; its places have no line numbers in a module
    if (error instanceof GatewayError) throw new GatewayError(error.code, prefix(error.message, file), { file }, error);
    throw new GatewayError('BAD_DOMAIN', `${file}: ${explain(error)}`, { file }, error);
  }
  if (module?.default === undefined) {
    throw new GatewayError(
      'BAD_DOMAIN',
      `${file}: has no default export; write \`export default defineDomain({ … })\``,
      { file },
    );
  }
  return module.default;
}

/**
 * Where compiled modules are kept between starts. The user's own folder, never jiti's default below /tmp: what lies there
 * is executed, and anyone may write there. Files that are temporary themselves are not kept.
 */
function cacheFolder(path: string): string | false {
  try {
    if (path.startsWith(tmpdir())) return false;
    const folder = join(homedir(), '.cache', 'landbridge', 'modules');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return false; // a read-only system or a user without a home: every start compiles anew
  }
}

/** `domain pets: endpoints.x …` becomes `pets.ts: endpoints.x …`, line by line. */
function prefix(message: string, file: string): string {
  return message.replace(/^domain [^:\n]*: /gm, `${file}: `);
}

function explain(error: unknown): string {
  const text = String((error as { message?: unknown } | undefined)?.message ?? error);
  const missing = /Cannot find (?:module|package) ['"]([^'"]+)['"]/.exec(text)?.[1];
  if (missing !== undefined) {
    const fix = /^[./]/.test(missing) ? 'check the path' : 'install it beside the file, or do without it';
    return `imports "${missing}", which cannot be found; ${fix}`;
  }
  const [line = '', position = ''] = text.split('\n').map((part) => part.trim());
  const parse = /^ParseError: (.*)$/.exec(line)?.[1];
  if (parse === undefined) return `failed to load: ${line}`;
  const row = /:(\d+):\d+$/.exec(position)?.[1];
  return `does not parse: ${parse.trim()}${row === undefined ? '' : ` in line ${row}`}`;
}

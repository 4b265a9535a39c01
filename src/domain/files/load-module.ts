// Loads TypeScript and JavaScript domain files on Node 20, from any folder. `landbridge` and `zod` always resolve to those of this
// package, so that a file needs no node_modules beside it.
import { tmpdir } from 'node:os';
import { DefinitionError } from '../definition/build-domain.ts';
import { defineDomain } from '../definition/define-domain.ts';
import { openCodeFolder } from './code-folder.ts';
import { MistakesError } from './mistakes.ts';
import { explainThrow } from './module-errors.ts';

/** The module that `import … from 'landbridge'` loads inside a domain file. */
export type Library = () => Promise<object>;

const own: Library = async () => ({ defineDomain, z: (await import('zod')).z });

/** The default export of a domain file. Every error becomes one sentence with its place in the file. */
export async function importModule(path: string, file: string, library: Library = own): Promise<unknown> {
  let names: readonly string[] = [];
  try {
    // jiti adds some 100 ms to a start, so it is loaded only if there is a module to load.
    const [{ createJiti }, zod, landbridge] = await Promise.all([import('jiti'), import('zod'), library()]);
    names = Object.keys(landbridge);
    const jiti = createJiti(import.meta.url, {
      virtualModules: { landbridge, zod, 'zod/v4': zod },
      moduleCache: false,
      interopDefault: false,
      tryNative: false,
      fsCache: cacheFolder(path),
    });
    const module = await jiti.import<{ default?: unknown }>(path);
    // A default export may be a promise.
    const definition = await module?.default;
    if (definition !== undefined) return definition;
    const others = Object.keys(module ?? {}).slice(0, 5);
    const instead = others.length === 0 ? '' : ` (it exports ${others.join(', ')})`;
    const message = `has no default export${instead}; write \`export default defineDomain({ … })\``;
    throw new MistakesError('BAD_DOMAIN', [{ file, message }]);
  } catch (error) {
    if (error instanceof DefinitionError || error instanceof MistakesError) throw error;
    throw new MistakesError('BAD_DOMAIN', [await explainThrow(error, path, file, names)], error);
  }
}

/** Compiled code of temporary files is not cached. */
function cacheFolder(path: string): string | false {
  return path.startsWith(tmpdir()) ? false : (openCodeFolder('modules') ?? false);
}

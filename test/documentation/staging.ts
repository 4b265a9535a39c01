// TypeScript blocks as modules of their own: what a reader has around them (imports, a server, a database) is added, so
// that the compiler and Node judge exactly the lines a reader copies.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as landbridge from '../../src/index.ts';
import { type Block, ROOT } from './blocks.ts';

/** Things of the reader's own that a block may use without declaring them. */
const SURROUNDINGS: Readonly<Record<string, string>> = {
  mcpServer: `import { McpServer } from '@modelcontextprotocol/server';
const mcpServer = new McpServer({ name: 'reader', version: '1.0.0' });`,
  gateway: `import { createGateway as makeGateway, defineTool as makeTool } from 'landbridge';
const gateway = makeGateway({ domains: [], native: { tools: [makeTool({ name: 'now', description: 'Now.', run: () => 'now' })] } });`,
  db: 'const db = { users: async () => "ann, bob", ban: async (id: string) => id };',
};
/** Of src/index.ts; they are not there at run time. */
const TYPE_NAMES = [
  ...readFileSync(join(ROOT, 'src/index.ts'), 'utf8').matchAll(/^export type \{([^}]*)\}|\btype (\w+)[,\s}]/gm),
].flatMap(
  ([, list, name]) =>
    list
      ?.split(',')
      .map((one) => one.trim())
      .filter(Boolean) ?? [name!],
);
const PACKAGES = ['landbridge', 'zod', '@modelcontextprotocol', '@types'];

export interface Staged {
  readonly block: Block;
  readonly path: string;
  readonly isDomain: boolean;
}

/** Writes the blocks below a folder where `landbridge` is this package, built. */
export async function stageBlocks(blocks: readonly Block[]): Promise<{ folder: string; staged: readonly Staged[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-documentation-'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of PACKAGES) {
    const target = name === 'landbridge' ? ROOT : join(ROOT, 'node_modules', name);
    await symlink(target, join(folder, 'node_modules', name), 'junction');
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const staged = await Promise.all(
    blocks.map(async (block, index) => {
      const isDomain = /^export default /m.test(block.code);
      const path = join(folder, `block-${index}`, isDomain ? 'domains/example.ts' : 'example.ts');
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, stage(block, isDomain));
      return { block, path, isDomain };
    }),
  );
  return { folder, staged };
}

/** A module that runs to its end, whatever the block of a page has started; those in comments share one process. */
function stage({ code, inComment }: Block, isDomain: boolean): string {
  const before = Object.entries(SURROUNDINGS).flatMap(([name, text]) => (isFree(name, code) ? [text] : []));
  if (inComment) {
    const names = Object.keys(landbridge).filter((name) => isFree(name, code));
    const types = TYPE_NAMES.filter((name) => isFree(name, code)).map((name) => `type ${name}`);
    if (names.length + types.length > 0)
      before.push(`import { ${[...names, ...types].join(', ')} } from 'landbridge';`);
    if (isFree('z', code)) before.push(`import { z } from 'zod';`);
  }
  return `${before.map((line) => `${line}\n`).join('')}${code}${isDomain || inComment ? '' : 'process.exit(0);\n'}`;
}

/** Whether the code uses the name and does not declare or import it. */
function isFree(name: string, code: string): boolean {
  const uses = new RegExp(`(?<![.\\w'"])${name}\\b(?!['":])`).test(code);
  const declares = new RegExp(
    `\\b(?:const|let|function|class)\\s+${name}\\b|\\bimport\\b[^;]*\\b${name}\\b[^;]*\\bfrom\\b`,
  );
  return uses && !declares.test(code);
}

/** The compiler's complaints about all of them, with `landbridge` as it stands in src. */
export async function typecheck(folder: string, staged: readonly Staged[]): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      paths: { landbridge: [join(ROOT, 'src/index.ts')], '#sample': [join(ROOT, 'sample/server.ts')] },
    },
    include: [],
    files: staged.map(({ path }) => path),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await execute(
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ['-p', folder, '--pretty', 'false'],
    folder,
  );
  return stdout;
}

export function runModule(path: string, cwd: string) {
  return execute(join(ROOT, 'node_modules/jiti/lib/jiti-cli.mjs'), [path], cwd);
}

function execute(
  script: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

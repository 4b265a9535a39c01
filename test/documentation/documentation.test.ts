// Everything the documentation shows is true: every code block of every Markdown file and every comment is compiled,
// parsed or loaded, and what can run is run. A new block is in here as soon as it is written.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCommands } from '../../src/cli/commands.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { createGateway, loadDomains } from '../../src/index.ts';
import { readProfiles } from '../../src/profiles.ts';
import { run, runProgram as runProcess, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { type Block, findBlocks, isWalked, listBlocks, listProse, ROOT } from './blocks.ts';
import { parseCommands, toProgramArgs } from './shell.ts';
import { runModule, type Staged, stageBlocks, typecheck } from './staging.ts';

/** Programs of other people: what they are told about files of ours must be so. */
const OUTSIDE = new Set(['docker', 'helm', 'kubectl', 'systemctl', 'install', 'openssl', 'cp', 'rm']);
/** The steps of a release: they change a clone, or the world. */
const RELEASING = new Set(['git', 'perl', 'mkdir', 'cd', '.ci/run', './installed/bin/landbridge']);
const DOCUMENT = new URL('./openapi.yaml', import.meta.url);
const blocks = listBlocks();
const ofLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));
/** Without those of pages that are followed from top to bottom (guides.test.ts). */
const pageBlocks = (language: string) => ofLanguage(language).filter(({ file }) => !isWalked(file));
const place = ({ file, line }: Block) => `${file}:${line}`;
const scripts = (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

/** A reader's folder: their OpenAPI document, where the documentation has it. */
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-reader-'));
  await copyFile(DOCUMENT, join(folder, 'openapi.yaml'));
  return folder;
}

/** The same with what `landbridge import` writes: openapi/petstore.yaml and domains/petstore.yaml. */
async function createFolderOfDomains(): Promise<string> {
  const folder = await createFolder();
  expect(await run(['import', './openapi.yaml'], { cwd: folder })).toMatchObject({ code: 0 });
  return folder;
}

describe('code blocks', () => {
  test('are found in Markdown and in comments, each with its language', () => {
    const ts = ['```ts', "const text = 'a';", '```'];
    expect(findBlocks('a.md', ['Text', ...ts, '~~~', 'drawing', '~~~'].join('\n'))).toEqual([
      { file: 'a.md', line: 2, language: 'ts', info: '', code: "const text = 'a';\n", inComment: false },
      { file: 'a.md', line: 5, language: '', info: '', code: 'drawing\n', inComment: false },
    ]);
    const comment = (sign: string) => ts.map((line) => `  ${sign} ${line}`).join('\n');
    for (const sign of ['*', '//']) {
      expect(findBlocks('a.ts', `/**\n${comment(sign)}\n */`)).toEqual([
        { file: 'a.ts', line: 2, language: 'ts', info: '', code: "const text = 'a';\n", inComment: true },
      ]);
    }
    expect(() => findBlocks('a.ts', '/**\n * @example\n * call()\n */')).toThrow(/a\.ts:2/);
    expect(() => findBlocks('a.md', '```ts\n')).toThrow(/never closed/);
  });

  test('are written in languages that are tested here', () => {
    // A block without a language is a drawing.
    const tested = ['ts', 'yaml', 'json', 'sh', ''];
    const unknown = blocks.filter(({ language, file }) => !tested.includes(language) && !isWalked(file));
    expect(unknown.map(place)).toEqual([]);
    expect(blocks.filter(({ language, file }) => language === '' && !file.endsWith('.md')).map(place)).toEqual([]);
  });

  test('are there', () => {
    expect(new Set(blocks.map(({ file }) => file))).toContain('README.md');
    expect(blocks.some(({ inComment }) => inComment)).toBe(true);
  });
});

describe('TypeScript', () => {
  let folder: string;
  let staged: readonly Staged[];
  beforeAll(async () => {
    ({ folder, staged } = await stageBlocks(ofLanguage('ts')));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('compiles against the public names', async () => {
    const complaints = await typecheck(folder, staged);
    expect(staged.reduce((text, { block, path }) => text.replaceAll(path, place(block)), complaints)).toBe('');
  });

  test('is really compiled: a wrong name is a complaint', async () => {
    const wrong: Block = {
      file: 'wrong.md',
      line: 1,
      language: 'ts',
      info: '',
      code: "import { creategateway } from 'landbridge';\ncreategateway();\n",
      inComment: false,
    };
    const other = await stageBlocks([wrong]);
    expect(await typecheck(other.folder, other.staged)).toMatch(/example\.ts\(1,10\): error TS2724/);
    expect(await runModule(other.staged[0]!.path, other.folder)).toMatchObject({ code: 1 });
    await rm(other.folder, { recursive: true, force: true });
  });

  test('in comments runs, one block after another in one process', async () => {
    const examples = staged.filter(({ block, isDomain }) => block.inComment && !isDomain);
    const cwd = await createFolderOfDomains();
    const path = join(folder, 'all-comments.ts');
    await writeFile(path, runnerOf(examples));
    expect(await runModule(path, cwd)).toMatchObject({ code: 0, stderr: '' });
    await rm(cwd, { recursive: true, force: true });
  });

  const pages = ofLanguage('ts').filter(({ inComment, code }) => !inComment || /^export default /m.test(code));
  test.each(pages.map((block) => [place(block), block] as const))('%s runs', async (_, block) => {
    const { path, isDomain } = staged.find((candidate) => candidate.block === block)!;
    if (isDomain) {
      const gateway = createGateway({ domains: await loadDomains({ paths: [path], env: {} }) });
      expect(gateway.registry.tools.size).toBeGreaterThan(0);
      await gateway.close();
      return;
    }
    const cwd = await createFolderOfDomains();
    expect(await runModule(path, cwd)).toMatchObject({ code: 0, stderr: '' });
    await rm(cwd, { recursive: true, force: true });
  });
});

/** A module that runs each of these to its end and names those that fail. */
function runnerOf(examples: readonly Staged[]): string {
  const runs = examples.map(
    ({ path, block }) =>
      `await import(${JSON.stringify(path)}).catch((error) => { console.error(${JSON.stringify(place(block))}, error); failed = 1; });\n`,
  );
  return `let failed = 0;\n${runs.join('')}process.exit(failed);\n`;
}

/** The README's file is a domain of its own; those of guides belong together. */
const wholeFiles = ofLanguage('yaml').filter(({ file }) => !isWalked(file) || file === 'README.md');

describe('YAML', () => {
  test.each(wholeFiles.map((block) => [place(block), block] as const))('%s loads', async (_, { code }) => {
    const name = /^# (\S+\.yaml)\s*\n/.exec(code)?.[1];
    expect(name, 'the first line says which file it is: # domains/petstore.yaml').toMatch(
      /^(domains\/.+|profiles\.yaml|landbridge\.yaml)$/,
    );
    const folder = await createFolderOfDomains();
    const file = join(folder, name!);
    await writeFile(file, code);
    if (name === 'landbridge.yaml') {
      expect(() =>
        readConfig({ config: file }, { GATEWAY_SECRET: 'shared by all replicas of it, secret' }),
      ).not.toThrow();
      await rm(folder, { recursive: true, force: true });
      return;
    }
    // The embedded task board runs only where the program runs.
    const env = { TASKS_BASE_URL: 'http://127.0.0.1:9' };
    const isProfiles = name === 'profiles.yaml';
    const domains = await loadDomains({ paths: [isProfiles ? join(ROOT, 'domains') : file], env });
    const gateway = createGateway({ domains, exposure: 'tools', ...(isProfiles && { profiles: readProfiles(file) }) });
    expect(gateway.registry.tools.size).toBeGreaterThan(0);
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });
});

test.each(ofLanguage('json').map((block) => [place(block), block] as const))('JSON at %s parses', (_, { code }) => {
  JSON.parse(code);
});

test('commands are read as a shell reads them', () => {
  const code = 'npm ci && npm test # both\ncurl -s http://a/#b \\\n  -H \'A: b\' -d "{}"\n\n# only a remark\n';
  expect(parseCommands(code)).toEqual([
    ['npm', 'ci'],
    ['npm', 'test'],
    ['curl', '-s', 'http://a/#b', '-H', 'A: b', '-d', '{}'],
  ]);
  expect(() => parseFlags(['serve', '--no-such-flag'])).toThrow(/no-such-flag/);
  expect(() => parseFlags(['serve', '--exposure', 'nonsense'])).toThrow(/tools, grouped, search or auto/);
});

/** The flags of a command line, judged by the program itself; what it would do is not done. */
function parseFlags(args: readonly string[]): void {
  const program = new Command('landbridge').exitOverride().configureOutput({ writeErr: () => {} });
  addCommands(program);
  for (const command of program.commands) {
    command.copyInheritedSettings(program);
    command.action(() => {
      if (command.name() === 'serve') readConfig({ ...command.opts(), paths: command.args }, { TOKEN: 'x' });
    });
  }
  program.parse([...args], { from: 'user' });
}

/** Headings as the pages that show Markdown name them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const needsNetwork = (args: readonly string[]) => args.some((word) => /^https:/.test(word));

describe.each([...new Set(pageBlocks('sh').map(({ file }) => file))])('the commands of %s', (file) => {
  // In order, in one folder: what one command writes the next one reads.
  const commands = ofLanguage('sh')
    .filter((block) => block.file === file)
    .flatMap((block) => parseCommands(block.code).map((words) => [words.join(' '), words] as const));
  let folder: string;
  beforeAll(async () => {
    folder = await createFolder();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test.each(commands)('%s', async (_, words) => {
    const args = toProgramArgs(words);
    if (args) await runProgram(args);
    else if (words[0] === 'npm') runNpm(words.slice(1));
    else if (words[0] === 'npx' && words[1] === 'vitest')
      expect(existsSync(join(ROOT, words[3]!)), words[3]).toBe(true);
    else if (OUTSIDE.has(words[0]!) || words[0]!.startsWith('deploy/'))
      expect(words.filter((word) => word.startsWith('deploy/') && !existsSync(join(ROOT, word)))).toEqual([]);
    else if (file === 'CONTRIBUTING.md' && RELEASING.has(words[0]!))
      expect(words.filter((word) => /^\w[\w.-]*\/[\w./-]+$/.test(word) && !existsSync(join(ROOT, word)))).toEqual([]);
    else throw new Error(`Nobody has taught the test what to do with ${words[0]}: do it in ${import.meta.url}.`);
  });

  async function runProgram(line: readonly string[]): Promise<void> {
    const args = line.includes('<tool>') ? line.with(line.indexOf('<tool>'), await firstTool()) : line;
    parseFlags(args);
    if (needsNetwork(args)) return;
    if (args[0] !== 'serve') {
      const { code, stdout, stderr } = await run(args, { cwd: folder });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('landbridge:')]);
      expect(stdout).not.toBe('');
      return;
    }
    if (args.includes('--stdio')) {
      const { code, stdout } = await runProcess(args, { cwd: folder, input: `${JSON.stringify(LIST)}\n` });
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 1, result: { tools: expect.any(Array) } }]);
      return;
    }
    const served = await serve(args.slice(1), { cwd: folder });
    const { body } = await post(served.http, JSON.stringify(LIST));
    expect(JSON.parse(body)).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(await served.stop()).toBe(0);
  }

  async function firstTool(): Promise<string> {
    const { stdout } = await run(['tools', '--exposure', 'tools', '--json'], { cwd: folder });
    return (JSON.parse(stdout) as { tools: { name: string }[] }).tools[0]!.name;
  }

  /** npm itself is not run here (`.ci/run` does that): the script must exist. */
  function runNpm([command, name]: readonly string[]): void {
    if (['install', 'ci', 'version', 'pack', 'publish'].includes(command!)) return;
    const script = command === 'run' ? name! : command!;
    expect(Object.keys(scripts)).toContain(script);
  }
});

const LIST = legacy(1, 'tools/list');

describe('prose', () => {
  const program = new Command('landbridge');
  addCommands(program);

  test('the examples in the help are command lines the program takes', () => {
    const examples = program.commands.flatMap((command) => {
      let text = '';
      command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
      return [...text.matchAll(/^ {2}landbridge (.*?)(?: {2,}.*)?$/gm)].map((match) => `landbridge ${match[1]}`);
    });
    expect(examples.length).toBeGreaterThan(10);
    // What the shell does with the output is none of the program's arguments.
    const own = examples.map((example) => example.split(/ [|>] /, 1)[0]!);
    for (const example of own) parseFlags(toProgramArgs(parseCommands(example)[0]!)!);
  });

  const documents = listProse().filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');

  test.each(documents)('%s names only flags and npm scripts that exist', async (file) => {
    const text = await readFile(join(ROOT, file), 'utf8');
    const flags = new Set(program.commands.flatMap(({ options }) => options.map(({ long }) => long)));
    const inline = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
    const landbridge = inline.filter((code) => /^(--|landbridge )/.test(code));
    const named = landbridge.flatMap((code) => [...code.matchAll(/(?<=^|\s)--[a-z][\w-]*/g)].map(String));
    const own = file.startsWith('lab/bench/') ? [] : named.filter((flag) => flag !== '--help' && !flags.has(flag));
    const missing = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map((match) => match[1]!);
    expect([...own, ...missing.filter((name) => !(name in scripts))]).toEqual([]);
  });

  test.each(documents)('the links of %s lead somewhere, to the heading that they name', async (file) => {
    const text = await readFile(join(ROOT, file), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map((match) => match[1]!);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    const dead = local.filter((link) => {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? join(ROOT, file) : join(ROOT, file, '..', path);
      if (!existsSync(target)) return true;
      return heading !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(heading);
    });
    expect(dead).toEqual([]);
  });

  test.each(documents)('the files %s names exist', async (file) => {
    const text = await readFile(join(ROOT, file), 'utf8');
    const names = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map((match) => match[1]!);
    const folders = ['', 'src', join(file, '..')];
    // A bare name is enough: no two files of src share one (test/architecture.test.ts).
    const bare = new Set(
      (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[]).map((name) => basename(name)),
    );
    const exists = (name: string) => bare.has(name) || folders.some((folder) => existsSync(join(ROOT, folder, name)));
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });
});

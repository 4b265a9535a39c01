// The rules of the house (ARCHITECTURE.md): who may import whom, one door per package, names that are
// found once.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { CREDENTIAL_KINDS } from '../src/credentials/kind-table.ts';

const root = new URL('../src/', import.meta.url).pathname;
const LINE = [
  'transport',
  'protocol',
  'adapter',
  'catalog',
  'model',
  'orchestration',
  'executor',
  'schema',
  'credentials',
  'limits',
  'call',
  'tracing',
  'network',
  'endpoint',
  'event-loop',
];
const from = (folder: string) => LINE.slice(LINE.indexOf(folder));
const SEES: Record<string, readonly string[]> = {
  ...Object.fromEntries(LINE.map((folder) => [folder, from(folder)])),
  openapi: ['openapi', 'schema', 'credentials', 'network', 'endpoint'],
  domain: ['domain', 'openapi', 'schema', 'credentials', 'network', 'endpoint'],
  doctor: ['doctor', ...from('catalog')],
  sdk: ['sdk', ...from('protocol')],
  identity: ['identity', 'transport', 'call', 'endpoint'],
  audit: ['audit', 'call', 'endpoint'],
  state: ['state', 'protocol', 'orchestration', 'credentials', 'limits'],
  telemetry: ['telemetry', 'limits', 'call'],
  admin: ['admin', 'telemetry', 'transport', 'endpoint'],
  workers: ['workers', 'network'],
  config: ['config', 'domain', 'endpoint', 'log.ts', 'profiles.ts'],
};
/** Files at the top of src that every folder may use. */
const COMMON = ['errors.ts', 'product.ts'];
/** Packages with one door each. */
const DOORS: Record<string, readonly string[]> = {
  express: ['transport/routes.ts'],
  undici: ['executor/pools.ts'],
  'js-yaml': ['openapi/source/parse.ts'],
  yaml: ['domain/files/parse-yaml.ts', 'domain/edit-yaml.ts', 'cli/import/place-files.ts'],
  'json-p3': ['openapi/source/jsonpath.ts'],
  commander: ['cli/run.ts', 'cli/commands.ts'],
  'jsonc-parser': ['cli/install/edit-json.ts'],
  ajv: ['schema/check/compile-schema.ts'],
  'ajv-formats': ['schema/check/formats.ts'],
  re2js: ['schema/check/pattern.ts'],
  'gpt-tokenizer': ['catalog/tokens.ts'],
  jiti: ['domain/files/load-module.ts'],
  picocolors: ['colours.ts'],
  pino: ['log.ts'],
  jose: ['identity/assertion-keys.ts', 'identity/oauth/issuer-keys.ts'],
  oauth4webapi: ['identity/oauth/authorization-server.ts'],
  redis: ['state/redis-link.ts'],
  'prom-client': ['telemetry/exposition.ts'],
  '@opentelemetry/api': ['tracing/otel-api.ts', 'tracing/otlp-export.ts'],
  '@opentelemetry/sdk-trace': ['tracing/otlp-export.ts'],
  '@opentelemetry/resources': ['tracing/otlp-export.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['tracing/otlp-export.ts'],
  '@opentelemetry/exporter-trace-otlp-proto': ['tracing/otlp-export.ts'],
};
const MAX_LINES_OF_A_FUNCTION = 100;
/**
 * What a thing is tells more than what was done to it: `schema`, not `given`; `entries`, not `kept`. Not in this list, since they
 * are nouns too: `bound`, `cast`, `cost`, `cut`, `hit`, `left` (of two), `run`, `set`.
 */
const PARTICIPLES = new Set(
  `begun bent born bought bred broken brought built caught chosen dealt done drawn driven dug eaten fallen fed felt flown
  forgotten fought found frozen given gone got grown heard held hidden hurt kept known laid led lent lit lost made meant met
  overridden paid proven read ridden risen said seen sent shaken shot shown shut sold sought spent split spoken spread spun
  stolen stood struck stuck sung sunk swept sworn taken taught thought thrown told torn understood withdrawn withheld woken
  won worn woven written`.split(/\s+/),
);
/** These may be names all the same. */
const NO_PARTICIPLES = new Set([
  // Words that only end like one.
  ...['deed', 'embed', 'feed', 'need', 'proceed', 'seed', 'speed'],
  // Fields of documents, schemas and definitions: the variable has their name.
  ...['deprecated', 'enabled', 'fixed', 'hidden', 'pinned', 'quarantined', 'required', 'signed', 'withheld'],
  // Of a problem: what a rule asks for, and what came.
  ...['expected', 'got'],
]);
/** The present of these is the same word: a function may have it. */
const VERBS = new Set(['read', 'shut', 'split', 'spread']);

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts')).sort();

const sources = files.map((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return { file, text, lines: text.split('\n') };
});

const imports: Import[] = sources.flatMap(({ file, text }) => {
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|\b(?:import|require|createRequire\(import\.meta\.url\))\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => ({
    file,
    target: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }));
});

test('every folder imports only itself and what lies to its right', () => {
  const offences = imports.flatMap(({ file, target }) => {
    const allowed = SEES[file.split('/')[0]!];
    if (!allowed || !target.startsWith('.')) return [];
    const path = relative(root, resolve(root, dirname(file), target));
    const to = path.includes('/') ? path.split('/')[0]! : path;
    return allowed.includes(to) || COMMON.includes(to) ? [] : [`${file} imports ${path}`];
  });
  expect(offences).toEqual([]);
});

test('ARCHITECTURE.md tells the same line, has a room for every folder, and names only files that are there', () => {
  const text = readFileSync(join(root, '../ARCHITECTURE.md'), 'utf8');
  expect(text).toContain(`\`${LINE.join(' → ')}\``);
  const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!));
  const rooms = text.split('\n').flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? []);
  expect([...folders].filter((folder) => !rooms.some((room) => room.includes(`\`${folder}/\``)))).toEqual([]);
  const names = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1]!);
  const exists = (name: string) =>
    files.some((file) => file === name || file.endsWith(`/${name}`)) || existsSync(join(root, '..', name));
  expect(names.filter((name) => !exists(name))).toEqual([]);
});

test('ARCHITECTURE.md tells what the folders beside the line import', () => {
  const text = readFileSync(join(root, '../ARCHITECTURE.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z]+)` \| (`.*) \|$/gm)].map(([, folder, cell]) => {
    const names = [...cell!.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    return [folder!, cell!.endsWith('everything to its right') ? from(names[0]!) : names] as const;
  });
  const rules = Object.entries(SEES).filter(([folder]) => !LINE.includes(folder));
  const others = rules.map(([folder, sees]) => [
    folder,
    sees.filter((name) => name !== folder && !name.endsWith('.ts')),
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(others));
});

test('every folder of src has its place in these rules', () => {
  const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!));
  expect([...folders].filter((folder) => folder !== 'cli' && SEES[folder] === undefined)).toEqual([]);
});

test('every package has its door', () => {
  const offences = imports.flatMap(({ file, target, typeOnly }) => {
    const doors = DOORS[target] ?? DOORS[target.split('/')[0]!];
    return !doors || typeOnly || doors.includes(file) ? [] : [`${file} imports ${target}`];
  });
  expect(offences).toEqual([]);
});

test('the sample API stands outside: it imports nothing of the gateway', () => {
  const sample = new URL('../sample/', import.meta.url).pathname;
  const offences = readdirSync(sample).flatMap((file) =>
    [...readFileSync(join(sample, file), 'utf8').matchAll(/from '([^']+)'/g)]
      .map((match) => match[1]!)
      .filter((target) => !target.startsWith('./') && !target.startsWith('node:') && target !== 'zod')
      .map((target) => `${file} imports ${target}`),
  );
  expect(offences).toEqual([]);
});

test('a file name says where to look: no two files of src share one', () => {
  const paths = groupByName(files);
  expect([...paths.values()].filter((same) => same.length > 1)).toEqual([]);
});

function groupByName(all: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const file of all) groups.set(basename(file), [...(groups.get(basename(file)) ?? []), file]);
  return groups;
}

test('no file stands beside a folder of its own name', () => {
  expect(files.filter((file) => existsSync(join(root, file.replace(/\.ts$/, ''))))).toEqual([]);
});

test('every function can be read at once', () => {
  // The formatter puts the last brace of a function under its first line.
  const offences = sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) => {
      const isFunction = /\bfunction\b.*\($|(?:\bfunction\b.*|=>|^ +[\w# ]+\(.*\)(?:: .+)?) \{$/.test(line);
      if (!isFunction || /^ *(?:if|for|while|switch|\} )/.test(line)) return [];
      const indent = /^ */.exec(line)![0];
      const end = lines.findIndex((other, place) => place > at && other.startsWith(`${indent}}`));
      const length = end - at + 1;
      return length > MAX_LINES_OF_A_FUNCTION ? [`${file}:${at + 1} has ${length} lines`] : [];
    }),
  );
  expect(offences).toEqual([]);
});

test('variables are named for what they are', () => {
  const offences = sources.flatMap(({ file, text }) =>
    listVariables(parseAst(text, { lang: 'ts' })).flatMap(({ name, start, isFunction }) =>
      isParticiple(name) && !(isFunction && VERBS.has(name))
        ? [`${file}:${text.slice(0, start).split('\n').length}: ${name}`]
        : [],
    ),
  );
  expect(offences).toEqual([]);
}, 60_000);

function isParticiple(name: string): boolean {
  const word = name.replace(/^(?:un|re)(?=[a-z]{3})/, '');
  return !NO_PARTICIPLES.has(name) && (/^[a-z]+ed$/.test(name) || PARTICIPLES.has(name) || PARTICIPLES.has(word));
}

/** As far as it matters here. */
interface SyntaxNode {
  readonly type: string;
  readonly name: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

interface Variable {
  readonly name: string;
  readonly start: number;
  readonly isFunction: boolean;
}

/** Variables, parameters and caught errors. What is destructured without another name has the name of its property. */
function listVariables(tree: object): Variable[] {
  const variables: Variable[] = [];
  const add = (pattern: SyntaxNode | null | undefined, value?: SyntaxNode | null): void => {
    if (!pattern) return;
    const { type, name, start } = pattern;
    const part = (key: string) => pattern[key] as SyntaxNode;
    if (type === 'Identifier') {
      const annotation = (pattern.typeAnnotation as SyntaxNode | null)?.typeAnnotation as SyntaxNode | undefined;
      variables.push({ name, start, isFunction: /Function/.test(`${annotation?.type} ${value?.type}`) });
    }
    if (type === 'AssignmentPattern') add(part('left'), part('right'));
    if (type === 'RestElement') add(part('argument'));
    if (type === 'ArrayPattern') for (const element of pattern.elements as SyntaxNode[]) add(element);
    if (type === 'ObjectPattern')
      for (const property of pattern.properties as SyntaxNode[])
        if (property.type === 'RestElement') add(property);
        else if (property.shorthand !== true) add(property.value as SyntaxNode);
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'VariableDeclarator') add(node.id as SyntaxNode, node.init as SyntaxNode | null);
    if (node.type === 'CatchClause') add(node.param as SyntaxNode | null);
    if (Array.isArray(node.params) && /Function|Signature|Constructor/.test(node.type))
      for (const one of node.params) add(one);
    for (const child of Object.values(node).flat())
      if (typeof child === 'object' && child !== null) visit(child as SyntaxNode);
  };
  visit(tree as SyntaxNode);
  return variables;
}

/** What is known in one place only: what it looks like in code, and where it stands. */
const FACTS: readonly (readonly [what: string, pattern: RegExp, places: readonly string[]])[] = [
  ['what a media type is without its parameters', /split\(';', ?1\)|split\(';'\)\[0\]/, ['endpoint/media-type.ts']],
  // The other file compares a scheme of HTTP, which has the same names.
  [
    'the kind of a credential',
    new RegExp(`\\bkind (?:===|!==) '(?:${Object.keys(CREDENTIAL_KINDS).join('|')})'`),
    ['credentials/kinds/login.ts', 'openapi/objects/security-scheme.ts'],
  ],
  ['cutting a text between characters', /0xd800/, ['endpoint/plain-text.ts']],
  [
    'references to the environment',
    /\\\$\\\{\([^)]*\[A-Za-z_\]/,
    ['cli/install/mcp-clients.ts', 'endpoint/environment.ts'],
  ],
  ['the name of a variable', /\/\^\[A-Za-z_\](?:\[A-Za-z0-9_\]|\\w)\*\$\//, ['endpoint/environment.ts']],
  ['a host without its brackets', /replace\(\/\^\\\[\|/, ['endpoint/address.ts']],
  ['a yes at the terminal', /y\(es\)\?/, ['cli/terminal/ask-person.ts']],
  ['leaving tags out', /<\[\^<?>\]\*>\/g/, []],
  ['headers that are told apart by name', /x-(?:original|rewrite)-/, ['endpoint/headers/header-names.ts']],
  [
    'where a string of a JSON text ends',
    /charCodeAt\([^)]* - 1\b[^)]*\) === (?:0x5c|92|BACKSLASH)|\[\w+ - 1\b[^\]]*\] === '\\\\'/,
    ['endpoint/untrusted.ts'],
  ],
  ['what a client carries from round to round', /\.takesRounds/, ['call/rounds.ts']],
  ['the form of a yes or no', /confirm: \{ type: 'boolean'|content\??\.confirm/, ['protocol/questions/asking.ts']],
  ['what a failure says without the name in front', /message\)?\.replace\(['`]/, []],
  ['edit distance', /function editDistance\(/, ['endpoint/suggest.ts']],
  // The remote gateway knows a code that other servers use, and formats the least number of 16 bits.
  [
    'codes of JSON-RPC',
    /(?<!CVE-\d{4})-32_?\d{3}\b/,
    ['cli/remote/remote-gateway.ts', 'errors.ts', 'schema/check/formats.ts'],
  ],
];

test.each(FACTS)('%s is known in one place', (_, pattern, places) => {
  expect(sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual(places);
});

test('keyed hashes are made by kinds of credentials and by the signer only', () => {
  const places = sources.filter(({ text }) => /createHmac\(/.test(text)).map(({ file }) => file);
  expect(places.filter((file) => !file.startsWith('credentials/kinds/'))).toEqual(['orchestration/signer.ts']);
});

test('comments name only files that are there', () => {
  const names = new Set(files.map((file) => basename(file)));
  const offences = sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) => {
      const comment = /^\s*(?:\/\/|\/?\*)(.*)|\s\/\/ (.*)/.exec(line)?.slice(1).join('') ?? '';
      return [...comment.matchAll(/(?<![\w/.:-])[\w-][\w/-]*\.ts\b/g)]
        .filter(([name]) => !names.has(basename(name)))
        .map(([name]) => `${file}:${at + 1} names ${name}`);
    }),
  );
  expect(offences).toEqual([]);
});

test('references inside a schema are followed in one place', () => {
  const followers = sources.filter(
    ({ file, text }) =>
      !file.startsWith('openapi/') &&
      /startsWith\('#\/|slice\(\d\)\.split\('\/'\)/.test(text) &&
      /\$ref|ref\b/.test(text),
  );
  expect(followers.map(({ file }) => file).filter((file) => file !== 'schema/output-schema.ts')).toEqual([
    'schema/references.ts',
  ]);
});

test('the keywords that hold schemas are listed in one place', () => {
  const lists = sources.filter(
    ({ file, text }) =>
      // What each client refuses is a rule of that client.
      file !== 'doctor/client-rules.ts' &&
      /(?:allOf|anyOf|oneOf|prefixItems)['" ,]+(?:allOf|anyOf|oneOf|prefixItems)/.test(
        text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''),
      ),
  );
  expect(lists.map(({ file }) => file)).toEqual(['schema/keywords.ts']);
});

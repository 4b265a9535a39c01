// landbridge import: a document as received under openapi/, and a commented domain file beside it, ready to curate.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import pc from 'picocolors';
import { parse, stringify } from 'yaml';
import { type Flags, readConfig } from '../config.ts';
import { readEditorSchema, schemaFileName, schemaLine } from '../editor-schemas.ts';
import type { Credential, Domain, Endpoint } from '../endpoint/model.ts';
import { secretsIn } from '../endpoint/secrets.ts';
import { GatewayError } from '../errors.ts';
import { importDocument } from '../openapi/import-document.ts';
import { digestLines } from './terminal/digest-lines.ts';
import { createProgress, shown } from './terminal/terminal.ts';

export interface ImportFlags extends Flags {
  readonly name?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly verbose?: boolean;
}

/** Files named one by one before the rest is counted. */
const SHOWN_FILES = 3;
/** Above this a JSON document stays JSON (which is YAML too): rewriting it would take long and help nobody. */
const MAX_REWRITE_CHARS = 2_000_000;

export async function runImport(source: string, flags: ImportFlags): Promise<void> {
  const { env, headers, baseUrl, refsRoot } = readConfig({ ...flags, paths: [source] }, process.env);
  const progress = createProgress();
  const files: { uri: string; text: string }[] = [];
  const domain = await importDocument(source, {
    env,
    headers,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(refsRoot !== undefined && { refsRoot }),
    // The domain file that is written carries the base URL.
    ownOrigin: true,
    ...(flags.name !== undefined && { name: flags.name }),
    onProgress: (text) => progress.show(text),
    onFile: (uri, text) => files.push({ uri, text }),
  }).finally(() => progress.done());

  const out = flags.out ?? '.';
  const document = placeFiles(domain.name, files);
  const domainFile = join('domains', `${domain.name}.yaml`);
  const writes = new Map<string, string>([
    ...document.writes,
    [domainFile, renderDomainFile(domain, fromDomains(document.root), fromDomains(document.refsRoot))],
  ]);
  refuseToOverwrite(out, [...writes.keys()], flags.force ?? false);
  // Nobody writes in it: that of this version takes the place of an older one.
  writes.set(join('domains', schemaFileName('domain')), readEditorSchema('domain'));
  for (const [path, text] of writes) {
    const target = resolve(out, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  const report = {
    domainFile: join(out, domainFile),
    documents: document.writes.map(([path]) => join(out, path)),
    operations: countByEffect(domain.endpoints),
    quarantined: domain.quarantined,
    warnings: domain.warnings,
  };
  process.stdout.write(
    flags.json ? `${JSON.stringify(report)}\n` : renderReport(report, join(out, 'domains'), flags.verbose ?? false),
  );
}

function countByEffect(endpoints: readonly Endpoint[]) {
  const counts = { total: endpoints.length, read: 0, write: 0, destructive: 0 };
  for (const { effect } of endpoints) counts[effect]++;
  return counts;
}

interface ImportReport {
  readonly domainFile: string;
  readonly documents: readonly string[];
  readonly operations: ReturnType<typeof countByEffect>;
  readonly quarantined: Domain['quarantined'];
  readonly warnings: readonly string[];
}

function renderReport(report: ImportReport, domains: string, all: boolean): string {
  const { domainFile, documents, operations, quarantined, warnings } = report;
  const { total, ...effects } = operations;
  const more = documents.length - SHOWN_FILES;
  const files = all || more <= 1 ? documents : documents.slice(0, SHOWN_FILES);
  const counts = Object.entries(effects).map(([effect, count]) => `${count} ${effect}`);
  const reasons = quarantined.map(({ method, path, reason }) => `${method} ${path}: ${reason}`);
  const lines = [
    ...[domainFile, ...files].map((path) => `${pc.green('✓')} ${path}`),
    ...(files.length < documents.length ? [pc.dim(`  … and ${more} more files (--verbose lists all)`)] : []),
    `${total === 1 ? '1 operation' : `${total} operations`} (${counts.join(', ')})${quarantined.length > 0 ? `, ${quarantined.length} in quarantine:` : ''}`,
    ...digestLines(reasons, pc.yellow('!'), all),
    ...digestLines(warnings, pc.yellow('!'), all),
    `Edit ${domainFile}, then: landbridge serve ${domains}`,
  ];
  return `${lines.join('\n')}\n`;
}

function refuseToOverwrite(out: string, paths: readonly string[], force: boolean): void {
  const existing = paths.filter((path) => existsSync(resolve(out, path)));
  if (existing.length === 0 || force) return;
  const some = existing.slice(0, SHOWN_FILES).map((path) => join(out, path));
  const more = existing.length - some.length;
  throw new GatewayError(
    'BAD_CONFIG',
    `${some.join(', ')}${more > 0 ? ` and ${more} more files` : ''} already exists. Use --force to overwrite, or --name for another name.`,
  );
}

/** One file becomes openapi/<name>.yaml; several keep their layout below openapi/<name>/. */
function placeFiles(
  name: string,
  files: readonly { uri: string; text: string }[],
): { root: string; refsRoot?: string; writes: [string, string][] } {
  const [first, ...others] = files;
  if (!first) throw new GatewayError('BAD_DOCUMENT', 'The document could not be read.');
  if (others.length === 0) {
    const path = join('openapi', `${name}.yaml`);
    return { root: path, writes: [[path, toYaml(first.text)]] };
  }
  const paths = files.map(({ uri }) => pathOf(uri));
  const base = commonFolder(paths);
  const writes = files.map(({ text }, index): [string, string] => [
    join('openapi', name, relative(base, paths[index]!)),
    text,
  ]);
  const root = writes[0]![0];
  // Parts beside the document's folder need the root that was allowed on the command line in the domain file too.
  const inside = writes.every(([path]) => path.startsWith(`${dirname(root)}/`));
  return { root, writes, ...(inside ? {} : { refsRoot: join('openapi', name) }) };
}

/** A path as a file in `domains/` writes it. */
function fromDomains<Path extends string | undefined>(path: Path): Path {
  return (path === undefined ? undefined : relative('domains', path).replaceAll('\\', '/')) as Path;
}

/** Where a file lay, resolved: its address was chosen by the document, and `%2f..%2f` in it must not climb. */
function pathOf(uri: string): string {
  const { pathname } = new URL(uri);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    path = pathname;
  }
  return path.includes('\0') ? pathname : resolve(path);
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0]!);
  while (!paths.every((path) => path.startsWith(folder === '/' ? '/' : `${folder}/`))) folder = dirname(folder);
  return folder;
}

function toYaml(text: string): string {
  if (!/^\s*\{/.test(text) || text.length > MAX_REWRITE_CHARS) return text;
  return stringify(parse(text), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Everything a person may want to change is there, commented out, with what holds now. */
function renderDomainFile(domain: Domain, document: string, refsRoot: string | undefined): string {
  const prefix = domain.name.toUpperCase();
  const [first] = domain.endpoints;
  const url = first?.baseUrl ? first.baseUrl : 'https://api.example.com';
  const lines = [
    schemaLine('domain'),
    `# ${oneLine(domain.title)}: which operations models get, and how they read. Restart to apply.`,
    `name: ${domain.name}`,
    `openapi: ${JSON.stringify(document)}`,
    ...(refsRoot === undefined ? [] : [`refsRoot: ${JSON.stringify(refsRoot)}`]),
    `baseUrl: { env: ${prefix}_BASE_URL, default: ${JSON.stringify(url)} }`,
    '',
    ...renderCredentials(domain),
    '# Put before every tool name, to tell this API from others.',
    'prefix: ""',
    '',
    '# Models do better with a dozen good tools than with everything there is.',
    '# include: { tags: [], paths: ["/pets/**"], methods: [GET], operations: [] }',
    '# exclude: { deprecated: true }',
    '',
    '# OpenAPI Overlay documents, applied before the import.',
    '# overlays: [../openapi/fixes.overlay.yaml]',
    '',
    '# tools | grouped | search | auto',
    '# exposure: auto',
    '# guard: { write: allow, destructive: confirm }',
    '',
    'operations: {}',
    ...renderExample(domain.endpoints),
    '',
    '# All operations:',
    ...domain.endpoints.map(
      (endpoint) =>
        `#   ${endpoint.toolName}  ${endpoint.method} ${oneLine(endpoint.path)}  (${endpoint.effect})  ${oneLine(endpoint.summary)}`,
    ),
    ...domain.quarantined.map(
      ({ method, path, reason }) => `#   quarantined: ${method} ${oneLine(path)}: ${oneLine(reason)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function renderExample(endpoints: readonly Endpoint[]): string[] {
  const example = endpoints.find(({ args }) => args.length > 0) ?? endpoints[0];
  if (!example) return [];
  const arg = example.args.find(({ required, readOnly }) => !required && !readOnly)?.key;
  return [
    '# For example (take away the {} above):',
    `#   ${JSON.stringify(`${example.method} ${example.path}`)}:`,
    `#     name: ${example.action}`,
    `#     description: ${JSON.stringify(oneLine(example.summary))}`,
    `#     effect: ${example.effect}`,
    '#     timeoutMs: 10000',
    '#     response: { pick: [id, name], maxChars: 8000 }',
    ...(arg ? [`#     args: { ${JSON.stringify(arg)}: { hide: true } }`] : []),
  ];
}

function renderCredentials({ endpoints }: Domain): string[] {
  const byName = new Map<string, Credential>();
  for (const { security } of endpoints) for (const set of security) for (const one of set) byName.set(one.name, one);
  const lines = [...byName.values()].flatMap((one) => {
    const variables = secretsIn(one).map(({ variable }) => variable);
    return [`#   ${oneLine(one.name)} (${one.kind}): ${oneLine(variables.join(', '))}`];
  });
  return lines.length > 0 ? ['# Credentials come from the environment:', ...lines, ''] : [];
}

/** A comment ends with its line: what a document says must never become a line of its own. */
function oneLine(text: string): string {
  return shown(text).trim().slice(0, 160);
}

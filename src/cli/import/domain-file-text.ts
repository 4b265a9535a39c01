// The domain file that an import writes: the present values, and everything that a person may want to change, commented out.

import { relative } from 'node:path';
import { loginLines } from '../../credentials/login/document-login.ts';
import { secretsIn } from '../../credentials/secrets.ts';
import { answerFields } from '../../domain/definition/pick-paths.ts';
import { schemaLine } from '../../editor-schemas.ts';
import { originsOf } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import { isHeaderCredential } from '../../endpoint/headers/header-fields.ts';
import type { Domain, Endpoint } from '../../endpoint/model.ts';
import { shown } from '../terminal/terminal.ts';

/** What is not part of the domain itself. */
export interface DomainFileOptions {
  /** Paths are relative to the folder of the file. */
  readonly document: string;
  readonly refsRoot: string | undefined;
  readonly importedFrom: string | undefined;
  /** Lines of `headers:`, without secrets. */
  readonly headers: readonly string[];
  /** `--base-url https://host/.`: the root of the host, instead of the path of the document's server. */
  readonly isRoot: boolean;
}

/** A path as a file in `domains/` writes it. */
export function fromDomains<Path extends string | undefined>(path: Path): Path {
  return (path === undefined ? undefined : relative('domains', path).replaceAll('\\', '/')) as Path;
}

export function renderDomainFile(domain: Domain, options: DomainFileOptions): string {
  const { document, refsRoot, importedFrom, headers } = options;
  const lines = [
    schemaLine('domain'),
    `# ${oneLine(domain.title)}: which operations models get, with which names and texts. Restart the gateway to apply changes.`,
    `name: ${domain.name}`,
    `openapi: ${JSON.stringify(document)}`,
    ...(importedFrom === undefined
      ? []
      : [
          '# "landbridge import --update" fetches a new version from here and does not change this file.',
          `importedFrom: ${JSON.stringify(importedFrom)}`,
        ]),
    ...(refsRoot === undefined ? [] : [`refsRoot: ${JSON.stringify(refsRoot)}`]),
    ...renderBaseUrl(domain, options.isRoot),
    ...(headers.length === 0 ? [] : ['headers:', ...headers.map((line) => `  ${line}`)]),
    '',
    ...renderCredentials(domain),
    ...loginLines(domain),
    '# Prefix of every tool name, to tell this API from others.',
    'prefix: ""',
    '',
    '# Models work better with a dozen good tools than with every operation.',
    ...renderInclude(domain.endpoints),
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

/**
 * The base URL that all operations share. If they have several on one origin, only the origin, so that each keeps its path. If they
 * have several origins, none, because one base URL would replace all of them: then the document decides.
 */
function renderBaseUrl(domain: Domain, isRoot: boolean): string[] {
  const [origin = '', ...others] = originsOf(domain.endpoints);
  if (others.length > 0)
    return [
      `# baseUrl: replaces every server of the document, which has operations at ${oneLine([origin, ...others].filter(Boolean).join(', '))}.`,
    ];
  const urls = new Set(domain.endpoints.map(({ baseUrl }) => baseUrl));
  const url = urls.size === 1 ? [...urls][0]! : origin;
  const text = url === '' ? 'https://api.example.com' : url + (isRoot ? '/.' : '');
  const line = `baseUrl: { env: ${domain.name.toUpperCase()}_BASE_URL, default: ${JSON.stringify(text)} }`;
  const path = URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, '') : '';
  return path === ''
    ? [line]
    : [
        `# A URL without a path keeps that of the document: ${oneLine(path)}. For no path, end it with /. as in http://127.0.0.1:8080/.`,
        line,
      ];
}

/** The names of two operations, as the list at the end of the file has them. */
function renderInclude(endpoints: readonly Endpoint[]): string[] {
  const names = endpoints.slice(0, 2).map(({ toolName }) => toolName);
  return [`# include: { operations: [${names.join(', ')}] }`, '# include: { paths: ["/pets/**"], methods: [GET] }'];
}

/** Fields of the answer for `pick`, if the document says which there are. */
function renderPick({ outputSchema }: Endpoint): string {
  const names = (outputSchema === undefined ? [] : answerFields(outputSchema)).filter((name) =>
    /^\w{1,40}$/.test(name),
  );
  return names.length === 0
    ? ''
    : `pick: [${names
        .slice(0, 2)
        .map((name) => JSON.stringify(name))
        .join(', ')}], `;
}

function renderExample(endpoints: readonly Endpoint[]): string[] {
  const example = endpoints.find(({ args }) => args.length > 0) ?? endpoints[0];
  if (!example) return [];
  const arg = example.args.find(({ required, readOnly }) => !required && !readOnly)?.key;
  return [
    '# Example (remove the {} above):',
    `#   ${JSON.stringify(`${example.method} ${example.path}`)}:`,
    `#     name: ${example.action}`,
    `#     description: ${JSON.stringify(oneLine(example.summary))}`,
    `#     effect: ${example.effect}`,
    '#     timeoutMs: 10000',
    `#     response: { ${renderPick(example)}maxChars: 8000 }`,
    ...(arg ? [`#     args: { ${JSON.stringify(arg)}: { hide: true } }`] : []),
  ];
}

function renderCredentials({ endpoints }: Domain): string[] {
  const byName = new Map<string, Credential>();
  for (const { security } of endpoints) for (const one of security.flat()) byName.set(`${one.name} ${one.kind}`, one);
  const schemes = [...byName.values()].filter(({ name }) => !isHeaderCredential(name));
  const lines = schemes.flatMap((one) => {
    const variables = secretsIn(one).map(({ variable }) => variable);
    return [`#   ${oneLine(one.name)} (${one.kind}): ${oneLine(variables.join(', '))}`];
  });
  return lines.length > 0 ? ['# Credentials come from the environment:', ...lines, ''] : [];
}

/** For comments: text from a document must not break out of its line. */
function oneLine(text: string): string {
  return shown(text).trim().slice(0, 160);
}

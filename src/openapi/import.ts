// Any OpenAPI document → a Domain. Problems of the whole document throw BAD_DOCUMENT; problems of one operation put that
// operation into quarantine and leave the others alone.
import { basename } from 'node:path';
import type { Domain, Endpoint, Quarantined } from '../endpoint/model.ts';
import { fitName, MAX_DOMAIN_NAME, MAX_TOOL_NAME, toName, toSnakeCase, uniqueNames } from '../endpoint/names.ts';
import { GatewayError } from '../errors.ts';
import { collectDocuments } from './documents.ts';
import { buildEndpoint, type ImportContext, type Naming } from './endpoint.ts';
import { readHeaders } from './headers.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { nodeAt, textAt } from './node.ts';
import { listOperations, type Operation } from './operations.ts';
import type { ImportOptions } from './options.ts';
import { createParameterReader } from './parameters.ts';
import { parseText } from './parse.ts';
import { bad } from './problem.ts';
import { readSource, type SourceText } from './read.ts';
import { createResolver } from './resolve.ts';
import { createResponsePlans } from './responses.ts';
import { createScan, OperationProblem } from './scan.ts';
import { createSchemaBuilder } from './schema.ts';
import { readSecurity } from './security.ts';
import { readServers } from './servers.ts';
import { createShapes } from './shape.ts';
import { cleanLine, cleanText } from './text.ts';
import { createVariants } from './variants.ts';
import { documentExtension, operationExtension } from './x-mcp.ts';

export type { Limits } from './limits.ts';
export type { CredentialSource, ImportOptions, OperationInfo } from './options.ts';

/** Reads a document from a file, an http(s) URL or standard input (`-`). */
export async function importDocument(source: string, options: ImportOptions): Promise<Domain> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const headers = readHeaders(options);
  options.onProgress?.(`reading ${/^https?:/i.test(source) ? new URL(source).host : source}`);
  const text = await readSource(source, options, limits);
  const parsed = parseText(text.text, text.label, limits);
  const documents = await collectDocuments(text, parsed.value, parsed.externalRefs, options, limits);
  const { root } = documents;
  const warnings = [...parsed.warnings, ...documents.warnings];
  const resolver = createResolver(documents);
  const builder = createSchemaBuilder(resolver);
  const variants = createVariants(root, resolver);
  const said = documentExtension(root.value);
  const info = nodeAt(root.value, 'info');
  const domain = domainName(options, said.name, textAt(info, 'title'), text);
  const servers = readServers(root, options);
  const security = readSecurity(root, domain, servers.main.url, headers, options, resolver, warnings);
  const context: ImportContext = {
    domain,
    label: text.label,
    root: root.value,
    resolver,
    readParameters: createParameterReader(resolver),
    builder,
    variants,
    shapeOf: createShapes(resolver, builder, variants),
    scan: createScan(resolver, limits),
    servers,
    security,
    headers,
    limits,
    warnings,
    responsePlan: createResponsePlans(),
  };

  const operations = listOperations(root, resolver, warnings);
  if (operations.length > limits.maxOperations) {
    throw bad(
      text.label,
      `has ${operations.length} operations; at most ${limits.maxOperations} are read, so select some or raise the limit`,
    );
  }
  options.onProgress?.(`importing ${operations.length} operations of ${domain}`);
  const { endpoints, quarantined, pinned } = readOperations(operations, said.prefix, options, context);
  if (operations.length === 0) warnings.push(`${text.label}: the document has no operations.`);
  warnings.push(...serverWarnings(servers.main.problem, endpoints), ...security.missing());
  const description = textAt(info, 'description') ?? textAt(info, 'summary');
  return Object.freeze({
    name: domain,
    title: cleanLine(textAt(info, 'title') ?? '') || domain,
    description: description === undefined ? '' : cleanText(description),
    endpoints,
    quarantined,
    guard: said.guard,
    ...(said.exposure === undefined ? {} : { exposure: said.exposure }),
    pinned: pinnedNames(endpoints, pinned, said.pinned),
    prompts: [],
    resources: [],
    document: { text: text.text, mimeType: /^\s*[{[]/.test(text.text) ? 'application/json' : 'application/yaml' },
    warnings,
    source: text.label,
  });
}

function readOperations(
  operations: readonly Operation[],
  saidPrefix: string | undefined,
  options: ImportOptions,
  context: ImportContext,
): { endpoints: Endpoint[]; quarantined: Quarantined[]; pinned: Set<string> } {
  const prefix = cleanPrefix(options.prefix ?? saidPrefix ?? '');
  const extensions = operations.map(({ pathItem, place }) => operationExtension(pathItem.value, place.value));
  // Names are given out before anything is left out, so a selection never renames what stays.
  const wanted = operations.map((operation, index) => nameOf(operation, extensions[index]!.name));
  const actions = uniqueNames(
    wanted.map(({ name }) => name),
    MAX_TOOL_NAME - prefix.length,
  );
  const endpoints: Endpoint[] = [];
  const quarantined: Quarantined[] = [];
  const pinned = new Set<string>();
  for (const [index, operation] of operations.entries()) {
    const { info, pointer } = operation;
    const extension = extensions[index]!;
    if (extension.hidden || options.select?.(info) === false) continue;
    const action = actions[index]!;
    const naming: Naming = { action, toolName: prefix + action, from: wanted[index]!.from };
    try {
      endpoints.push(buildEndpoint(operation, naming, extension, context));
      if (extension.pinned) pinned.add(naming.toolName);
    } catch (error) {
      if (!(error instanceof OperationProblem)) throw error;
      quarantined.push({
        document: context.label,
        method: info.method,
        path: info.path,
        pointer: error.pointer || pointer,
        reason: error.message,
      });
    }
  }
  return { endpoints, quarantined, pinned };
}

function nameOf({ info }: Operation, said: string | undefined): { name: string; from: string } {
  const candidates: [string | undefined, string][] = [
    [said, 'x-mcp'],
    [info.operationId, 'operationId'],
    [pathName(info.method, info.path), 'method and path'],
  ];
  for (const [text, from] of candidates) {
    // An id without a single Latin letter would leave digits at best.
    const name = text === undefined || !/[a-z]/.test(toSnakeCase(text)) ? '' : toName(text, 'op');
    if (name !== '') return { name, from };
  }
  return { name: 'operation', from: 'nothing in the document' };
}

/** GET /orgs/{org}/members/{user} → get_orgs_org_members_by_user. */
function pathName(method: string, path: string): string {
  const parts = path
    .split(/[?#]/, 1)[0]!
    .split('/')
    .filter((part) => part !== '');
  const words = parts.map((part, index) => {
    const plain = part.replaceAll(/[{}]/g, ' ');
    return part.startsWith('{') && index === parts.length - 1 ? `by ${plain}` : plain;
  });
  return [method.toLowerCase(), ...words].join(' ');
}

function cleanPrefix(given: string): string {
  const prefix = given
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '');
  if (given !== '' && (prefix === '' || prefix.length > 24)) {
    throw new GatewayError(
      'BAD_CONFIG',
      `The tool name prefix ${JSON.stringify(given)} must have 1 to 24 letters, digits or _, a letter first.`,
    );
  }
  return prefix;
}

/** Words that say "this is an API", not which one. */
const NOISE =
  /^(?:an?|apis?|docs?|documentation|official|openapi|rest|restful|spec|specification|the|v?\d+(?:\.\d+)*)$/;

/** `GitHub's official OpenAPI spec` → `github`: brands are not camelCase, and noise words go. */
function titleName(title: string): string {
  const words = toSnakeCase(
    title
      .replace(/['’]s\b/g, '')
      .toLowerCase()
      .replace(/(\d)\.(?=\d)/g, '$1'),
  ).split('_');
  const telling = words.filter((word) => !NOISE.test(word));
  let name = '';
  for (const word of telling) {
    const longer = name === '' ? word : `${name}_${word}`;
    if (longer.length > MAX_DOMAIN_NAME) break;
    name = longer;
  }
  return name === '' ? (telling[0] ?? '') : name;
}

function domainName(
  options: ImportOptions,
  said: string | undefined,
  title: string | undefined,
  source: SourceText,
): string {
  const file =
    source.kind === 'stdin' ? '' : basename(new URL(source.location, 'file:///').pathname).replace(/\.[^.]*$/, '');
  for (const text of [options.name, said, title === undefined ? undefined : titleName(title), file]) {
    const snake = text === undefined ? '' : toSnakeCase(text);
    if (/[a-z]/.test(snake)) return fitName(toName(snake, 'api'), MAX_DOMAIN_NAME);
    if (text !== undefined && text === options.name) {
      throw new GatewayError(
        'BAD_CONFIG',
        `The name ${JSON.stringify(text)} has no letter a to z; choose one that does.`,
      );
    }
  }
  return 'api';
}

/** Pins name a tool, an action or an operationId. */
function pinnedNames(endpoints: readonly Endpoint[], marked: ReadonlySet<string>, listed: readonly string[]): string[] {
  const wanted = new Set(listed);
  return endpoints
    .filter(
      ({ toolName, action, source }) =>
        marked.has(toolName) ||
        wanted.has(toolName) ||
        wanted.has(action) ||
        (source.operationId !== undefined && wanted.has(source.operationId)),
    )
    .map(({ toolName }) => toolName);
}

function serverWarnings(problem: string | undefined, endpoints: readonly Endpoint[]): string[] {
  const without = endpoints.filter((endpoint) => endpoint.baseUrl === '').length;
  if (without === 0) return [];
  return [
    `A base URL is needed for ${without === endpoints.length ? 'every operation' : `${without} operations`}: ${problem ?? 'a server of its own cannot be used'}. Give one with --base-url (or baseUrl).`,
  ];
}

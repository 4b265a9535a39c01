// Imports an OpenAPI document as a Domain. Problems of the whole document throw BAD_DOCUMENT. An operation with a problem is
// quarantined; the others are imported.
import { isWebAddress, originOf } from '../endpoint/address.ts';
import { linesFor } from '../endpoint/headers/header-fields.ts';
import type { Domain, Endpoint, Quarantined } from '../endpoint/model.ts';
import { MAX_TOOL_NAME, qualifiedNamesOf } from '../endpoint/names.ts';
import { toPlainLines, toPlainText } from '../endpoint/plain-text.ts';
import { nodeAt, textAt } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';
import { readProxyRules } from '../network/proxy-rules.ts';
import type { ImportOptions } from './import-options.ts';
import { cleanPrefix, domainName } from './names/domain-name.ts';
import { chooseOperationNames } from './names/operation-names.ts';
import { buildEndpoint, effectOfOperation, type ImportContext } from './objects/operation-object.ts';
import { createParameterGuesses, createParameterReader } from './objects/parameter.ts';
import { type DocumentOperation, listOperations } from './objects/paths.ts';
import { createResponsePlans } from './objects/response.ts';
import { Security } from './objects/security-requirement.ts';
import { readServers } from './objects/server.ts';
import { type DocumentExtension, documentExtension, operationExtension } from './objects/x-mcp.ts';
import { createPaginationDetector } from './pagination.ts';
import { createRequiresFields } from './schema/body-schemas.ts';
import { OneWayProperties } from './schema/one-way-properties.ts';
import { createSchemaBuilder } from './schema/schema-builder.ts';
import { createSchemaCheck } from './schema/schema-check.ts';
import { createSchemaFollow } from './schema/schema-refs.ts';
import { createShapeOf } from './schema/schema-shape.ts';
import { createVariants } from './schema/variants.ts';
import { badDocument } from './source/document-problem.ts';
import { scanDocument } from './source/document-scan.ts';
import { isJsonText } from './source/document-text.ts';
import { collectDocuments, type DocumentSet, resolveUri, uriOf } from './source/documents.ts';
import type { HeaderFields } from './source/fetch.ts';
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from './source/limits.ts';
import { documentHeaders, noteOrigins, type OperatorHeader, readOperatorHeaders } from './source/operator-headers.ts';
import { type ParsedText, parseText } from './source/parse.ts';
import { readDocument, readSource, type SourceText } from './source/read-document.ts';
import { createResolver, OperationProblem } from './source/resolve.ts';
import { findBodyKeys, findKeyParameters } from './undeclared-keys.ts';

export type { ImportOptions } from './import-options.ts';

/**
 * Reads a document from a file, an http(s) URL or standard input (`-`).
 *
 * ```ts
 * const imported = await importDocument('./openapi.yaml', { env: process.env });
 * console.log(imported.endpoints.length);
 * ```
 */
export async function importDocument(source: string, options: ImportOptions): Promise<Domain> {
  const reach = { proxies: readProxyRules(options.env), connection: options.connection };
  const limits: DocumentLimits = { ...DEFAULT_DOCUMENT_LIMITS, reach, ...options.limits };
  const callerHeaders = readOperatorHeaders(options.headers ?? [], options.env, options.headerCredentials);
  options.onProgress?.(`reading ${isWebAddress(source) ? new URL(source).host : source}`);
  const fields = documentHeaders(source, source, options);
  const text = await readDocument(source, options, limits, fields);
  const main = await withOverlays(await parseText(text, text.label, limits), text, options, limits);
  const documents = await collectDocuments(text, main, options, limits);
  return buildDomain({ source, text, headersSent: fields, parsed: main, documents, callerHeaders }, options, limits);
}

/** Everything that is read asynchronously. */
interface ImportInput {
  /** As the caller wrote it. */
  readonly source: string;
  readonly text: SourceText;
  /** The headers sent to fetch the document. */
  readonly headersSent: HeaderFields;
  readonly parsed: ParsedText;
  readonly documents: DocumentSet;
  readonly callerHeaders: readonly OperatorHeader[];
}

function buildDomain(input: ImportInput, options: ImportOptions, limits: DocumentLimits): Domain {
  const { source, text, headersSent, parsed, documents, callerHeaders } = input;
  const { root } = documents;
  const warnings = [...(text.note === undefined ? [] : [text.note]), ...parsed.warnings, ...documents.warnings];
  const resolver = createResolver(documents);
  const variants = createVariants(root, resolver);
  const follow = createSchemaFollow(resolver);
  const oneWay = new OneWayProperties(follow, resolver.oneWay);
  const guesses = createParameterGuesses();
  const extension = documentExtension(root.value, (problem) => warnings.push(`${text.label}: /x-mcp: ${problem}.`));
  const info = nodeAt(root.value, 'info');
  const domain = domainName(options.name, extension.name, textAt(info, 'title'), text);
  const servers = readServers(root, options);
  const ownLines = linesFor(options.headersFor, originOf(servers.main.url));
  const headers = [...callerHeaders, ...readOperatorHeaders(ownLines, options.env)];
  const operations = listOperations(root, resolver, warnings);
  const parameters = findKeyParameters(operations, resolver, options);
  const bodyKeys = findBodyKeys(operations, parameters, resolver, options);
  const mainUrl = servers.main.url;
  const security = new Security({
    root,
    domain,
    mainUrl,
    callerHeaders: headers,
    options,
    resolver,
    warnings,
    parameters: [...parameters, ...bodyKeys.keys],
  });
  const context: ImportContext = {
    domain,
    label: text.label,
    root: root.value,
    resolver,
    readParameters: createParameterReader(resolver, guesses),
    builder: createSchemaBuilder(follow, oneWay),
    variants,
    shapeOf: createShapeOf(resolver, variants, oneWay),
    requiresFields: createRequiresFields(follow, oneWay),
    checkSchemas: createSchemaCheck(resolver, limits),
    servers,
    security,
    bodyKeys: bodyKeys.byOperation,
    headers,
    limits,
    warnings,
    responsePlan: createResponsePlans(),
    detectPagination: createPaginationDetector(resolver),
  };

  if (operations.length > limits.maxOperations) {
    throw badDocument(
      text.label,
      `has ${operations.length} operations; at most ${limits.maxOperations} are read, so select some or raise the limit`,
    );
  }
  options.onProgress?.(`importing ${operations.length} operations of ${domain}`);
  const { endpoints, quarantined, pinned } = readOperations(operations, extension, options, context);
  if (operations.length === 0) warnings.push(`${text.label}: the document has no operations.`);
  warnings.push(...duplicateIds(operations, text.label));
  warnings.push(...guesses.sentences().map((sentence) => `${text.label}: ${sentence}`));
  warnings.push(...serverWarnings(servers.main.problem, endpoints), ...servers.notes(), ...security.missing());
  warnings.push(...noteOrigins(source, servers.main.url, headersSent, options));
  const description = textAt(info, 'description') ?? textAt(info, 'summary');
  return Object.freeze({
    name: domain,
    title: toPlainText(textAt(info, 'title') ?? '') || domain,
    description: description === undefined ? '' : toPlainLines(description),
    endpoints,
    quarantined,
    guard: extension.guard,
    ...(extension.exposure === undefined ? {} : { exposure: extension.exposure }),
    pinned,
    prompts: [],
    resources: [],
    document: documentOf(text),
    warnings,
    source: text.label,
  });
}

/** The text is decoded on demand. */
function documentOf(source: SourceText): NonNullable<Domain['document']> {
  return {
    get text() {
      return source.text;
    },
    mimeType: (source.isJson ?? isJsonText(source.text)) ? 'application/json' : 'application/yaml',
  };
}

async function withOverlays(
  base: ParsedText,
  source: SourceText,
  options: ImportOptions,
  limits: DocumentLimits,
): Promise<ParsedText> {
  if (options.overlays === undefined || options.overlays.length === 0) return base;
  // Loaded on demand: JSONPath is a large package, and most documents have no overlays.
  const { applyOverlay } = await import('./source/overlay.ts');
  let { value } = base;
  const warnings = [...base.warnings];
  for (const [index, overlay] of options.overlays.entries()) {
    try {
      const text = await readSource(overlay, options, limits, documentHeaders(source.location, overlay, options));
      const layer = await parseText(text, text.label, limits);
      const isTarget = (reference: string) => resolveUri(reference, uriOf(text)) === uriOf(source);
      const outcome = applyOverlay(value, layer.value, text.label, isTarget);
      value = outcome.document;
      warnings.push(...layer.warnings, ...outcome.warnings);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw new GatewayError(error.code, error.message, { ...error.details, overlay: index }, error);
    }
  }
  // The result is scanned again, because overlays may add references to other files, and count towards the limits.
  return { value, ...scanDocument(value, source.label, limits, true), warnings };
}

function readOperations(
  operations: readonly DocumentOperation[],
  { prefix: documentPrefix, pinned: pins }: DocumentExtension,
  options: ImportOptions,
  context: ImportContext,
): Pick<Domain, 'endpoints' | 'quarantined' | 'pinned'> {
  const { domain, label, warnings } = context;
  const prefix = cleanPrefix(options.prefix ?? documentPrefix ?? '');
  const drafts = operations.map((operation) => {
    const { info, pathItem, place, pointer } = operation;
    const baseline = effectOfOperation(operation, context);
    const extension = operationExtension(pathItem.value, place.value, baseline, (problem) =>
      warnings.push(`${label}: ${pointer}/x-mcp: ${problem}.`),
    );
    return { operation, baseline, extension, info, extensionName: extension.name };
  });
  // Names are chosen before operations are left out, so that a selection never renames the others.
  const names = chooseOperationNames(drafts, domain, MAX_TOOL_NAME - prefix.length);
  /** Pins are names of tools, actions or operationIds. */
  const pinNames = new Set<string | undefined>(pins);
  const endpoints: Endpoint[] = [];
  const quarantined: Quarantined[] = [];
  const pinned: string[] = [];
  for (const [index, { operation, baseline, extension }] of drafts.entries()) {
    const { info, pointer } = operation;
    const { method, path, operationId, tags } = info;
    const { action, from } = names[index]!;
    const toolName = prefix + action;
    if (extension.hidden) continue;
    const qualifiedNames = qualifiedNamesOf({ domain, tags, action });
    if (options.select?.({ ...info, qualifiedNames, names: [action, toolName] }) === false) continue;
    try {
      endpoints.push(buildEndpoint(operation, { action, toolName, from }, baseline, extension, context));
      if (extension.pinned || [toolName, action, operationId].some((name) => pinNames.has(name))) pinned.push(toolName);
    } catch (error) {
      if (!(error instanceof OperationProblem)) throw error;
      quarantined.push({ document: label, method, path, pointer: error.pointer || pointer, reason: error.message });
    }
  }
  return { endpoints, quarantined, pinned };
}

function duplicateIds(operations: readonly DocumentOperation[], label: string): string[] {
  const ids = new Set<string>();
  const repeats = new Set<string>();
  for (const { info } of operations) {
    if (info.operationId === undefined) continue;
    if (ids.has(info.operationId)) repeats.add(info.operationId);
    ids.add(info.operationId);
  }
  if (repeats.size === 0) return [];
  const examples = [...repeats].slice(0, 5).map((id) => JSON.stringify(id));
  const more = repeats.size > 5 ? ` and ${repeats.size - 5} more` : '';
  return [
    `${label}: several operations share the operationId ${examples.join(', ')}${more}; their tool names are made from what differs between them.`,
  ];
}

function serverWarnings(problem: string | undefined, endpoints: readonly Endpoint[]): string[] {
  const without = endpoints.filter((endpoint) => endpoint.baseUrl === '').length;
  if (without === 0) return [];
  return [
    `A base URL is needed for ${without === endpoints.length ? 'every operation' : `${without} operations`}: ${problem ?? 'the server of an operation cannot be used'}. ${problem?.includes('needs a value') ? 'Set it under serverVariables: in a domain file, or give the whole address' : 'Give one'} with --base-url (or baseUrl).`,
  ];
}

// A checked definition plus an environment becomes a Domain of Endpoints. Everything wrong is collected, so that an
// author sees all mistakes of a file at once.

import {
  buildDeclaredCredentials,
  defaultSecurity,
  missingCredentials,
  nameSecrets,
  readSecurity,
  withProofs,
} from '../../credentials/declarations.ts';
import { originOf } from '../../endpoint/address.ts';
import { readForward } from '../../endpoint/caller/forward-names.ts';
import { effectOf, IDEMPOTENT_METHODS } from '../../endpoint/conventions/effect.ts';
import { freeze } from '../../endpoint/freeze.ts';
import { linesFor, type OriginHeaders, readHeaderLines, readHeaders } from '../../endpoint/headers/header-fields.ts';
import { DEFAULT_ENDPOINT_LIMITS, DEFAULT_RESPONSE, type Domain, type Endpoint } from '../../endpoint/model.ts';
import { formatFieldPath, type Problem } from '../../endpoint/problems.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { type PositionOf, pointTo } from '../files/mistakes.ts';
import { readArguments } from './argument-plan.ts';
import { readClamps } from './argument-values.ts';
import { mergeAudit } from './audit-plan.ts';
import { type BaseUrlOptions, readBaseUrl } from './base-url.ts';
import { argumentsOverwritingHeaders, mergeHeaders, refuseDuplicateHeaders } from './caller-header-rules.ts';
import { buildConnection } from './connection-plan.ts';
import { buildToolName, checkExpose, checkUses, readPinned } from './declared-names.ts';
import { DOCUMENT_KEYS } from './definition-schema.ts';
import type { DomainDefinition, EndpointDefinition } from './definition-types.ts';
import { checkPick } from './pick-paths.ts';
import { methodOf, placeArguments } from './place.ts';
import { buildPromptSpecs, buildResourceSpecs } from './prompts-and-resources.ts';

export interface BuildOptions extends BaseUrlOptions {
  /** Name of the file, for messages. */
  readonly source?: string;
  readonly kind?: 'module' | 'yaml';
  /** Positions of fields in the file. */
  readonly positionOf?: PositionOf;
  /** `Name: value` lines (`--header`), sent with every request and treated as secrets. */
  readonly headers?: readonly string[];
  /** Headers for one origin only; a domain at another origin does not get them. */
  readonly headersFor?: OriginHeaders;
}

/**
 * Thrown for a definition that cannot work; `problems` keep their places for line numbers.
 *
 * ```ts
 * try {
 *   buildDomain({ name: 'not a name', baseUrl: 'https://pets.example', endpoints: {} }, { env: {} });
 * } catch (error) {
 *   console.assert(error instanceof DefinitionError && error.problems.length > 0);
 * }
 * ```
 */
export class DefinitionError extends GatewayError {
  readonly problems: readonly Problem[];
  /** The value that was meant as a definition, if its shape is wrong. */
  readonly value: unknown;

  constructor(source: string, problems: readonly Problem[], value?: unknown) {
    const lines = problems.map(({ path, message }) => {
      const field = formatFieldPath(path);
      return `${source}${field === '' ? '' : ` ${field}`}: ${message}`;
    });
    super('BAD_DOMAIN', lines.join('\n'), { source });
    this.problems = problems;
    this.value = value;
  }
}

/**
 * Turns a definition of hand-written endpoints into a Domain. Pure: the environment is an argument.
 *
 * ```ts
 * const pets = defineDomain({ name: 'pets', baseUrl: 'https://pets.example', endpoints: {} });
 * const petGateway = createGateway({ domains: [buildDomain(pets, { env: process.env })] });
 * await petGateway.close();
 * ```
 */
export function buildDomain(definition: DomainDefinition, options: BuildOptions): Domain {
  const problems: Problem[] = [];
  for (const key of DOCUMENT_KEYS) {
    const message = 'applies only to an imported document, and this file imports none; add openapi, or remove it';
    if (definition[key] !== undefined) problems.push({ path: [key], message });
  }
  if (definition.endpoints === undefined && definition.prompts === undefined && definition.resources === undefined) {
    problems.push({
      path: [],
      message: 'has nothing to serve: it needs endpoints, or openapi with the path of a document',
    });
  }
  const common = readShared(definition, options, problems);
  const { name, title = name, guard = {}, confirm, exposure, limits } = definition;
  const endpoints = Object.entries(definition.endpoints ?? {}).map(([action, endpoint]) =>
    buildEndpoint(action, endpoint, common),
  );
  const domain: Domain = {
    name,
    title,
    // No number of operations here, because callers that may use only some of them also read this text.
    description: definition.description ?? `${title}.`,
    endpoints,
    quarantined: [],
    guard,
    ...omitUndefined({ confirm, exposure, limits }),
    pinned: readPinned(definition, endpoints, problems, ({ action, toolName }) => [action, toolName]),
    prompts: buildPromptSpecs(definition.prompts, (path) => pointTo(common.source, path, options.positionOf), problems),
    resources: buildResourceSpecs(definition.resources, problems),
    warnings: [...missingCredentials(endpoints), ...common.warnings.map((words) => `${common.source}: ${words}`)],
    source: common.source,
  };
  if (problems.length > 0) throw new DefinitionError(common.source, problems);
  return freeze(domain);
}

type Shared = ReturnType<typeof readShared>;

/** What applies to all endpoints of a file. */
function readShared(definition: DomainDefinition, options: BuildOptions, problems: Problem[]) {
  const { env, source = `domain ${definition.name}` } = options;
  const plain = readHeaders(definition.headers ?? {}, env, ['headers'], problems);
  // The origin that credentials of the domain belong to. Without a base URL for the domain, any endpoint may have them.
  const base = readBaseUrl([definition.baseUrl], options);
  const url = base !== undefined && 'url' in base ? base.url : undefined;
  const origin = url === undefined ? undefined : originOf(url);
  const definitions = nameSecrets(definition.credentials, options, problems);
  const credentials = buildDeclaredCredentials(definitions, env, { url, headers: plain.headers }, problems);
  const lines = [...(options.headers ?? []), ...linesFor(options.headersFor, origin)];
  const forward = readForward(definition.forward ?? [], problems);
  refuseDuplicateHeaders(forward, plain, credentials.values(), problems);
  const callerHeaders = [...plain.callerHeaders, ...forward];
  // Secret headers are sent along with every alternative.
  const proofs = [...plain.credentials, ...readHeaderLines(lines, env, problems)];
  const alternatives = definition.security ?? defaultSecurity(credentials, problems);
  const security = readSecurity(alternatives, credentials, ['security'], problems);
  const { headers } = plain;
  const { connection, warnings } = buildConnection(definition, { ...options, url }, problems);
  const common = { definition, options, problems, credentials, headers, callerHeaders, security, proofs };
  return { ...common, origin, source, connection, warnings };
}

function buildEndpoint(action: string, own: EndpointDefinition, common: Shared): Endpoint {
  const { definition, options, problems } = common;
  const at = ['endpoints', action];
  const method = methodOf(own);
  const baseline = effectOf({ method, path: own.path, name: action, summary: own.summary });
  const effect = own.effect ?? baseline.effect;
  const effectReason = own.effect === undefined ? baseline.from : `endpoints.${action}.effect`;
  const prefix = definition.prefix ?? definition.name;
  const toolName = buildToolName(prefix, action, 'shorten it or set prefix', at, problems);
  const plan = readArguments(own, at, problems);
  const wire = placeArguments(own, effect, plan, at, problems);
  checkUses(own, plan, at, problems);
  problems.push(...checkPick(own.response?.pick, own.outputSchema, [...at, 'response']));
  const clamp = readClamps(plan.placements, (key) => plan.properties.get(key), [...at, 'place'], problems);
  problems.push(...checkExpose(own.expose, method, at));
  const headers = readHeaders(own.headers ?? {}, options.env, [...at, 'headers'], problems);
  const baseUrl = chooseBaseUrl(action, own, common);
  const isOtherOrigin = common.origin !== undefined && common.origin !== originOf(baseUrl);
  if (isOtherOrigin && own.security === undefined && common.security.length > 0) {
    problems.push({
      path: at,
      message:
        'has another origin than the domain, so the credentials of the domain are not sent there; name one under security, or write security: [] for none',
    });
  }
  // Headers that identify the caller are sent only to the origin of the domain, like its credentials.
  const outer = { headers: common.headers, callerHeaders: isOtherOrigin ? [] : common.callerHeaders };
  const sentHeaders = mergeHeaders(outer, headers);
  const security =
    own.security === undefined
      ? common.security
      : readSecurity(own.security, common.credentials, [...at, 'security'], problems);
  for (const key of argumentsOverwritingHeaders({ ...wire, ...sentHeaders, security }))
    problems.push({
      path: [...at, 'args', key],
      message: 'would overwrite a header that identifies the caller; remove it',
    });
  return {
    id: `${definition.name}.${action}`,
    domain: definition.name,
    action,
    toolName,
    summary: own.summary,
    ...omitUndefined({
      title: own.title,
      description: own.description,
      guard: own.guard,
      confirm: own.confirm,
      parse: plan.parse,
      clamp,
      outputSchema: own.outputSchema,
      pagination: own.pagination,
      audit: mergeAudit(definition.audit, own.audit),
      connection: common.connection,
    }),
    tags: own.tags ?? [],
    effect,
    effectReason,
    idempotent: own.idempotent ?? IDEMPOTENT_METHODS.has(method),
    deprecated: own.deprecated ?? false,
    method,
    path: own.path,
    baseUrl,
    ...sentHeaders,
    ...wire,
    inputSchema: plan.schema,
    security: withProofs(security, [...(isOtherOrigin ? [] : common.proofs), ...headers.credentials]),
    response: { ...DEFAULT_RESPONSE, ...definition.response, ...own.response },
    limits: {
      timeoutMs: own.timeoutMs ?? definition.timeoutMs ?? DEFAULT_ENDPOINT_LIMITS.timeoutMs,
      maxResponseBytes: own.maxResponseBytes ?? definition.maxResponseBytes ?? DEFAULT_ENDPOINT_LIMITS.maxResponseBytes,
    },
    examples: own.examples ?? [],
    expose: own.expose ?? 'tool',
    source: { kind: options.kind ?? 'module', file: common.source, pointer: `endpoints.${action}` },
    provenance: {
      name: `endpoints.${action}`,
      description: `endpoints.${action}`,
      effect: effectReason,
      ...(own.confirm && { confirm: `${common.source}: endpoints.${action}.confirm` }),
    },
  };
}

function chooseBaseUrl(action: string, own: EndpointDefinition, { definition, options, problems }: Shared): string {
  const base = readBaseUrl([own.baseUrl, definition.baseUrl], options);
  if (base !== undefined && 'url' in base) return base.url;
  const path = own.baseUrl === undefined ? ['baseUrl'] : ['endpoints', action, 'baseUrl'];
  const message = base?.problem ?? 'is missing: give the URL that the paths of the endpoints are appended to';
  // Many endpoints share one base URL: report it once.
  if (!problems.some((problem) => problem.message === message)) problems.push({ path, message });
  return '';
}

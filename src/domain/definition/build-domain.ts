// A checked definition plus an environment becomes a Domain of Endpoints. Everything wrong is collected, so that an
// author sees all mistakes of a file at once.

import { type Environment, embeddedName, resolveBaseUrl } from '../../endpoint/environment.ts';
import { freeze } from '../../endpoint/freeze.ts';
import { type HeadersFor, linesFor, parseHeaderLines, readHeaders } from '../../endpoint/header-fields.ts';
import {
  type Credential,
  DEFAULT_LIMITS,
  DEFAULT_RESPONSE,
  type Domain,
  type Effect,
  type Endpoint,
} from '../../endpoint/model.ts';
import { TOOL_NAME } from '../../endpoint/names.ts';
import { type Problem, place } from '../../endpoint/problems.ts';
import { GatewayError } from '../../errors.ts';
import { readArguments } from './declared-arguments.ts';
import {
  buildCredentials,
  defaultSecurity,
  missingCredentials,
  readSecurity,
  withProofs,
} from './declared-credentials.ts';
import type { DomainDefinition, EndpointDefinition } from './definition-types.ts';
import { buildPrompts, buildResources } from './offers.ts';
import { placeArguments } from './place.ts';
import { checkExpose, checkUses, readPinned } from './uses.ts';

export interface BuildOptions {
  readonly env: Environment;
  /** Name of the file, for messages. */
  readonly source?: string;
  readonly kind?: 'module' | 'yaml';
  /** Replaces the domain's base URL (`--base-url`). */
  readonly baseUrl?: string;
  /** `Name: value` lines (`--header`), sent with every request and treated as secrets. */
  readonly headers?: readonly string[];
  /** Lines that are for one origin: a domain that lives elsewhere goes without. */
  readonly headersFor?: HeadersFor;
  /** URL of an API that runs inside this process, by the name in `embedded:name`. */
  readonly embedded?: (name: string) => string | undefined;
}

const READ = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);
const IDEMPOTENT = new Set([...READ, 'PUT', 'DELETE']);

/** Thrown for a definition that cannot work; `problems` keep their places for line numbers. */
export class DefinitionError extends GatewayError {
  readonly problems: readonly Problem[];
  constructor(source: string, problems: readonly Problem[]) {
    super('BAD_DOMAIN', formatProblems(source, problems), { source });
    this.problems = problems;
  }
}

/** `file: field: what is wrong`, one line each. */
export function formatProblems(
  source: string,
  problems: readonly Problem[],
  line?: (problem: Problem) => number | undefined,
): string {
  const lines = problems.map((problem) => {
    const at = line?.(problem);
    const field = place(problem.path);
    return `${source}${at === undefined ? '' : `:${at}`}: ${field === '' ? '' : `${field} `}${problem.message}`;
  });
  return lines.join('\n');
}

/** Turns a definition of hand-written endpoints into a Domain. Pure: the environment is an argument. */
export function buildDomain(definition: DomainDefinition, options: BuildOptions): Domain {
  const problems: Problem[] = [];
  const { env } = options;
  const source = options.source ?? `domain ${definition.name}`;
  for (const key of ['overlays', 'refsRoot', 'serverVariables', 'include', 'exclude', 'operations'] as const) {
    if (definition[key] !== undefined) {
      problems.push({
        path: [key],
        message: 'is about an imported document, and there is none; add openapi, or remove it',
      });
    }
  }
  if (definition.endpoints === undefined && definition.prompts === undefined && definition.resources === undefined) {
    problems.push({ path: [], message: 'offers nothing: it needs endpoints, or openapi with the path of a document' });
  }
  const credentials = buildCredentials(definition.credentials, env, problems);
  const plain = readHeaders(definition.headers ?? {}, env, ['headers'], problems);
  const origin = homeOrigin(definition, options);
  const lines = [...(options.headers ?? []), ...linesFor(options.headersFor, origin)];
  const extra = readHeaders(parseHeaderLines(lines, problems), env, ['headers'], problems, true);
  const proofs = [...plain.credentials, ...extra.credentials];
  const security = readSecurity(
    definition.security ?? defaultSecurity(credentials, problems),
    credentials,
    ['security'],
    problems,
  );
  const shared = {
    definition,
    options,
    problems,
    credentials,
    headers: plain.headers,
    security,
    proofs,
    origin,
    source,
  };
  const endpoints = Object.entries(definition.endpoints ?? {}).map(([action, given]) =>
    buildEndpoint(action, given, shared),
  );
  const domain: Domain = {
    name: definition.name,
    title: definition.title ?? definition.name,
    description: definition.description ?? `${definition.title ?? definition.name}: ${endpoints.length} operations.`,
    endpoints,
    quarantined: [],
    guard: definition.guard ?? {},
    ...(definition.exposure === undefined ? {} : { exposure: definition.exposure }),
    pinned: readPinned(definition, endpoints, problems),
    prompts: buildPrompts(definition.prompts, problems),
    resources: buildResources(definition.resources, problems),
    warnings: missingCredentials(endpoints),
    source,
  };
  if (problems.length > 0) throw new DefinitionError(source, problems);
  return freeze(domain);
}

interface Shared {
  readonly definition: DomainDefinition;
  readonly options: BuildOptions;
  readonly problems: Problem[];
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly headers: Readonly<Record<string, string>>;
  readonly security: Endpoint['security'];
  /** Secret headers: they go with every alternative. */
  readonly proofs: readonly Credential[];
  readonly origin: string | undefined;
  readonly source: string;
}

function buildEndpoint(action: string, given: EndpointDefinition, shared: Shared): Endpoint {
  const { definition, options, problems } = shared;
  const at = ['endpoints', action];
  const method = (given.method ?? 'GET').toUpperCase();
  const prefix = definition.prefix ?? definition.name;
  const toolName = prefix === '' ? action : `${prefix}_${action}`;
  if (!TOOL_NAME.test(toolName)) {
    problems.push({
      path: at,
      message: `makes the tool name "${toolName}", which is longer than 48; shorten it or set prefix`,
    });
  }
  const plan = readArguments(given, at, problems);
  const wire = placeArguments(given, plan, at, problems);
  checkUses(given, plan, at, problems);
  problems.push(...checkExpose(given.expose, method, at));
  const own = readHeaders(given.headers ?? {}, options.env, [...at, 'headers'], problems);
  const effect: Effect = given.effect ?? (READ.has(method) ? 'read' : method === 'DELETE' ? 'destructive' : 'write');
  const baseUrl = readBaseUrl(action, given, shared);
  const abroad = shared.origin !== undefined && shared.origin !== originOf(baseUrl);
  if (abroad && given.security === undefined && shared.security.length > 0) {
    problems.push({
      path: at,
      message:
        'has another origin than the domain, so no credential goes there by itself; say which with security, or []',
    });
  }
  const security =
    given.security === undefined
      ? shared.security
      : readSecurity(given.security, shared.credentials, [...at, 'security'], problems);
  return {
    id: `${definition.name}.${action}`,
    domain: definition.name,
    action,
    toolName,
    ...(given.title === undefined ? {} : { title: given.title }),
    summary: given.summary,
    ...(given.description === undefined ? {} : { description: given.description }),
    tags: given.tags ?? [],
    effect,
    idempotent: given.idempotent ?? IDEMPOTENT.has(method),
    deprecated: given.deprecated ?? false,
    ...(given.guard === undefined ? {} : { guard: given.guard }),
    method,
    path: given.path,
    baseUrl,
    headers: { ...shared.headers, ...own.headers },
    ...wire,
    inputSchema: plan.schema,
    ...(plan.parse === undefined ? {} : { parse: plan.parse }),
    ...(given.outputSchema === undefined ? {} : { outputSchema: given.outputSchema }),
    security: withProofs(security, [...(abroad ? [] : shared.proofs), ...own.credentials]),
    response: { ...DEFAULT_RESPONSE, ...definition.response, ...given.response },
    ...(given.pagination === undefined ? {} : { pagination: given.pagination }),
    limits: {
      timeoutMs: given.timeoutMs ?? definition.timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
      maxResponseBytes: given.maxResponseBytes ?? definition.maxResponseBytes ?? DEFAULT_LIMITS.maxResponseBytes,
    },
    examples: given.examples ?? [],
    expose: given.expose ?? 'tool',
    source: { kind: options.kind ?? 'module', file: shared.source, pointer: `endpoints.${action}` },
    provenance: {
      name: `endpoints.${action}`,
      description: `endpoints.${action}`,
      effect: given.effect ? `endpoints.${action}.effect` : `method ${method}`,
    },
  };
}

function readBaseUrl(action: string, own: EndpointDefinition, { definition, options, problems }: Shared): string {
  const given = options.baseUrl ?? own.baseUrl ?? definition.baseUrl;
  const path = own.baseUrl === undefined ? ['baseUrl'] : ['endpoints', action, 'baseUrl'];
  const fail = (message: string): string => {
    // one base URL serves many endpoints: say it once
    if (!problems.some((known) => known.message === message)) problems.push({ path, message });
    return '';
  };
  if (given === undefined) return fail('is missing: give the URL below which the paths of the endpoints lie');
  const resolved = resolveBaseUrl(given, options.env);
  if ('problem' in resolved) return fail(resolved.problem);
  const name = embeddedName(resolved.url);
  if (name === undefined) return resolved.url;
  const url = options.embedded?.(name);
  if (url !== undefined) return url.replace(/\/+$/, '');
  const variable = typeof given === 'object' ? `set ${given.env}` : 'give a real URL';
  return fail(`names the embedded API "${name}", which is not running here; ${variable}`);
}

/** Where the domain's credentials belong. Without a base URL of its own, each endpoint is at home. */
function homeOrigin(definition: DomainDefinition, options: BuildOptions): string | undefined {
  const given = options.baseUrl ?? definition.baseUrl;
  const resolved = given === undefined ? undefined : resolveBaseUrl(given, options.env);
  if (resolved === undefined || 'problem' in resolved) return undefined;
  const name = embeddedName(resolved.url);
  return originOf((name === undefined ? resolved.url : options.embedded?.(name)) ?? '');
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

// A checked definition plus an environment becomes a Domain of Endpoints. Everything wrong is collected, so that an
// author sees all mistakes of a file at once.
import { GatewayError } from '../errors.ts';
import { readArguments } from './arguments.ts';
import { buildCredential, unsetVariables } from './credentials.ts';
import type { BaseUrl, DomainDefinition, EndpointDefinition } from './definition.ts';
import { type Environment, embeddedName, expand, resolveBaseUrl } from './environment.ts';
import { freeze } from './freeze.ts';
import { type Credential, DEFAULT_LIMITS, DEFAULT_RESPONSE, type Domain, type Effect, type Endpoint } from './model.ts';
import { buildPrompts, buildResources } from './offers.ts';
import { placeArguments } from './place.ts';
import { type Problem, place } from './problems.ts';
import { hint } from './suggest.ts';

export interface BuildOptions {
  readonly env: Environment;
  /** Name of the file, for messages. */
  readonly source?: string;
  readonly kind?: 'module' | 'yaml';
  /** Replaces the domain's base URL (`--base-url`). */
  readonly baseUrl?: string;
  /** Added to, or replacing, the domain's headers (`--header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** URL of an API that runs inside this process, by the name in `embedded:name`. */
  readonly embedded?: (name: string) => string | undefined;
}

const READ = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);
const IDEMPOTENT = new Set([...READ, 'PUT', 'DELETE']);
const TOOL_NAME = /^[a-z][a-z0-9_]{0,47}$/;

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
  const credentials = new Map(
    Object.entries(definition.credentials ?? {}).map(([name, given]) => [name, buildCredential(name, given, env)]),
  );
  const headers = fillHeaders({ ...definition.headers, ...options.headers }, ['headers'], env, problems);
  const security = readSecurity(
    definition.security ?? defaultSecurity(credentials, problems),
    credentials,
    ['security'],
    problems,
  );
  const shared = { definition, options, problems, credentials, headers, security, source };
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
    warnings: missingCredentials(definition.name, endpoints),
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
  checkUses(given, plan.properties, at, problems);
  checkExamples(given, plan, at, problems);
  const effect: Effect = given.effect ?? (READ.has(method) ? 'read' : method === 'DELETE' ? 'destructive' : 'write');
  const url = given.baseUrl ?? (options.baseUrl !== undefined ? options.baseUrl : definition.baseUrl);
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
    baseUrl: readBaseUrl(url, given.baseUrl === undefined ? ['baseUrl'] : [...at, 'baseUrl'], options, problems),
    headers: { ...shared.headers, ...fillHeaders(given.headers ?? {}, [...at, 'headers'], options.env, problems) },
    ...wire,
    inputSchema: plan.schema,
    ...(plan.parse === undefined ? {} : { parse: plan.parse }),
    ...(given.outputSchema === undefined ? {} : { outputSchema: given.outputSchema }),
    security:
      given.security === undefined
        ? shared.security
        : readSecurity(given.security, shared.credentials, [...at, 'security'], problems),
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

function readBaseUrl(given: BaseUrl | undefined, path: string[], options: BuildOptions, problems: Problem[]): string {
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

function fillHeaders(
  given: Readonly<Record<string, string>>,
  path: string[],
  env: Environment,
  problems: Problem[],
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const { text, missing } = expand(value, env);
    if (missing.length > 0) {
      problems.push({
        path: [...path, name],
        message: `needs the environment variable ${missing.join(' and ')}; set it, or write \${${missing[0]}:-default}`,
      });
    } else if (!/^[\t\x20-\x7e]*$/.test(text)) {
      problems.push({ path: [...path, name], message: 'may hold only printable ASCII' });
    }
    filled[name] = text.trim();
  }
  return filled;
}

function defaultSecurity(credentials: ReadonlyMap<string, Credential>, problems: Problem[]): string[][] {
  if (credentials.size > 1) {
    problems.push({
      path: ['security'],
      message: `is missing: say which of ${[...credentials.keys()].join(', ')} go together, e.g. [[${[...credentials.keys()][0]}]]`,
    });
  }
  return [...credentials.keys()].map((name) => [name]);
}

function readSecurity(
  given: readonly (readonly string[])[],
  credentials: ReadonlyMap<string, Credential>,
  path: (string | number)[],
  problems: Problem[],
): Endpoint['security'] {
  return given.map((set, index) =>
    set.flatMap((name) => {
      const credential = credentials.get(name);
      if (credential === undefined) {
        problems.push({
          path: [...path, index],
          message: `there is no credential "${name}"; ${hint(name, [...credentials.keys()])}`,
        });
      }
      return credential ?? [];
    }),
  );
}

function readPinned(definition: DomainDefinition, endpoints: readonly Endpoint[], problems: Problem[]): string[] {
  const pinned = new Set<string>();
  for (const [index, name] of (definition.pinned ?? []).entries()) {
    const found = endpoints.find((endpoint) => endpoint.action === name || endpoint.toolName === name);
    if (found !== undefined) pinned.add(found.toolName);
    else
      problems.push({
        path: ['pinned', index],
        message: `there is no endpoint "${name}"; ${hint(
          name,
          endpoints.map((endpoint) => endpoint.action),
        )}`,
      });
  }
  for (const endpoint of endpoints) if (definition.endpoints?.[endpoint.action]?.pinned) pinned.add(endpoint.toolName);
  return [...pinned];
}

function checkUses(
  given: EndpointDefinition,
  properties: ReadonlyMap<string, unknown>,
  at: string[],
  problems: Problem[],
): void {
  for (const key of ['arg', 'sizeArg'] as const) {
    const name = given.pagination?.[key];
    if (name !== undefined && !properties.has(name)) {
      problems.push({
        path: [...at, 'pagination', key],
        message: `there is no argument "${name}"; ${hint(name, [...properties.keys()])}`,
      });
    }
  }
}

function checkExamples(
  given: EndpointDefinition,
  plan: ReturnType<typeof readArguments>,
  at: string[],
  problems: Problem[],
): void {
  for (const [index, example] of (given.examples ?? []).entries()) {
    const path = [...at, 'examples', index];
    for (const key of Object.keys(example)) {
      if (!plan.properties.has(key))
        problems.push({ path, message: `there is no argument "${key}"; ${hint(key, [...plan.properties.keys()])}` });
    }
    for (const key of plan.required) {
      if (example[key] === undefined) problems.push({ path, message: `lacks the required argument "${key}"` });
    }
    const parsed = plan.parse?.(example);
    if (parsed?.ok === false) problems.push({ path, message: `is refused: ${parsed.problems.join('; ')}` });
  }
}

function missingCredentials(domain: string, endpoints: readonly Endpoint[]): string[] {
  const waiting = new Set<string>();
  for (const { security } of endpoints) {
    const unset = security.map((set) => set.flatMap(unsetVariables));
    if (unset.length > 0 && unset.every((names) => names.length > 0)) for (const name of unset[0]!) waiting.add(name);
  }
  return [...waiting].map(
    (name) => `${domain}: the environment variable ${name} is not set; calls that need it will be refused.`,
  );
}

// createGateway(): wires every layer once. What comes out is fixed: restart to change it.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { createAdapter } from './adapter/adapter.ts';
import type { Call, Middleware } from './call/handler.ts';
import { buildRegistry, type Exposure, type Registry, type ToolEntry } from './catalog/registry.ts';
import { buildPrompts, type PromptEntry } from './catalog/resources-and-prompts/prompts.ts';
import {
  buildResources,
  findResource,
  type ReadOutcome,
  type ResourceEntry,
  type ResourceTable,
  type TemplateEntry,
} from './catalog/resources-and-prompts/resources.ts';
import { type Selection, selectEndpoints } from './catalog/select-endpoints.ts';
import type { Domain, GuardPolicy } from './endpoint/model.ts';
import { collectSecrets, createRedactor, type Redactor } from './endpoint/secrets.ts';
import { closest } from './endpoint/suggest.ts';
import { GatewayError } from './errors.ts';
import { createExecutor, type Executor } from './executor/executor.ts';
import { createAudit, createSilentLog, type Logger } from './log.ts';
import { type Confirmations, createConfirmations, type SpentStore } from './orchestration/confirmations.ts';
import { compileOperation } from './orchestration/operation.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';
import { META } from './protocol/eras.ts';
import { createProtocol, type Protocol } from './protocol/handle.ts';
import type { Reply, RequestContext } from './protocol/request-context.ts';
import { createResultWriter } from './protocol/wire/results.ts';

/** Entries that are not REST endpoints, registered in code. */
export interface NativeEntries {
  readonly tools?: readonly ToolEntry[];
  readonly resources?: readonly ResourceEntry[];
  readonly templates?: readonly TemplateEntry[];
  readonly prompts?: readonly PromptEntry[];
  /** Some handler uses `call.log`: offer logging to legacy clients. */
  readonly logging?: boolean;
  /** Offer resources/subscribe to legacy clients. */
  readonly subscribe?: boolean;
}

/** Which endpoints a profile serves, and how. */
export interface Profile extends Selection {
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly readOnly?: boolean | undefined;
  readonly guard?: GuardPolicy | undefined;
}

export interface GatewayOptions {
  readonly domains: readonly Domain[];
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly tokenBudget?: number | undefined;
  readonly policy?: DeploymentPolicy | undefined;
  /** Around every REST call, outermost first; after validation and guard. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly native?: NativeEntries | undefined;
  /** Named subsets, each served at /mcp/<name> with its own exposure and guard. */
  readonly profiles?: Readonly<Record<string, Profile>> | undefined;
  readonly log?: Logger | undefined;
  /** Replaces the connection pools; asked at every call. */
  readonly dispatcher?: ((origin: string) => Dispatcher) | undefined;
  /** At least 32 bytes; replicas share one so that each accepts the others' confirmations. */
  readonly secret?: Buffer | undefined;
  readonly confirmationTtlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  /** Takes secrets out of whatever goes out; shared with the log. */
  readonly redact?: Redactor | undefined;
  readonly pageSize?: number | undefined;
  readonly elicitTimeoutMs?: number | undefined;
}

/** One set of tools, resources and prompts, with the protocol that serves it. */
export interface Face {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly protocol: Protocol;
}

/** The default face, and the others by name. */
export interface Gateway extends Face {
  readonly name: string;
  readonly version: string;
  readonly domains: readonly Domain[];
  /** Served at /mcp/<name>. */
  readonly profiles: ReadonlyMap<string, Face>;
  /** '' is the default face. */
  faceOf(profile: string): Face | undefined;
  /** One message in, one answer out, without any transport. */
  handle(text: string, context?: Partial<RequestContext>): Promise<Reply | undefined>;
  /** Ends what clients would hold open for ever: subscriptions. Calls under way go on. */
  drain(): void;
  close(): Promise<void>;
}

const { name: NAME, version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

/** Tools are fixed until a restart; five minutes bounds how long a client may miss one. */
const CACHING = { ttlMs: 300_000, cacheScope: 'public' } as const;

export function createGateway(options: GatewayOptions): Gateway {
  const log = options.log ?? createSilentLog();
  const secret = options.secret ?? randomBytes(32);
  const redact = options.redact ?? createRedactor(collectSecrets(options.domains));
  const executor = createExecutor({
    userAgent: `${NAME}/${VERSION}`,
    onSecret: (value) => redact.addSecret(value),
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });
  const confirmations = createConfirmations({
    key: secret,
    ttlSeconds: options.confirmationTtlSeconds,
    spent: options.spent,
  });
  const shared = { options, log, secret, redact, executor, confirmations };
  const policy = options.policy ?? { readOnly: false };
  const face = createFace(shared, options.domains, options.native ?? {}, options.exposure ?? 'auto', policy);
  const profiles = new Map<string, Face>();
  for (const [name, profile] of Object.entries(options.profiles ?? {})) {
    refuseUnknownDomains(name, profile, options.domains);
    const exposure = profile.exposure ?? options.exposure ?? 'auto';
    const stricter = {
      readOnly: policy.readOnly || (profile.readOnly ?? false),
      destructive: strictest(policy.destructive, profile.guard),
    };
    const selected = selectEndpoints(options.domains, profile);
    // What a profile says about exposure is nearer than what its domains say.
    const domains = profile.exposure === undefined ? selected : selected.map(withoutExposure);
    profiles.set(name, createFace(shared, domains, {}, exposure, stricter));
  }
  const faceOf = (profile: string) => (profile === '' ? face : profiles.get(profile));

  const drain = () => {
    for (const { protocol } of [face, ...profiles.values()]) protocol.close();
  };

  return {
    ...face,
    name: NAME,
    version: VERSION,
    domains: options.domains,
    profiles,
    faceOf,
    handle: async (text, context) =>
      face.protocol.handle(text, {
        transport: 'local',
        principal: { id: 'local' },
        signal: new AbortController().signal,
        ...context,
      }),
    drain,
    close: async () => {
      drain();
      // Whoever served these has closed by now: nobody waits for their answers.
      for (const { protocol } of [face, ...profiles.values()]) protocol.abort();
      await executor.close();
    },
  };
}

/** A profile may be stricter than the deployment, never laxer. */
function strictest(deployment: GuardPolicy | undefined, profile: GuardPolicy | undefined): GuardPolicy | undefined {
  if (deployment === undefined || profile === undefined) return profile ?? deployment;
  const order: readonly GuardPolicy[] = ['allow', 'confirm', 'deny'];
  return order.indexOf(profile) > order.indexOf(deployment) ? profile : deployment;
}

/** A profile for a domain that is not there would quietly serve nothing. */
function refuseUnknownDomains(profile: string, { domains: wanted = [] }: Profile, domains: readonly Domain[]): void {
  const known = domains.map(({ name }) => name);
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = closest(unknown, known);
  const hint = near ? ` Did you mean ${near}?` : '';
  throw new GatewayError(
    'BAD_CONFIG',
    `The profile ${profile} names the domain "${unknown}", which is not loaded.${hint} Loaded: ${known.join(', ')}.`,
  );
}

/** A domain that leaves its exposure to whoever serves it. */
export function withoutExposure({ exposure: _, ...domain }: Domain): Domain {
  return domain;
}

interface Shared {
  readonly options: GatewayOptions;
  readonly log: Logger;
  readonly secret: Buffer;
  readonly redact: Redactor;
  readonly executor: Executor;
  readonly confirmations: Confirmations;
}

function createFace(
  { options, log, secret, redact, executor, confirmations }: Shared,
  domains: readonly Domain[],
  native: NativeEntries,
  exposure: Exposure | 'auto',
  policy: DeploymentPolicy,
): Face {
  const parts = { executor, confirmations, policy, middleware: options.middleware ?? [] };
  const operations = domains.flatMap((domain) =>
    domain.endpoints.map((endpoint) => compileOperation(endpoint, domain, parts)),
  );
  const registry = buildRegistry({
    domains,
    operations,
    ...(native.tools && { native: native.tools }),
    exposure,
    tokenBudget: options.tokenBudget ?? 10_000,
    serverName: NAME,
  });
  const resources = buildResources(domains, operations, native);
  const prompts = buildPrompts(domains, (call, uri) => readFrom(resources, call, uri), native.prompts);
  const adapter = createAdapter(
    {
      find: (name) => registry.tools.get(name)?.run,
      missing: (name) => unknownTool(name, registry),
    },
    createAudit(log),
  );
  const info = { name: NAME, version: VERSION, title: 'Landbridge' };
  const protocol = createProtocol({
    info,
    registry,
    resources,
    prompts,
    adapter,
    writer: createResultWriter({ [META.serverInfo]: info }, redact),
    caching: CACHING,
    pageSize: options.pageSize ?? 1_000,
    logging: native.logging ?? false,
    subscribe: native.subscribe ?? false,
    sessionKey: secret,
    elicitTimeoutMs: options.elicitTimeoutMs,
    onInternalError: (error) => log.error({ err: error }, 'internal error'),
  });
  return { registry, resources, prompts, protocol };
}

/** For prompts that embed a resource. */
function readFrom(resources: ResourceTable, call: Call, uri: string): Promise<ReadOutcome> {
  const read = findResource(resources, uri);
  if (read) return read(call);
  throw new GatewayError('RESOURCE_NOT_FOUND', `The prompt embeds ${uri}, and there is no such resource.`, { uri });
}

function unknownTool(name: string, registry: Registry): GatewayError {
  if (registry.tools.has('call_operation') && [...registry.names.values()].includes(name)) {
    const how = `Unknown tool: ${name}. It is an operation: call it with call_operation {"operation": "${name}", "arguments": {…}}.`;
    return new GatewayError('UNKNOWN_TOOL', how, { failure_mode: 'unknown_tool', tool: name });
  }
  const near = closest(name, registry.tools.keys());
  return new GatewayError(
    'UNKNOWN_TOOL',
    `Unknown tool: ${name.slice(0, 100)}.${near ? ` Did you mean ${near}?` : ''} tools/list shows what there is.`,
    {
      failure_mode: 'unknown_tool',
      tool: name.slice(0, 100),
    },
  );
}

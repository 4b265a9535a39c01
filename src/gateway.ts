// createGateway(): wires every layer once. What comes out is fixed: restart to change it.
import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { createAdapter } from './adapter/adapter.ts';
import { TurnedAwayCalls } from './adapter/turned-away.ts';
import type { AssertionSigner } from './call/assertion-signer.ts';
import type { Evidence } from './call/evidence.ts';
import type { ExecutionContext } from './call/execution-context.ts';
import type { Middleware } from './call/handler.ts';
import { createFindHidden, type Wider } from './catalog/called/hidden-call.ts';
import { createStepUp } from './catalog/called/step-up.ts';
import type { Strategies } from './catalog/grouped/strategies.ts';
import { buildRegistry, type Exposure, type Registry, type ToolEntry } from './catalog/registry.ts';
import {
  buildPrompts,
  listLostResources,
  type PromptEntry,
  type PromptTable,
} from './catalog/resources-and-prompts/prompts.ts';
import {
  buildResources,
  findResource,
  type ReadOutcome,
  type ResourceEntry,
  type ResourceTable,
  type TemplateEntry,
} from './catalog/resources-and-prompts/resources.ts';
import { selectPrompts } from './catalog/resources-and-prompts/select-prompts.ts';
import { checkSelection, type Selection, selectEndpoints, selectNative } from './catalog/select-endpoints.ts';
import { createUnknownTool } from './catalog/unknown-tool.ts';
import type { ConfirmWay, Domain, Effect, Endpoint, GuardPolicy } from './endpoint/model.ts';
import { createRedactor, type Redactor } from './endpoint/redaction/redact.ts';
import { collectSecrets } from './endpoint/secrets.ts';
import { GatewayError } from './errors.ts';
import { createExecutor, type Executor } from './executor/executor.ts';
import type { RawResponse } from './executor/send.ts';
import { createLimits, type LimitOptions, type Limits } from './limits/create-limits.ts';
import type { SharedRates } from './limits/rate.ts';
import { createAudit, createSilentLog, type Logger } from './log.ts';
import type { ProxyRules } from './network/proxy-rules.ts';
import { createConfirmations, createSpentStore, type SpentStore } from './orchestration/confirmations.ts';
import { compileOperation, type Operation } from './orchestration/operation.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';
import { createRedaction, type Redaction } from './orchestration/redaction.ts';
import { createSigner, type Signer } from './orchestration/signer.ts';
import { PRODUCT } from './product.ts';
import { toProfileError } from './profiles.ts';
import { META } from './protocol/eras.ts';
import { createProtocol, type Protocol } from './protocol/handle.ts';
import type { Reply, Sender } from './protocol/sender.ts';
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
  readonly confirm?: ConfirmWay | undefined;
}

export interface GatewayOptions<Data = unknown> {
  readonly domains: readonly Domain[];
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly tokenBudget?: number | undefined;
  readonly policy?: DeploymentPolicy | undefined;
  /** Around every REST call, outermost first; after validation and guard. */
  readonly middleware?: readonly Middleware<Data>[] | undefined;
  readonly native?: NativeEntries | undefined;
  /** Replaces how grouped tools are written, function by function. */
  readonly strategies?: Partial<Strategies> | undefined;
  /** Named subsets, each served at /mcp/<name> with its own exposure and guard. */
  readonly profiles?: Readonly<Record<string, Profile>> | undefined;
  readonly log?: Logger | undefined;
  /** Where every call is written down (openAuditTrail()); whoever opened it closes it, after the gateway. */
  readonly audit?: Evidence | undefined;
  /** What the environment says of proxies; without it, only what domains say. */
  readonly proxies?: ProxyRules | undefined;
  /** Replaces the connection pools; asked at every call. */
  readonly dispatcher?: ((origin: string) => Dispatcher) | undefined;
  /** Sees every answer of an API as it came; a text it returns is passed on in place of a successful one. */
  readonly onAnswer?: ((answer: RawResponse) => string | undefined) | undefined;
  /** At least 32 bytes; replicas share one, and a store of used confirmations (`spent`), so that each accepts the others'. */
  readonly secret?: Buffer | undefined;
  readonly confirmationTtlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  /** How much callers may call and APIs are called; what is left out has generous defaults. */
  readonly limits?: LimitOptions | undefined;
  /** Buckets that replicas share. Default: this process counts alone. */
  readonly sharedRates?: SharedRates | undefined;
  /** Takes secrets out of whatever goes out; shared with the log. */
  readonly redact?: Redactor | undefined;
  readonly pageSize?: number | undefined;
  /** Callers are told apart: what they are told is marked as not to be kept for others. */
  readonly isPrivate?: boolean | undefined;
  readonly elicitTimeoutMs?: number | undefined;
  /** Signs what domains want to be told of callers (`kind: assertion`). */
  readonly assertions?: AssertionSigner | undefined;
}

/** One set of tools, resources and prompts, with the protocol that serves it. */
export interface Service {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
  readonly protocol: Protocol;
  /** With the endpoints that are served, and no others. */
  readonly domains: readonly Domain[];
  readonly policy: DeploymentPolicy;
  /** One message in (JSON text, or parsed already), one answer out, without any transport. */
  handle(message: unknown, sender?: Partial<Sender>): Promise<Reply | undefined>;
}

/** What is served by default, and the profiles by name. */
export interface Gateway<Data = unknown> extends Service {
  readonly name: string;
  readonly version: string;
  /** What is published at /.well-known/jwks.json: the public keys of what the gateway signs. */
  readonly jwks?: string | undefined;
  readonly limits: Limits;
  /** Served at /mcp/<name>. */
  readonly profiles: ReadonlyMap<string, Service>;
  /** '' is what is served by default. With `effects`: the part of it that has one of them, as a caller who may do no more sees it. */
  serviceOf(profile: string, effects?: readonly Effect[]): Service | undefined;
  handle(message: unknown, sender?: Partial<Sender<Data>>): Promise<Reply | undefined>;
  /** Ends what clients would hold open for ever: subscriptions. Calls under way go on. */
  drain(): void;
  close(): Promise<void>;
}

const { name: NAME, version: VERSION } = PRODUCT;

/** Tools are fixed until a restart; five minutes bounds how long a client may miss one. */
const CACHING_MS = 300_000;
const EFFECTS: readonly Effect[] = ['read', 'write', 'destructive'];

export function createGateway<Data = unknown>(options: GatewayOptions<Data>): Gateway<Data> {
  const log = options.log ?? createSilentLog();
  const redact = options.redact ?? createRedactor(collectSecrets(options.domains));
  const limits = createLimits({
    options: options.limits ?? {},
    domains: options.domains,
    shared: options.sharedRates,
    onOverload: (isShedding, sample) => {
      if (isShedding) log.warn(sample, 'overloaded: new calls are sent away');
      else log.info(sample, 'no longer overloaded');
    },
  });
  const executor = createExecutor({
    userAgent: `${NAME}/${VERSION}`,
    redact,
    slotsOf: limits.slotsOf,
    ...(options.proxies && { proxies: options.proxies }),
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
    ...(options.onAnswer && { onAnswer: options.onAnswer }),
    ...(options.assertions && { signer: options.assertions }),
  });
  const shared: Shared = {
    options: options as GatewayOptions,
    log,
    executor,
    limits,
    redaction: createRedaction(redact),
    signer: createSigner(options.secret),
    spent: options.spent ?? createSpentStore(),
    turnedAway: new TurnedAwayCalls(({ principal, count, sinceMs }) => {
      log.warn({ principal, calls: count, seconds: Math.ceil((Date.now() - sinceMs) / 1_000) }, 'calls beyond limits');
      options.audit?.countRefused(principal, count, sinceMs);
    }),
  };
  const policy = options.policy ?? { readOnly: false };
  const serving: Serving = {
    profile: '',
    domains: options.domains,
    native: options.native ?? {},
    exposure: options.exposure ?? 'auto',
    policy,
    compiled: new Map(),
  };
  const service = createService(shared, serving);
  const lost = listLostResources(options.domains, service.resources);
  if (lost.length > 0) throw new GatewayError('BAD_DOMAIN', lost.join('\n'));
  refuseWrongProfiles(options as GatewayOptions);
  const servings = new Map([['', serving]]);
  const profiles = new Map<string, Service>();
  for (const [name, profile] of Object.entries(options.profiles ?? {})) {
    servings.set(name, toProfileServing(name, profile, options as GatewayOptions, policy));
    profiles.set(name, createService(shared, servings.get(name)!, service));
  }
  const wholeService = (profile: string) => (profile === '' ? service : profiles.get(profile));
  /** What callers of fewer effects see, by profile and effects; made when it is first asked for. */
  const parts = new Map<string, Service>();
  const partOf = (profile: string, effects: readonly Effect[]): Service | undefined => {
    const whole = servings.get(profile);
    if (whole === undefined) return undefined;
    const key = `${profile} ${EFFECTS.filter((effect) => effects.includes(effect)).join()}`;
    let part = parts.get(key);
    if (part === undefined) {
      part = createService(shared, toPartServing(whole, effects), service, wholeService(profile));
      parts.set(key, part);
    }
    return part;
  };
  const services = () => [service, ...profiles.values(), ...parts.values()];

  const drain = () => {
    for (const { protocol } of services()) protocol.close();
  };

  return {
    ...service,
    name: NAME,
    version: VERSION,
    jwks: options.assertions?.jwks,
    limits,
    profiles,
    serviceOf(profile, effects) {
      if (effects !== undefined && !EFFECTS.every((effect) => effects.includes(effect)))
        return partOf(profile, effects);
      return wholeService(profile);
    },
    drain,
    close: async () => {
      drain();
      // Whoever served these has closed by now: nobody waits for their answers.
      for (const { protocol } of services()) protocol.abort();
      limits.overload.stop();
      shared.turnedAway.flush();
      await executor.close();
    },
  };
}

function refuseWrongProfiles({ profiles = {}, domains, native = {} }: GatewayOptions): void {
  const problems = Object.entries(profiles).flatMap(([name, profile]) =>
    checkSelection(profile, { domains, native }).map(({ path, message }) => ({ path: [name, ...path], message })),
  );
  if (problems.length > 0) throw toProfileError(profiles, problems);
}

/** Who calls without a transport: this very process, which does not hang up. */
const LOCAL_SENDER: Sender = Object.freeze({
  transport: 'local',
  principal: Object.freeze({ id: 'local' }),
  signal: new AbortController().signal,
});
// Every call under way may listen to it; Node would take them for a leak.
setMaxListeners(0, LOCAL_SENDER.signal);

/** What one service serves. */
interface Serving {
  /** '' is the default. Confirmations and sessions of one profile are worth nothing in another. */
  readonly profile: string;
  readonly domains: readonly Domain[];
  readonly native: NativeEntries;
  readonly exposure: Exposure | 'auto';
  readonly policy: DeploymentPolicy;
  /** Operations of this profile: whoever serves a part of it shares them. */
  readonly compiled: Map<Endpoint, Operation>;
  /** Not everybody sees the same: nobody on the way may keep a list for others. */
  readonly isPrivate?: boolean;
  /** What its callers may do, where that is not all. */
  readonly effects?: readonly Effect[];
}

/** What is left of a profile for a caller whose calls may only do this. */
function toPartServing(serving: Serving, effects: readonly Effect[]): Serving {
  return {
    ...serving,
    domains: selectEndpoints(serving.domains, { effects }).map(withoutDocument),
    native: selectNative(serving.native, { native: true, effects }),
    isPrivate: true,
    effects,
  };
}

/** The document tells also of what was left out when it was imported. One is made of the endpoints instead. */
function withoutDocument({ document: _, ...domain }: Domain): Domain {
  return Object.freeze(domain);
}

/** A profile may be stricter than the deployment, never laxer. */
function toProfileServing(name: string, profile: Profile, options: GatewayOptions, policy: DeploymentPolicy): Serving {
  const selected = selectEndpoints(options.domains, profile);
  return {
    profile: name,
    // What a profile says about exposure is nearer than what its domains say.
    domains: profile.exposure === undefined ? selected : selected.map(withoutExposure),
    native: selectNative(options.native ?? {}, profile),
    exposure: profile.exposure ?? options.exposure ?? 'auto',
    compiled: new Map(),
    policy: {
      ...policy,
      readOnly: policy.readOnly || (profile.readOnly ?? false),
      atLeast: profile.guard,
      confirmAtLeast: profile.confirm,
    },
  };
}

/** A domain that leaves its exposure to whoever serves it. */
export function withoutExposure({ exposure: _, ...domain }: Domain): Domain {
  return domain;
}

interface Shared {
  readonly options: GatewayOptions;
  readonly log: Logger;
  readonly executor: Executor;
  readonly limits: Limits;
  readonly redaction: Redaction;
  readonly signer: Signer;
  readonly spent: SpentStore;
  readonly turnedAway: TurnedAwayCalls;
}

/** `all`: everything there is, where this serves a part of it. `whole`: everything in its profile, where its callers get less. */
function createService(shared: Shared, serving: Serving, all?: Service, whole?: Service): Service {
  const { profile, domains, native, exposure, policy, isPrivate = false } = serving;
  const { options, log, executor, limits, redaction, spent } = shared;
  const signer = shared.signer.scoped(profile);
  const confirmations = createConfirmations({ signer, spent, ttlSeconds: options.confirmationTtlSeconds });
  const parts = { executor, confirmations, policy, redaction, middleware: options.middleware ?? [] };
  const operations = domains.flatMap((domain) =>
    domain.endpoints.map((endpoint) => {
      const operation = serving.compiled.get(endpoint) ?? compileOperation(endpoint, domain, parts);
      serving.compiled.set(endpoint, operation);
      return operation;
    }),
  );
  const registry = buildRegistry({
    domains,
    operations,
    ...(native.tools && { native: native.tools.map((entry) => entry.govern?.({ policy, confirmations }) ?? entry) }),
    exposure,
    tokenBudget: options.tokenBudget ?? 10_000,
    strategies: options.strategies,
  });
  const resources = buildResources(domains, registry, native);
  const prompts = buildPrompts(
    all === undefined ? domains : selectPrompts(domains, { registry, resources }, all),
    (context, uri) => readFrom(resources, context, uri),
    native.prompts,
  );
  const adapter = createAdapter({
    tools: {
      find: (name) => registry.tools.get(name)?.run,
      missing: createUnknownTool(registry),
    },
    // Whoever may only read here gains nothing by another token.
    ...(whole && !policy.readOnly && { refuse: createStepUp(registry, whole.registry) }),
    ...(all && { findHidden: createFindHidden({ registry, resources, prompts }, listWider(serving, all, whole)) }),
    redaction,
    audit: createAudit(log),
    evidence: options.audit,
    onHandlerError: (error) => log.error({ err: error }, 'a handler failed'),
    limits,
    turnedAway: shared.turnedAway,
  });
  const info = { name: NAME, version: VERSION, title: 'Landbridge' };
  const protocol = createProtocol({
    info,
    registry,
    resources,
    prompts,
    adapter,
    redaction,
    writer: createResultWriter({ [META.serverInfo]: info }),
    caching: { ttlMs: CACHING_MS, cacheScope: isPrivate || options.isPrivate ? 'private' : 'public' },
    pageSize: options.pageSize ?? 1_000,
    logging: native.logging ?? false,
    subscribe: native.subscribe ?? false,
    signer,
    profile,
    forward: listForwarded(domains),
    elicitTimeoutMs: options.elicitTimeoutMs,
    onIntroduction: (introduction) => log.info(introduction, 'client'),
    onInternalError: (error) => log.error({ err: error }, 'internal error'),
  });
  return {
    registry,
    resources,
    prompts,
    protocol,
    domains,
    policy,
    handle: async (message, sender) => protocol.handle(message, { ...LOCAL_SENDER, ...sender }),
  };
}

/** Where else something may be that a caller of this does not see. */
function listWider({ profile, effects = [] }: Serving, all: Service, whole: Service | undefined): Wider[] {
  const allowed = effects.length === 0 ? 'nothing' : effects.join(' and ');
  return [
    ...(whole ? [{ offer: whole, because: `the effects of this caller: ${allowed}` }] : []),
    ...(profile === '' ? [] : [{ offer: all, because: `the profile ${profile} does not have it` }]),
  ];
}

/** Headers of a request that some domain passes on to its API. */
function listForwarded(domains: readonly Domain[]): readonly string[] {
  const names = new Set<string>();
  for (const { endpoints } of domains)
    for (const { callerHeaders = [] } of endpoints)
      for (const { from, name } of callerHeaders) if (from === 'request') names.add(name);
  return [...names];
}

/** For prompts that embed a resource. */
function readFrom(resources: ResourceTable, context: ExecutionContext, uri: string): Promise<ReadOutcome> {
  const read = findResource(resources, uri);
  if (read) return read(context);
  throw new GatewayError('RESOURCE_NOT_FOUND', `The prompt embeds ${uri}, and there is no such resource.`, { uri });
}

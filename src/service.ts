// One service, wired from its layers: registry, resources, prompts, adapter and protocol.
import { setMaxListeners } from 'node:events';
import type { ActiveCalls } from './adapter/active-calls.ts';
import { createAdapter } from './adapter/adapter.ts';
import type { ExcessCalls } from './adapter/excess-calls.ts';
import type { ExecutionContext } from './call/execution-context.ts';
import {
  createFindHidden,
  createStepUp,
  createUnknownToolError,
  type WiderCatalog,
} from './catalog/operation-lookup.ts';
import { buildRegistry, type Registry } from './catalog/registry.ts';
import { buildPromptTable, type PromptTable, selectPrompts } from './catalog/resources-and-prompts/prompts.ts';
import {
  buildResourceTable,
  findResource,
  type ReadOutcome,
  type ResourceTable,
} from './catalog/resources-and-prompts/resources.ts';
import { SETTING_TABLE } from './config/setting-table.ts';
import type { Domain } from './endpoint/model.ts';
import { GatewayError } from './errors.ts';
import type { Executor } from './executor/executor.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { Limits } from './limits/create-limits.ts';
import { createAudit, type Logger } from './log.ts';
import { createConfirmations, type SpentStore } from './orchestration/confirmations.ts';
import { compileOperation } from './orchestration/operation.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';
import type { Redaction } from './orchestration/redaction.ts';
import type { Signer } from './orchestration/signer.ts';
import { PRODUCT } from './product.ts';
import { META } from './protocol/eras.ts';
import { McpProtocol, type Protocol } from './protocol/mcp-protocol.ts';
import type { SessionRelay } from './protocol/questions/session-relay.ts';
import type { Reply, Sender } from './protocol/sender.ts';
import { createResultWriter } from './protocol/wire/results.ts';
import type { ServicePlan } from './service-plan.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Tools are fixed until a restart; five minutes bounds how long a client may miss one. */
const CACHING_MS = 300_000;
const { name: NAME, version: VERSION } = PRODUCT;

/** One set of tools, resources and prompts, with the protocol that serves it. */
export interface Service {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
  readonly protocol: Protocol;
  /** With the endpoints that this service has, and no others. */
  readonly domains: readonly Domain[];
  readonly policy: DeploymentPolicy;
  /** Takes one message (JSON text, or parsed already) and returns its answer, without any transport. */
  handle(message: unknown, sender?: Partial<Sender>): Promise<Reply | undefined>;
}

/** The sender of calls from this process. It has no transport and never disconnects. */
const LOCAL_SENDER: Sender = Object.freeze({
  transport: 'local',
  principal: Object.freeze({ id: 'local' }),
  signal: new AbortController().signal,
});
// Every call in progress may listen to this signal; Node would otherwise warn of a leak.
setMaxListeners(0, LOCAL_SENDER.signal);

/** The parts that all services of a gateway share. */
export interface ServiceDependencies {
  readonly options: GatewayOptions;
  readonly log: Logger;
  readonly executor: Executor;
  readonly limits: Limits;
  readonly redaction: Redaction;
  readonly signer: Signer;
  readonly spent: SpentStore;
  readonly excessCalls: ExcessCalls;
  /** Present if other processes serve the same clients. */
  readonly mailbox: SessionRelay | undefined;
  readonly activeCalls: ActiveCalls;
  /** Undefined: requests are not traced. */
  readonly tracing: Tracing | undefined;
  /** Logs a client that introduced itself. */
  readonly introduce: (introduction: object) => void;
}

/** The services that have more than this one. */
export interface WiderServices {
  /** For a profile or a restricted service: everything the gateway has. */
  readonly defaultService?: Service;
  /** For a restricted service: the same profile without the restriction. */
  readonly fullService?: Service | undefined;
}

export function createService(
  dependencies: ServiceDependencies,
  plan: ServicePlan,
  wider: WiderServices = {},
): Service {
  const { profile, domains, native, exposure, policy, isPrivate = false } = plan;
  const { options, log, executor, limits, redaction, spent } = dependencies;
  const { defaultService, fullService } = wider;
  const signer = dependencies.signer.scoped(profile);
  const confirmations = createConfirmations({ signer, spent, ttlSeconds: options.confirmationTtlSeconds });
  const operationOptions = { executor, confirmations, policy, redaction, middleware: options.middleware ?? [] };
  const operations = domains.flatMap((domain) =>
    domain.endpoints.map((endpoint) => {
      const operation = plan.compiled.get(endpoint) ?? compileOperation(endpoint, domain, operationOptions);
      plan.compiled.set(endpoint, operation);
      return operation;
    }),
  );
  const registry = buildRegistry({
    domains,
    operations,
    ...(native.tools && { native: native.tools.map((entry) => entry.govern?.({ policy, confirmations }) ?? entry) }),
    exposure,
    tokenBudget: options.tokenBudget ?? SETTING_TABLE.tokenBudget.fallback,
    strategies: options.strategies,
  });
  const resources = buildResourceTable(domains, registry, native);
  const prompts = buildPromptTable(
    defaultService === undefined ? domains : selectPrompts(domains, { registry, resources }, defaultService),
    (context, uri) => readFrom(resources, context, uri),
    native.prompts,
  );
  const meter = options.openMeter?.({
    profile,
    exposure: registry.exposure,
    hasTool: (name) => registry.tools.has(name),
    domainOf: createDomainOf(domains),
  });
  const adapter = createAdapter({
    tools: {
      find: (name) => registry.tools.get(name)?.run,
      missing: createUnknownToolError(registry),
    },
    // In a read-only gateway, no token would allow more, so none is suggested.
    ...(fullService &&
      !policy.readOnly &&
      !policy.readOnlyProfile && { refuse: createStepUp(registry, fullService.registry) }),
    ...(defaultService && {
      findHidden: createFindHidden({ registry, resources, prompts }, listWider(plan, defaultService, fullService)),
    }),
    redaction,
    audit: createAudit(log),
    meter,
    evidence: options.audit,
    onHandlerError: (error) => log.error({ err: error }, 'a handler failed'),
    limits,
    excessCalls: dependencies.excessCalls,
    activeCalls: dependencies.activeCalls,
  });
  const info = { name: NAME, version: VERSION, title: 'Landbridge' };
  const protocol = new McpProtocol({
    info,
    registry,
    resources,
    prompts,
    adapter,
    redaction,
    meter,
    writer: createResultWriter({ [META.serverInfo]: info }),
    caching: { ttlMs: CACHING_MS, cacheScope: isPrivate || options.isPrivate ? 'private' : 'public' },
    pageSize: options.pageSize ?? 1_000,
    logging: native.logging ?? false,
    subscribe: native.subscribe ?? false,
    signer,
    profile,
    forward: listForwarded(domains),
    elicitTimeoutMs: options.elicitTimeoutMs,
    mailbox: dependencies.mailbox,
    tracing: dependencies.tracing,
    onIntroduction: dependencies.introduce,
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

/** The wider services that may have an operation which callers of this one do not see. */
function listWider(
  { profile, effects = [] }: ServicePlan,
  defaultService: Service,
  fullService: Service | undefined,
): WiderCatalog[] {
  const words = effects.length === 0 ? 'nothing' : effects.join(' and ');
  return [
    ...(fullService ? [{ catalog: fullService, because: `the effects of this caller: ${words}` }] : []),
    ...(profile === '' ? [] : [{ catalog: defaultService, because: `the profile ${profile} does not have it` }]),
  ];
}

/** Operations are called `domain.action`; native tools and operations without an API have other names. */
function createDomainOf(domains: readonly Domain[]): (operation: string) => string | undefined {
  const names = new Set(domains.map(({ name }) => name));
  return (operation) => {
    const name = operation.slice(0, Math.max(0, operation.indexOf('.')));
    return names.has(name) ? name : undefined;
  };
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
  const reader = findResource(resources, uri);
  if (reader) return reader(context);
  throw new GatewayError('RESOURCE_NOT_FOUND', `The prompt embeds ${uri}, and there is no such resource.`, { uri });
}

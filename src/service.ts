// One service, wired from its layers: registry, resources, prompts, adapter and protocol.
import { setMaxListeners } from 'node:events';
import { createAdapter } from './adapter/adapter.ts';
import type { ExcessCalls } from './adapter/excess-calls.ts';
import type { UnderWay } from './adapter/under-way.ts';
import type { ExecutionContext } from './call/execution-context.ts';
import { createFindHidden, createStepUp, createUnknownTool, type Wider } from './catalog/operation-lookup.ts';
import { buildRegistry, type Registry } from './catalog/registry.ts';
import { buildPrompts, type PromptTable, selectPrompts } from './catalog/resources-and-prompts/prompts.ts';
import {
  buildResources,
  findResource,
  type ReadOutcome,
  type ResourceTable,
} from './catalog/resources-and-prompts/resources.ts';
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
import { createProtocol, type Protocol } from './protocol/handle.ts';
import type { Mailbox } from './protocol/questions/mailbox.ts';
import type { Reply, Sender } from './protocol/sender.ts';
import { createResultWriter } from './protocol/wire/results.ts';
import type { Serving } from './serving.ts';
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
  /** With the endpoints that are served, and no others. */
  readonly domains: readonly Domain[];
  readonly policy: DeploymentPolicy;
  /** One message in (JSON text, or parsed already), one answer out, without any transport. */
  handle(message: unknown, sender?: Partial<Sender>): Promise<Reply | undefined>;
}

/** The sender of calls from this process, without a transport; it never disconnects. */
const LOCAL_SENDER: Sender = Object.freeze({
  transport: 'local',
  principal: Object.freeze({ id: 'local' }),
  signal: new AbortController().signal,
});
// Every call in progress may listen to this signal; Node would otherwise warn of a leak.
setMaxListeners(0, LOCAL_SENDER.signal);

/** What the services of one gateway have in common. */
export interface Shared {
  readonly options: GatewayOptions;
  readonly log: Logger;
  readonly executor: Executor;
  readonly limits: Limits;
  readonly redaction: Redaction;
  readonly signer: Signer;
  readonly spent: SpentStore;
  readonly excessCalls: ExcessCalls;
  /** Where other processes serve the same clients. */
  readonly mailbox: Mailbox | undefined;
  readonly underWay: UnderWay;
  /** Where requests are recorded; undefined: nowhere. */
  readonly tracing: Tracing | undefined;
  /** Notes a client that introduced itself. */
  readonly introduce: (introduction: object) => void;
}

/**
 * `all`: everything the gateway has, if this serves a part of it. `whole`: everything in its profile, if its callers may use
 * less.
 */
export function createService(common: Shared, serving: Serving, all?: Service, whole?: Service): Service {
  const { profile, domains, native, exposure, policy, isPrivate = false } = serving;
  const { options, log, executor, limits, redaction, spent } = common;
  const signer = common.signer.scoped(profile);
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
  const meter = options.openMeter?.({
    profile,
    exposure: registry.exposure,
    hasTool: (name) => registry.tools.has(name),
    domainOf: createDomainOf(domains),
  });
  const adapter = createAdapter({
    tools: {
      find: (name) => registry.tools.get(name)?.run,
      missing: createUnknownTool(registry),
    },
    // In a read-only gateway, no token would allow more, so none is suggested.
    ...(whole && !policy.readOnly && !policy.readOnlyProfile && { refuse: createStepUp(registry, whole.registry) }),
    ...(all && { findHidden: createFindHidden({ registry, resources, prompts }, listWider(serving, all, whole)) }),
    redaction,
    audit: createAudit(log),
    meter,
    evidence: options.audit,
    onHandlerError: (error) => log.error({ err: error }, 'a handler failed'),
    limits,
    excessCalls: common.excessCalls,
    underWay: common.underWay,
  });
  const info = { name: NAME, version: VERSION, title: 'Landbridge' };
  const protocol = createProtocol({
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
    mailbox: common.mailbox,
    tracing: common.tracing,
    onIntroduction: common.introduce,
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

/** The wider services that may contain what a caller of this one does not see. */
function listWider({ profile, effects = [] }: Serving, all: Service, whole: Service | undefined): Wider[] {
  const words = effects.length === 0 ? 'nothing' : effects.join(' and ');
  return [
    ...(whole ? [{ offer: whole, because: `the effects of this caller: ${words}` }] : []),
    ...(profile === '' ? [] : [{ offer: all, because: `the profile ${profile} does not have it` }]),
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

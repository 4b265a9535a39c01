// createGateway(): wires every layer once. The result never changes: new settings and domains need a restart.

import { ActiveCalls } from './adapter/active-calls.ts';
import { ExcessCalls } from './adapter/excess-calls.ts';
import { listMissingResources } from './catalog/resources-and-prompts/prompts.ts';
import { checkSelection } from './catalog/select-endpoints.ts';
import { collectSecrets } from './credentials/secrets.ts';
import { toPlacedError } from './domain/files/read-places.ts';
import { type Domain, EFFECTS, type Effect } from './endpoint/model.ts';
import { createRedactor } from './endpoint/redaction/redact.ts';
import { GatewayError } from './errors.ts';
import { createExecutor } from './executor/executor.ts';
import type { PoolLoad } from './executor/pools.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { createLimits, type Limits } from './limits/create-limits.ts';
import { createIntroductionLog, createSilentLog } from './log.ts';
import { createSpentStore } from './orchestration/confirmations.ts';
import { createRedaction } from './orchestration/redaction.ts';
import { createSigner } from './orchestration/signer.ts';
import { PRODUCT } from './product.ts';
import { createSessionRelay } from './protocol/questions/session-relay.ts';
import type { Reply, Sender } from './protocol/sender.ts';
import { createService, type Service, type ServiceDependencies } from './service.ts';
import { planDefaultService, planProfileService, planRestrictedService } from './service-plan.ts';
import { findTracing } from './tracing/tracing.ts';

export type { GatewayOptions, NativeEntries, Profile } from './gateway-options.ts';
export type { Service } from './service.ts';

/** The default service, and the profiles by name. */
export interface Gateway<Data = unknown> extends Service {
  readonly name: string;
  readonly version: string;
  /** For /.well-known/jwks.json: the public keys for assertions that the gateway signs. */
  readonly jwks?: string | undefined;
  readonly limits: Limits;
  /** The sockets to APIs. */
  readonly pools: readonly PoolLoad[];
  /** Served at /mcp/<name>. */
  readonly profiles: ReadonlyMap<string, Service>;
  /**
   * '' is the default service. With `effects`: only its operations with these effects, as a caller with no other permissions sees it.
   */
  serviceOf(profile: string, effects?: readonly Effect[]): Service | undefined;
  handle(message: unknown, sender?: Partial<Sender<Data>>): Promise<Reply | undefined>;
  /** Ends subscriptions, which clients would otherwise hold open forever. Calls in progress continue. */
  drain(): void;
  /** Answers every call in progress with `shutting_down`, and aborts its requests. New calls are refused. */
  abort(): void;
  close(): Promise<void>;
}

const { name: NAME, version: VERSION } = PRODUCT;

/**
 * Creates a gateway: builds the tools of all domains and profiles, and wires every layer.
 *
 * ```ts
 * const now = defineTool({ name: 'time', description: 'The time.', run: () => new Date().toISOString() });
 * const own = createGateway({ domains: [], native: { tools: [now] } });
 * await own.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
 * await own.close();
 * ```
 */
export function createGateway<Data = unknown>(options: GatewayOptions<Data>): Gateway<Data> {
  for (const domain of options.domains) refuseDefinition(domain);
  const dependencies = createDependencies(options as GatewayOptions);
  const { service, profiles, listServices, serviceOf } = createServices(dependencies);
  const { limits, executor, excessCalls, activeCalls } = dependencies;
  const drain = () => {
    for (const { protocol } of listServices()) protocol.close();
  };
  return {
    ...service,
    name: NAME,
    version: VERSION,
    jwks: options.assertions?.jwks,
    limits,
    get pools() {
      return executor.pools;
    },
    profiles,
    serviceOf,
    drain,
    abort: () => {
      drain();
      activeCalls.rejectAll();
      executor.abort();
    },
    close: async () => {
      drain();
      // The transports are closed by now, so no client waits for these answers.
      for (const { protocol } of listServices()) protocol.abort();
      limits.overload.stop();
      excessCalls.flush();
      await executor.close();
    },
  };
}

/** In JavaScript, a definition from defineDomain() is easily mistaken for a domain: it still has to be built. */
function refuseDefinition({ name, endpoints }: Domain): void {
  if (Array.isArray(endpoints)) return;
  throw new TypeError(
    `createGateway() takes what buildDomain() and loadDomains() return; "${name}" is a definition. Pass buildDomain(definition, { env: process.env }).`,
  );
}

function createDependencies(options: GatewayOptions): ServiceDependencies {
  const log = options.log ?? createSilentLog();
  const redact = options.redact ?? createRedactor(collectSecrets(options.domains));
  const limits = createLimits({
    options: options.limits ?? {},
    domains: options.domains,
    shared: options.state?.rates,
    sharedPermits: options.state?.permits,
    onOverload: (isShedding, sample) => {
      if (isShedding) log.warn(sample, 'overloaded: new calls are refused');
      else log.info(sample, 'no longer overloaded');
    },
  });
  const executor = createExecutor({
    userAgent: `${NAME}/${VERSION}`,
    redact,
    semaphoreOf: limits.semaphoreOf,
    ...(options.proxies && { proxies: options.proxies }),
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
    ...(options.onAnswer && { onAnswer: options.onAnswer }),
    ...(options.assertions && { signer: options.assertions }),
    ...(options.state?.tokens && { sharedTokens: options.state.tokens }),
  });
  return {
    options,
    log,
    executor,
    limits,
    redaction: createRedaction(redact),
    signer: createSigner(options.secret),
    spent: options.spent ?? options.state?.spent ?? createSpentStore(),
    introduce: createIntroductionLog(log),
    mailbox: options.state?.messages && createSessionRelay(options.state.messages),
    activeCalls: new ActiveCalls(),
    tracing: findTracing(VERSION, options.tracerProvider),
    excessCalls: new ExcessCalls(({ principal, count, sinceMs }) => {
      log.warn(
        { principal, calls: count, seconds: Math.ceil((Date.now() - sinceMs) / 1_000) },
        'calls over the limits were refused',
      );
      options.audit?.countRefused(principal, count, sinceMs);
    }),
  };
}

interface Services {
  /** The default service. */
  readonly service: Service;
  readonly profiles: ReadonlyMap<string, Service>;
  readonly serviceOf: Gateway['serviceOf'];
  /** All services that exist at the moment, restricted ones included. */
  listServices(): readonly Service[];
}

function createServices(dependencies: ServiceDependencies): Services {
  const { options } = dependencies;
  const defaultPlan = planDefaultService(options);
  const service = createService(dependencies, defaultPlan);
  const problems = listMissingResources(options.domains, service.resources);
  if (problems.length > 0) throw new GatewayError('BAD_DOMAIN', problems.join('\n'));
  refuseWrongProfiles(options);
  const plans = new Map([['', defaultPlan]]);
  const profiles = new Map<string, Service>();
  for (const [name, profile] of Object.entries(options.profiles ?? {})) {
    const plan = planProfileService(name, profile, options, defaultPlan.policy);
    plans.set(name, plan);
    profiles.set(name, createService(dependencies, plan, { defaultService: service }));
  }
  const fullService = (profile: string) => (profile === '' ? service : profiles.get(profile));
  /** By profile and effects; created on first use. */
  const restrictedServices = new Map<string, Service>();
  const restrictedService = (profile: string, effects: readonly Effect[]): Service | undefined => {
    const plan = plans.get(profile);
    if (plan === undefined) return undefined;
    const key = `${profile} ${EFFECTS.filter((effect) => effects.includes(effect)).join()}`;
    let narrower = restrictedServices.get(key);
    if (narrower === undefined) {
      const wider = { defaultService: service, fullService: fullService(profile) };
      narrower = createService(dependencies, planRestrictedService(plan, effects), wider);
      restrictedServices.set(key, narrower);
    }
    return narrower;
  };
  return {
    service,
    profiles,
    serviceOf: (profile, effects) =>
      effects === undefined || EFFECTS.every((effect) => effects.includes(effect))
        ? fullService(profile)
        : restrictedService(profile, effects),
    listServices: () => [service, ...profiles.values(), ...restrictedServices.values()],
  };
}

function refuseWrongProfiles({ profiles = {}, domains, native = {} }: GatewayOptions): void {
  const problems = Object.entries(profiles).flatMap(([name, profile]) =>
    checkSelection(profile, { domains, native }).map(({ path, message }) => ({ path: [name, ...path], message })),
  );
  if (problems.length > 0) throw toPlacedError(profiles, problems, 'profiles');
}

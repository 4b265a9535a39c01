// createGateway(): wires every layer once. The result never changes; a restart is needed for changes.
import { ExcessCalls } from './adapter/excess-calls.ts';
import { UnderWay } from './adapter/under-way.ts';
import { listLostResources } from './catalog/resources-and-prompts/prompts.ts';
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
import { createMailbox } from './protocol/questions/mailbox.ts';
import type { Reply, Sender } from './protocol/sender.ts';
import { createService, type Service, type Shared } from './service.ts';
import { toPartServing, toProfileServing, toWholeServing } from './serving.ts';
import { findTracing } from './tracing/tracing.ts';

export type { GatewayOptions, NativeEntries, Profile } from './gateway-options.ts';
export type { Service } from './service.ts';

/** What is served by default, and the profiles by name. */
export interface Gateway<Data = unknown> extends Service {
  readonly name: string;
  readonly version: string;
  /** What is published at /.well-known/jwks.json: the public keys of what the gateway signs. */
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
  /** Ends what clients would otherwise hold open forever: subscriptions. Calls in progress go on. */
  drain(): void;
  /** Answers every call in progress with `shutting_down`, aborts its requests, and starts no others. */
  abort(): void;
  close(): Promise<void>;
}

const { name: NAME, version: VERSION } = PRODUCT;

export function createGateway<Data = unknown>(options: GatewayOptions<Data>): Gateway<Data> {
  for (const domain of options.domains) refuseDefinition(domain);
  const common = createShared(options as GatewayOptions);
  const { service, profiles, all, serviceOf } = createServices(common);
  const { limits, executor, excessCalls, underWay } = common;
  const drain = () => {
    for (const { protocol } of all()) protocol.close();
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
      underWay.endAll();
      executor.abort();
    },
    close: async () => {
      drain();
      // The transports have closed by now, so nobody waits for these answers.
      for (const { protocol } of all()) protocol.abort();
      limits.overload.stop();
      excessCalls.flush();
      await executor.close();
    },
  };
}

/** Easily confused where no compiler checks it: what defineDomain() returns is still to be built. */
function refuseDefinition({ name, endpoints }: Domain): void {
  if (Array.isArray(endpoints)) return;
  throw new TypeError(
    `createGateway() takes what buildDomain() and loadDomains() return; "${name}" is a definition. Pass buildDomain(definition, { env: process.env }).`,
  );
}

function createShared(options: GatewayOptions): Shared {
  const log = options.log ?? createSilentLog();
  const redact = options.redact ?? createRedactor(collectSecrets(options.domains));
  const limits = createLimits({
    options: options.limits ?? {},
    domains: options.domains,
    shared: options.state?.rates,
    room: options.state?.room,
    onOverload: (isShedding, sample) => {
      if (isShedding) log.warn(sample, 'overloaded: new calls are refused');
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
    mailbox: options.state?.letters && createMailbox(options.state.letters),
    underWay: new UnderWay(),
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
  /** What is served by default. */
  readonly service: Service;
  readonly profiles: ReadonlyMap<string, Service>;
  readonly serviceOf: Gateway['serviceOf'];
  /** Every one there is by now. */
  all(): readonly Service[];
}

function createServices(common: Shared): Services {
  const { options } = common;
  const serving = toWholeServing(options);
  const service = createService(common, serving);
  const problems = listLostResources(options.domains, service.resources);
  if (problems.length > 0) throw new GatewayError('BAD_DOMAIN', problems.join('\n'));
  refuseWrongProfiles(options);
  const servings = new Map([['', serving]]);
  const profiles = new Map<string, Service>();
  for (const [name, profile] of Object.entries(options.profiles ?? {})) {
    servings.set(name, toProfileServing(name, profile, options, serving.policy));
    profiles.set(name, createService(common, servings.get(name)!, service));
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
      part = createService(common, toPartServing(whole, effects), service, wholeService(profile));
      parts.set(key, part);
    }
    return part;
  };
  return {
    service,
    profiles,
    serviceOf: (profile, effects) =>
      effects === undefined || EFFECTS.every((effect) => effects.includes(effect))
        ? wholeService(profile)
        : partOf(profile, effects),
    all: () => [service, ...profiles.values(), ...parts.values()],
  };
}

function refuseWrongProfiles({ profiles = {}, domains, native = {} }: GatewayOptions): void {
  const problems = Object.entries(profiles).flatMap(([name, profile]) =>
    checkSelection(profile, { domains, native }).map(({ path, message }) => ({ path: [name, ...path], message })),
  );
  if (problems.length > 0) throw toPlacedError(profiles, problems, 'profiles');
}

// What createGateway() is told.
import type { TracerProvider } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';
import type { AssertionSigner } from './call/assertion-signer.ts';
import type { Evidence } from './call/evidence.ts';
import type { Middleware } from './call/handler.ts';
import type { OpenMeter } from './call/meter.ts';
import type { Strategies } from './catalog/grouped/strategies.ts';
import type { Exposure } from './catalog/registry.ts';
import type { NativeParts, Selection } from './catalog/select-endpoints.ts';
import type { ConfirmWay, Domain, GuardPolicy } from './endpoint/model.ts';
import type { Redactor } from './endpoint/redaction/redact.ts';
import type { RawResponse } from './executor/send.ts';
import type { LimitOptions } from './limits/create-limits.ts';
import type { Logger } from './log.ts';
import type { ProxyRules } from './network/proxy-rules.ts';
import type { SpentStore } from './orchestration/confirmations.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';
import type { SharedState } from './state/shared-state.ts';

/** Entries that are not REST endpoints, registered in code. */
export interface NativeEntries extends NativeParts {
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
  /** Records every call (openAuditTrail()). Whoever opened it must close it after the gateway. */
  readonly audit?: Evidence | undefined;
  /** Counts requests and calls, separately for each service. Absent: nothing is counted. */
  readonly openMeter?: OpenMeter | undefined;
  /** Where spans are recorded. Default: with the OpenTelemetry SDK that is registered when the gateway is made, if there is one. */
  readonly tracerProvider?: TracerProvider | undefined;
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
  /** What replicas or workers share; whoever opened it closes it, after the gateway. Default: this process is alone. */
  readonly state?: SharedState | undefined;
  /** Takes secrets out of whatever goes out; shared with the log. */
  readonly redact?: Redactor | undefined;
  readonly pageSize?: number | undefined;
  /** Callers differ, so answers are marked as not cacheable for others. */
  readonly isPrivate?: boolean | undefined;
  readonly elicitTimeoutMs?: number | undefined;
  /** Signs what domains want to be told of callers (`kind: assertion`). */
  readonly assertions?: AssertionSigner | undefined;
}

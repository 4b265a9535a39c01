// The options of createGateway().
import type { TracerProvider } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';
import type { AssertionSigner } from './call/assertion-signer.ts';
import type { Evidence } from './call/evidence.ts';
import type { Middleware } from './call/handler.ts';
import type { OpenMeter } from './call/meter.ts';
import type { Strategies } from './catalog/grouped/strategies.ts';
import type { Exposure } from './catalog/registry.ts';
import type { NativeCatalog, Selection } from './catalog/select-endpoints.ts';
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
export interface NativeEntries extends NativeCatalog {
  /** Offers logging to legacy clients: some handler uses `call.log`. */
  readonly logging?: boolean;
  /** Offers resources/subscribe to legacy clients. */
  readonly subscribe?: boolean;
}

/** Which endpoints a profile serves, and how. */
export interface Profile extends Selection {
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly readOnly?: boolean | undefined;
  readonly guard?: GuardPolicy | undefined;
  readonly confirm?: ConfirmWay | undefined;
}

/** The options of createGateway(). */
export interface GatewayOptions<Data = unknown> {
  readonly domains: readonly Domain[];
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly tokenBudget?: number | undefined;
  readonly policy?: DeploymentPolicy | undefined;
  /** Runs around every REST call, after validation and guard. The first is the outermost. */
  readonly middleware?: readonly Middleware<Data>[] | undefined;
  readonly native?: NativeEntries | undefined;
  /** Replaces single functions that write grouped tools. */
  readonly strategies?: Partial<Strategies> | undefined;
  /** Named subsets, each served at /mcp/<name> with its own exposure and guard. */
  readonly profiles?: Readonly<Record<string, Profile>> | undefined;
  readonly log?: Logger | undefined;
  /** Records every call (openAuditTrail()). Close it after the gateway. */
  readonly audit?: Evidence | undefined;
  /** Counts requests and calls, separately for each service. Absent: they are not counted. */
  readonly openMeter?: OpenMeter | undefined;
  /** Records spans. Default: the OpenTelemetry SDK that is registered when the gateway is created, if there is one. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** The proxy settings of the environment. Absent: only domains set proxies. */
  readonly proxies?: ProxyRules | undefined;
  /** Replaces the connection pools. It is called for every request. */
  readonly dispatcher?: ((origin: string) => Dispatcher) | undefined;
  /** Gets every raw answer of an API. If it returns a text, that replaces a successful answer. */
  readonly onAnswer?: ((answer: RawResponse) => string | undefined) | undefined;
  /** At least 32 bytes; replicas share one, and a store of used confirmations (`spent`), so that each accepts the others'. */
  readonly secret?: Buffer | undefined;
  readonly confirmationTtlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  /** Limits of callers and APIs. Each has a generous default. */
  readonly limits?: LimitOptions | undefined;
  /** The state that replicas or workers share. Close it after the gateway. Default: nothing is shared. */
  readonly state?: SharedState | undefined;
  /** Removes secrets from answers and log lines. */
  readonly redact?: Redactor | undefined;
  readonly pageSize?: number | undefined;
  /** Callers see different answers, so these are marked as not cacheable for others. */
  readonly isPrivate?: boolean | undefined;
  readonly elicitTimeoutMs?: number | undefined;
  /** Signs assertions about callers for APIs (`kind: assertion`). */
  readonly assertions?: AssertionSigner | undefined;
}

// An HTTP server for a gateway: POST /mcp and its profiles on the hot path, plain probes, and every other route on express.
import type { Principal } from '../call/caller.ts';
import type { Effect } from '../endpoint/model.ts';
import type { Limits } from '../limits/create-limits.ts';
import type { Protocol } from '../protocol/mcp-protocol.ts';
import { type HttpOptions, type HttpServer, startHttp } from './http-listener.ts';
import { answerProbe } from './probes.ts';
import type { RequestListener } from './request-handler.ts';
import type { RouteOptions, SharedStateStatus } from './routes.ts';

/** The parts of a Gateway that `serveHttp` needs. */
interface HttpGateway {
  readonly name: string;
  readonly version: string;
  readonly registry: { readonly tools: { readonly size: number } };
  /** Served at /.well-known/jwks.json. */
  readonly jwks?: string | undefined;
  /** Whether this process is overloaded. Absent: that is not checked. */
  readonly limits?: Pick<Limits, 'overload' | 'countShed'>;
  /** The service at /mcp (''), or at /mcp/<profile>; with `effects`, only with operations that have one of them. */
  readonly serviceOf: (profile: string, effects?: readonly Effect[]) => { readonly protocol: Protocol } | undefined;
}

/** The options of serveHttp(). */
export interface ServeOptions<Data = unknown> extends Partial<HttpOptions<Data>> {
  /** Whether /readyz answers that the gateway is ready. Default: until closing begins. */
  readonly ready?: () => boolean;
  /** Why every call would be refused at the moment, if so: /readyz answers with it. */
  readonly problem?: () => string | undefined;
  /** A document that anybody may read at a path outside /mcp, such as metadata for clients; undefined if there is none. */
  readonly publicDocument?: (path: string) => object | undefined;
  /** The status of the shared state for /healthz and /readyz. Absent: nothing is shared. */
  readonly sharedState?: (() => SharedStateStatus) | undefined;
  readonly onInternalError?: (error: unknown) => void;
}

export const HTTP_DEFAULTS: HttpOptions = Object.freeze({
  host: '127.0.0.1',
  port: 3333,
  allowedHosts: Object.freeze([]),
  allowedOrigins: Object.freeze([]),
  maxBodyBytes: 1024 * 1024,
  maxInFlight: 1_000,
});

/**
 * Starts HTTP as `landbridge serve` does. `close(graceMs)` lets requests in progress finish.
 *
 * ```ts
 * const server = await serveHttp(gateway, { port: 0 });
 * console.log(`http://127.0.0.1:${server.port}/mcp`);
 * ```
 */
export async function serveHttp<Data = unknown>(
  gateway: HttpGateway,
  options: ServeOptions<Data> = {},
): Promise<HttpServer> {
  const { ready, problem, sharedState, onInternalError, publicDocument, ...http } = { ...HTTP_DEFAULTS, ...options };
  let closing = false;
  const { limits } = gateway;
  limits?.overload.start();
  const server = await startHttp(
    {
      protocolOf: (profile, { profiles, effects }: Principal) =>
        profiles === undefined || profiles.includes(profile)
          ? gateway.serviceOf(profile, effects)?.protocol
          : undefined,
      hasProfile: (profile) => gateway.serviceOf(profile) !== undefined,
      otherwise: createLateRoutes(
        {
          name: gateway.name,
          version: gateway.version,
          ready: ready ?? (() => !closing),
          isExhausted: () => limits?.overload.isExhausted ?? false,
          problem,
          sharedState,
          // With authentication, only known callers and browsers that send OPTIONS get this far.
          hasProfile: (profile) => http.identify !== undefined || gateway.serviceOf(profile) !== undefined,
          // Unknown callers do not learn how many tools there are.
          tools: () => (http.identify === undefined ? gateway.registry.tools.size : undefined),
          publicDocument,
          jwks: gateway.jwks,
        },
        http,
        onInternalError,
      ),
      onInternalError: onInternalError ?? (() => {}),
    },
    { ...(limits && { mustShed: () => mustShed(limits) }), ...http },
  );
  const beginClosing = () => {
    closing = true;
  };
  return {
    ...server,
    get load() {
      return server.load;
    },
    drain: () => {
      beginClosing();
      server.drain();
    },
    close: (graceMs, quietMs) => {
      beginClosing();
      return server.close(graceMs, quietMs);
    },
  };
}

/**
 * Express is needed only for requests that are neither POST /mcp nor a plain probe. Loading it takes 90 ms and 14 MB, so the first such
 * request loads it.
 */
function createLateRoutes(
  routeOptions: RouteOptions,
  options: HttpOptions,
  onInternalError: ((error: unknown) => void) | undefined,
): RequestListener {
  let routes: RequestListener | undefined;
  let loading: Promise<void> | undefined;
  const load = async () => {
    const { createRoutes } = await import('./routes.ts');
    routes = createRoutes(routeOptions, options);
  };
  return (request, response) => {
    if (answerProbe(routeOptions, request, response)) return;
    if (routes) return routes(request, response);
    loading ??= load();
    loading.then(
      // The request may have been refused meanwhile, or its client may have disconnected.
      () => response.headersSent || routes!(request, response),
      (error: unknown) => {
        onInternalError?.(error);
        response.destroy();
      },
    );
  };
}

function mustShed({ overload, countShed }: Pick<Limits, 'overload' | 'countShed'>): boolean {
  if (overload.isShedding) countShed();
  return overload.isShedding;
}

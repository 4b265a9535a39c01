// A whole HTTP server for a gateway: POST /mcp and its profiles on the hot path, plain probes beside it, every other route on express.
import type { Principal } from '../call/caller.ts';
import type { Effect } from '../endpoint/model.ts';
import type { Limits } from '../limits/create-limits.ts';
import type { Protocol } from '../protocol/handle.ts';
import { type HttpOptions, type HttpServer, startHttp } from './http.ts';
import type { DoorParts } from './http-door.ts';
import { answerProbe } from './probes.ts';
import type { RoutesParts, SharedState } from './routes.ts';

/** What is served; a Gateway is one. */
export interface Served {
  readonly name: string;
  readonly version: string;
  readonly registry: { readonly tools: { readonly size: number } };
  /** Served at /.well-known/jwks.json. */
  readonly jwks?: string | undefined;
  /** Whether this process is overloaded. Absent: nobody looks. */
  readonly limits?: Pick<Limits, 'overload' | 'countShed'>;
  /** '' is what /mcp serves, any other name what /mcp/<name> serves; with `effects`, only operations with one of them. */
  readonly serviceOf: (profile: string, effects?: readonly Effect[]) => { readonly protocol: Protocol } | undefined;
}

export interface ServeOptions<Data = unknown> extends Partial<HttpOptions<Data>> {
  /** What /readyz says. Default: ready until closing begins. */
  readonly ready?: () => boolean;
  /** Why every call would be refused at the moment: /readyz says so. */
  readonly problem?: () => string | undefined;
  /** What anybody may read at a path outside /mcp, such as metadata for clients; undefined: nothing is there. */
  readonly publicDocument?: (path: string) => object | undefined;
  /** What /healthz and /readyz say about what replicas share. Absent: there is nothing of the kind. */
  readonly sharedState?: (() => SharedState) | undefined;
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
 * Starts HTTP as `landbridge serve` does. `close(graceMs)` lets requests under way finish.
 *
 * ```ts
 * const server = await serveHttp(gateway, { port: 0 });
 * console.log(`http://127.0.0.1:${server.port}/mcp`);
 * ```
 */
export async function serveHttp<Data = unknown>(
  gateway: Served,
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
 * Express is needed only for requests that are neither POST /mcp nor a plain probe, and takes 90 ms and 14 MB to load, so it is loaded
 * with the first such request.
 */
function createLateRoutes(
  parts: RoutesParts,
  options: HttpOptions,
  onInternalError: ((error: unknown) => void) | undefined,
): DoorParts['otherwise'] {
  let routes: DoorParts['otherwise'] | undefined;
  let loading: Promise<void> | undefined;
  const load = async () => {
    const { createRoutes } = await import('./routes.ts');
    routes = createRoutes(parts, options);
  };
  return (request, response) => {
    if (answerProbe(parts, request, response)) return;
    if (routes) return routes(request, response);
    loading ??= load();
    loading.then(
      // The request may have been refused meanwhile, or its client may have left.
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

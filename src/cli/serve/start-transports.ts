// The listeners of a gateway: HTTP, TCP and stdio, as configured.
import type { Gateway } from '../../gateway.ts';
import type { HttpServer } from '../../transport/http-listener.ts';
import type { TransportLoad } from '../../transport/in-flight.ts';
import { REQUESTS_PER_CONNECTION } from '../../transport/lines/conversation.ts';
import { type StdioServer, startStdio } from '../../transport/lines/stdio.ts';
import { type ProtocolOf, startTcp, type TcpServer } from '../../transport/lines/tcp.ts';
import type { ListenerTlsOptions } from '../../transport/listener-tls.ts';
import { serveHttp } from '../../transport/serve-http.ts';
import type { Primary } from '../../workers/in-worker.ts';
import { chooseService } from '../open-gateway.ts';
import { bracketed } from './client-url.ts';
import type { ReadConditions } from './conditions.ts';
import type { Components } from './serve-process.ts';

export interface Transports {
  readonly http?: HttpServer | undefined;
  readonly tcp?: TcpServer | undefined;
  readonly stdio?: StdioServer | undefined;
}

type EndListening = Primary['endListening'];

/**
 * Opens all listeners or none: if one fails, those before it are closed again. `endListening` is set if the primary accepts the
 * connections.
 */
export async function startTransports(
  components: Components,
  conditions: ReadConditions,
  endListening?: EndListening,
): Promise<Transports> {
  const { config, gateway, authorities } = components;
  const running: { -readonly [Kind in keyof Transports]: Transports[Kind] } = {};
  const { protocol } = chooseService(gateway, config);
  gateway.limits.overload.start();
  try {
    if (config.http) running.http = await openHttp(components, conditions, endListening);
    if (config.tcp !== undefined) running.tcp = await openTcp(components, config.tcp, endListening);
  } catch (error) {
    await closeTransports(running, 0);
    throw error;
  }
  const { http, tcp } = running;
  const server = http ?? tcp;
  if (server)
    authorities?.issuers?.start(
      components.log,
      `http${http && config.tls ? 's' : ''}://${bracketed(config.host)}:${server.port}`,
    );
  if (config.stdio) running.stdio = startStdio(protocol, lineLimits(components));
  return running;
}

/** Has both listeners show another certificate. */
export function renewTls({ http, tcp }: Transports, tls: ListenerTlsOptions): void {
  http?.renewTls(tls);
  tcp?.renewTls(tls);
}

/** Calls in progress may finish, within the grace time. */
export async function closeTransports(
  { http, tcp, stdio }: Transports,
  graceMs: number,
  quietMs?: number,
): Promise<void> {
  await Promise.all([http?.close(graceMs, quietMs), tcp?.close(graceMs), stdio?.close(graceMs)]);
}

function openHttp(
  components: Components,
  conditions: ReadConditions,
  endListening?: EndListening,
): Promise<HttpServer> {
  const { config, gateway, authorities, tls, refusals, state, log } = components;
  return serveHttp(gateway, {
    host: config.host,
    port: config.port,
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    publicUrl: config.publicUrl,
    basePath: config.basePath,
    keepAliveMs: config.keepAliveSeconds * 1_000,
    maxHttpConnections: config.maxHttpConnections,
    trustedProxies: config.trustedProxies,
    tls: tls?.options,
    refusals,
    maxBodyBytes: config.maxBodyBytes,
    problem: () => conditions().find(({ isUnready }) => isUnready)?.what,
    ...(authorities && { identify: authorities.identify }),
    ...(authorities?.issuers && { publicDocument: authorities.issuers.resource.documentAt }),
    sharedState: state && (() => (state.isUsable ? 'ok' : 'degraded')),
    onInternalError: (error) => log.error({ err: error }, 'internal error'),
    giveUp: gateway.abort,
    endListening,
  });
}

function openTcp(components: Components, port: number, endListening?: EndListening): Promise<TcpServer> {
  const { config, gateway, authorities, tls, refusals } = components;
  const { profile = '' } = config;
  return startTcp(usableBy(gateway, profile), {
    ...lineLimits(components),
    identify: authorities?.identifyOverTcp(profile),
    tls: tls?.options,
    refusals,
    host: config.host,
    port,
    maxConnections: config.maxConnections,
    idleMs: config.idleSeconds * 1_000,
    endListening,
  });
}

function lineLimits({ config, gateway }: Components) {
  return { maxLineBytes: config.maxBodyBytes, maxConcurrent: REQUESTS_PER_CONNECTION, giveUp: gateway.abort };
}

/** The load of each transport. */
export function listLoads({ http, tcp, stdio }: Transports): (readonly [name: string, load: TransportLoad])[] {
  return [
    ...(http ? [['http', http.load] as const] : []),
    ...(tcp ? [['tcp', tcp.load] as const] : []),
    ...(stdio ? [['stdio', stdio.load] as const] : []),
  ];
}

/** The part of a profile that a caller may use. */
function usableBy(gateway: Gateway, profile: string): ProtocolOf {
  return ({ profiles, effects }) =>
    profiles === undefined || profiles.includes(profile) ? gateway.serviceOf(profile, effects)?.protocol : undefined;
}

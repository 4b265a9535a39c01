// landbridge tools --limits: every limit of a call.

import type { Config } from '../config/read-config.ts';
import { originsOf } from '../endpoint/address.ts';
import type { Domain } from '../endpoint/model.ts';
import type { Gateway } from '../gateway.ts';
import type { CallRules } from '../limits/call-rules.ts';
import { UNREADY_HEAP_PERCENT } from '../limits/overload.ts';
import { REQUEST_TIMEOUT_MS } from '../transport/http-listener.ts';
import { REQUESTS_PER_CONNECTION } from '../transport/lines/conversation.ts';
import { HELD_BYTES } from '../transport/request-handler.ts';
import { HTTP_DEFAULTS } from '../transport/serve-http.ts';
import { colours as pc } from './terminal/palette.ts';
import { renderTable, shown, withCommas } from './terminal/terminal.ts';

export function buildLimitsReport({ limits, domains }: Gateway, config: Config) {
  const { keys = [], oauth = [], certificates = [] } = config.auth ?? {};
  const principals = [
    { who: 'every caller', limits: undefined },
    // Only keys in a settings file can have limits of their own.
    ...keys.map((key) => ({ who: `key:${key.name}`, limits: key.limits })),
    ...certificates.map(({ name, subject, san, limits }) => ({ who: `cert:${name ?? subject ?? san}`, limits })),
    ...oauth.map((issuer) => ({ who: `${issuer.issuer}|…`, limits: issuer.limits })),
  ];
  return {
    principals: principals
      .filter(({ who, limits: own }) => own !== undefined || who === 'every caller')
      .map(({ who, limits: own }) => ({ who, ...toColumns(limits.rulesOf({ principal: own })) })),
    upstreams: domains.map((domain) => ({
      domain: domain.name,
      origins: originsOf(domain.endpoints),
      ...toColumns(limits.rulesOf({ domain: domain.name })),
      timeoutMs: largest(domain, ({ timeoutMs }) => timeoutMs),
      maxResponseBytes: largest(domain, ({ maxResponseBytes }) => maxResponseBytes),
    })),
    shed: { ...limits.overload.rules, unreadyHeapPercent: UNREADY_HEAP_PERCENT },
    process: {
      httpRequests: HTTP_DEFAULTS.maxInFlight,
      httpRequestSeconds: REQUEST_TIMEOUT_MS / 1_000,
      heldBytes: HELD_BYTES,
      messageBytes: config.maxBodyBytes,
      tcpConnections: config.maxConnections,
      callsPerConnection: REQUESTS_PER_CONNECTION,
      idleSeconds: config.idleSeconds,
    },
    sharedBy: nameCounters(config),
  };
}

/** Among workers all of it is exact; among replicas only rates are. */
function nameCounters({ state, workers }: Config): string {
  if (state !== undefined) return 'all replicas (rates); concurrency is per replica';
  return workers === 1 ? 'this process' : 'all workers';
}

function toColumns({ rate, concurrent, queue, waitSeconds }: CallRules) {
  return { rate: rate?.text ?? null, concurrent, queue, waitSeconds };
}

function largest({ endpoints }: Domain, of: (limits: Domain['endpoints'][number]['limits']) => number): number {
  return endpoints.reduce((most, { limits }) => Math.max(most, of(limits)), 0);
}

export function renderLimitsReport({
  principals,
  upstreams,
  shed,
  process: own,
  sharedBy,
}: ReturnType<typeof buildLimitsReport>): string {
  const cells = (row: { rate: string | null; concurrent: number; queue: number; waitSeconds: number }) => [
    row.rate ?? pc.dim('any'),
    String(row.concurrent),
    String(row.queue),
    `${row.waitSeconds} s`,
  ];
  const head = ['rate', 'at once', 'queue', 'longest wait'];
  const bytes = (count: number) => `${withCommas(count)} bytes`;
  return `${[
    renderTable(
      ['caller', ...head],
      principals.map((row) => [shown(row.who), ...cells(row)]),
    ),
    renderTable(
      ['domain', 'API', ...head, 'time limit', 'largest answer'],
      upstreams.map((row) => [
        row.domain,
        shown(row.origins.join(', ')),
        ...cells(row),
        `${row.timeoutMs / 1_000} s`,
        bytes(row.maxResponseBytes),
      ]),
    ),
    `New calls are refused (503) while the event loop is ${shed.eventLoopMs} ms late or the heap is ${shed.heapPercent} % full. At ${shed.unreadyHeapPercent} %, /readyz answers 503 too.`,
    `HTTP: ${own.httpRequests} requests at once, each at most ${own.httpRequestSeconds} s and ${bytes(own.messageBytes)}, all together at most ${bytes(own.heldBytes)}.`,
    `TCP: ${own.tcpConnections} connections, closed after ${own.idleSeconds} s without a call. Each connection, and stdio, takes ${own.callsPerConnection} calls at once.`,
    `Counted by: ${sharedBy}.`,
  ].join('\n\n')}\n`;
}

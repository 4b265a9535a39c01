// What `serve` prints once the gateway is up, for people or for programs: where it listens, what it offers, who may call.

import type { Domain } from '../../endpoint/model.ts';
import type { Gateway } from '../../gateway.ts';
import type { AnnouncedLine, Announcement } from '../../workers/worker-messages.ts';
import { estimateCost } from '../exposure-cost.ts';
import type { Io, Output } from '../io.ts';
import { chooseService } from '../open-gateway.ts';
import { digestWarnings, listWarningLines, listWarnings } from '../terminal/digest-lines.ts';
import type { Invocation } from '../terminal/invocation.ts';
import { count, shown } from '../terminal/terminal.ts';
import type { Authorities } from './authorities.ts';
import { type Addresses, describeCallers, OPEN_TO_ALL, renderBanner, renderLine, type Screen } from './banner.ts';
import { bracketed, clientUrl } from './client-url.ts';
import { listCredentials, listMissing } from './credential-lines.ts';
import type { Components } from './serve-process.ts';
import { isOpenToAll, listSettingWarnings } from './start-checks.ts';
import type { Transports } from './start-transports.ts';

/** Where it listens; `adminPort`: the port of the admin listener, whichever process has it. */
type Listening = Transports & { readonly adminPort?: number | undefined };

export function renderAnnouncement(
  io: Io,
  invocation: Invocation,
  components: Components,
  running: Listening,
  json: boolean,
): Announcement {
  const { gateway: all, authorities } = components;
  const { config } = invocation;
  // --profile applies to stdio and TCP; over HTTP, all other profiles are served as well.
  const service = chooseService(all, config);
  const gateway = running.http ? all : { ...all, ...service };
  const host = bracketed(config.host);
  const http = running.http && `http${config.tls ? 's' : ''}://${host}:${running.http.port}/mcp`;
  const at: Addresses = {
    http,
    url: http && clientUrl(config, http),
    tcp: running.tcp && `${host}:${running.tcp.port}`,
    stdio: config.stdio,
    ...(running.adminPort !== undefined && {
      admin: `http://${bracketed(config.admin!.host)}:${running.adminPort}`,
    }),
    ...(config.tls && { tls: true }),
    authentication: (running.http || running.tcp) && authorities?.summary,
    isOpenToAll: isOpenToAll(config, authorities),
  };
  const { domains } = gateway;
  const isRead = io.stderr.isTTY === true;
  const lines = isRead
    ? []
    : [...listLines(invocation, domains), toReadyLine(invocation, { ...gateway, ...service }, at)];
  if (json) {
    const line = `${JSON.stringify(describe(invocation, gateway, authorities, at))}\n`;
    // With stdio, stdout belongs to the protocol. What this line contains is not logged again.
    return config.stdio
      ? { stdout: '', stderr: line, lines: [] }
      : { stdout: line, stderr: '', lines: lines.slice(-1) };
  }
  const notes = [
    ...listCredentials(domains).map((line) => `credential ${shown(line)}`),
    ...digestWarnings(domains, invocation.verbose),
  ];
  if (config.stdio) {
    const ready = [...notes, ...describeStdio(gateway, service.registry.tools.size, at)];
    return { stdout: '', stderr: isRead ? toText(ready) : '', lines };
  }
  return io.stdout.isTTY
    ? { stdout: renderBanner(gateway, at, invocation, screenOf(io.stdout)), stderr: '', lines }
    : { stdout: renderLine(gateway, at, invocation.workers), stderr: isRead ? toText(notes) : '', lines };
}

/** A terminal that does not report its size, or is smaller than any, counts as one of 24 lines. */
function screenOf({ columns, rows }: Output): Screen {
  return { columns: columns || 80, rows: Math.max(rows || 0, 24) };
}

/** What an operator should know about the domains, as lines of the log. */
function listLines({ verbose }: Invocation, domains: readonly Domain[]): AnnouncedLine[] {
  return [
    ...listCredentials(domains).map((credential) => ({
      level: 'info' as const,
      facts: { credential },
      message: 'credential',
    })),
    ...listWarningLines(domains, verbose).map((message) => ({ level: 'warn' as const, facts: {}, message })),
  ];
}

/** What a banner shows, as one line. */
function toReadyLine({ workers = 1 }: Invocation, gateway: Gateway, at: Addresses): AnnouncedLine {
  const { version, domains, registry } = gateway;
  const missing = [...new Set(listMissing(domains).flatMap(({ variables }) => variables))];
  const { http, url, tcp, stdio, admin, authentication = 'none' } = at;
  const facts = {
    version,
    // The process to send signals to: for workers, their primary.
    pid: workers > 1 ? process.ppid : process.pid,
    ...(workers > 1 && { workers }),
    http,
    ...(url !== http && { url }),
    tcp,
    admin,
    ...(stdio && { stdio }),
    ...((http ?? tcp) !== undefined && { authentication }),
    tools: registry.tools.size,
    operations: registry.operations.length,
    exposure: registry.exposure,
    tokens: estimateCost(gateway),
    domains: domains.map(({ name }) => name),
    ...(missing.length > 0 && { missing }),
    warnings: listWarnings(domains).length,
  };
  return { level: 'info', facts, message: 'serving' };
}

function describeStdio({ name, version }: Gateway, tools: number, at: Addresses): string[] {
  return [
    `${name} ${version} is ready on stdio with ${count(tools, 'tool')}.`,
    ...(at.http ? [`MCP over HTTP: ${at.http}`] : []),
    ...(at.tcp ? [`MCP over TCP${at.tls ? ' (TLS)' : ''}: ${at.tcp}`] : []),
    ...(at.admin ? [`Admin: ${at.admin}`] : []),
    ...(at.http || at.tcp ? describeCallers(at) : []),
  ];
}

/** For scripts. */
function describe(
  { config, workers = 1 }: Invocation,
  { domains, registry }: Gateway,
  authorities: Authorities | undefined,
  { isOpenToAll: isOpen, ...where }: Addresses,
): object {
  const notes = [...(isOpen ? [OPEN_TO_ALL] : []), ...listSettingWarnings(config, authorities)];
  return {
    ...where,
    ...(workers > 1 && { workers }),
    authentication: where.authentication ?? 'none',
    domains: domains.map(({ name }) => name),
    tools: registry.tools.size,
    operations: registry.operations.length,
    credentials: listCredentials(domains),
    warnings: [...notes, ...domains.flatMap(({ warnings }) => warnings)],
  };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

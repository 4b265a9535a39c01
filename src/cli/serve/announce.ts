// What is said once the gateway is up, to a person or to a program: where it is, what it offers, who may call.

import type { Config } from '../../config/read-config.ts';
import type { Domain } from '../../endpoint/model.ts';
import type { Gateway } from '../../gateway.ts';
import type { AnnouncedLine, Announcement } from '../../workers/worker-messages.ts';
import { estimateCost } from '../exposure-cost.ts';
import { chooseService } from '../open-gateway.ts';
import { digestWarnings, listWarnings as listDomainWarnings, listWarningLines } from '../terminal/digest-lines.ts';
import type { Launch } from '../terminal/launch-words.ts';
import { count, shown } from '../terminal/terminal.ts';
import type { Authorities } from './authorities.ts';
import { type Addresses, describeCallers, OPEN_TO_ALL, renderBanner, renderLine, type Screen } from './banner.ts';
import { listCredentials, listMissing } from './credential-lines.ts';
import { bracketed, clientUrl, listDoorWarnings } from './doors.ts';
import type { Parts } from './open-parts.ts';
import { isWideOpen } from './start-checks.ts';
import type { Transports } from './start-transports.ts';

export function listWarnings(config: Config, authorities: Authorities | undefined): string[] {
  return [...(authorities?.warnings ?? []), ...listDoorWarnings(config, authorities !== undefined)];
}

/** Where it listens; `adminPort`: the port of the admin listener, whichever process has it. */
type Listening = Transports & { readonly adminPort?: number | undefined };

export function renderAnnouncement(launch: Launch, parts: Parts, running: Listening, json: boolean): Announcement {
  const { gateway: all, authorities } = parts;
  const { config } = launch;
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
    isWideOpen: isWideOpen(config, authorities),
  };
  const { domains } = gateway;
  const isRead = process.stderr.isTTY === true;
  const lines = isRead ? [] : [...listLines(launch, domains), toReadyLine(launch, { ...gateway, ...service }, at)];
  if (json) {
    const line = `${JSON.stringify(describe(launch, gateway, authorities, at))}\n`;
    // With stdio, stdout belongs to the protocol. What this line contains is not logged again.
    return config.stdio
      ? { stdout: '', stderr: line, lines: [] }
      : { stdout: line, stderr: '', lines: lines.slice(-1) };
  }
  const notes = [
    ...listCredentials(domains).map((line) => `credential ${shown(line)}`),
    ...digestWarnings(domains, launch.verbose),
  ];
  if (config.stdio) {
    const ready = [...notes, ...describeStdio(gateway, service.registry.tools.size, at)];
    return { stdout: '', stderr: isRead ? toText(ready) : '', lines };
  }
  return process.stdout.isTTY
    ? { stdout: renderBanner(gateway, at, launch, screenOf(process.stdout)), stderr: '', lines }
    : { stdout: renderLine(gateway, at, launch.workers), stderr: isRead ? toText(notes) : '', lines };
}

/** A terminal that does not say its size, or is smaller than any, counts as one of 24 lines. */
function screenOf({ columns, rows }: NodeJS.WriteStream): Screen {
  return { columns: columns || 80, rows: Math.max(rows || 0, 24) };
}

/** What an operator should know about the domains, as lines of the log. */
function listLines({ verbose }: Launch, domains: readonly Domain[]): AnnouncedLine[] {
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
function toReadyLine({ workers = 1 }: Launch, gateway: Gateway, at: Addresses): AnnouncedLine {
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
    warnings: listDomainWarnings(domains).length,
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
  { config, workers = 1 }: Launch,
  { domains, registry }: Gateway,
  authorities: Authorities | undefined,
  { isWideOpen: isOpen, ...where }: Addresses,
): object {
  const notes = [...(isOpen ? [OPEN_TO_ALL] : []), ...listWarnings(config, authorities)];
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

// landbridge serve: configuration → gateway → transports → signals.
import { type AuditTrail, openTrail } from '../../audit/trail.ts';
import { type Config, envFilesOf, type Flags, readConfig } from '../../config/read-config.ts';
import type { Domain } from '../../endpoint/model.ts';
import { createRedactor } from '../../endpoint/redaction/redact.ts';
import { collectSecrets } from '../../endpoint/secrets.ts';
import { GatewayError } from '../../errors.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../gateway.ts';
import { createLog, flushLog, type Logger } from '../../log.ts';
import type { RedisState } from '../../state/redis-state.ts';
import type { Refusals } from '../../transport/door/refusals.ts';
import type { TlsOptions } from '../../transport/door/tls.ts';
import type { HttpServer } from '../../transport/http.ts';
import { serveHttp } from '../../transport/http-server.ts';
import { LINES_UNDER_WAY } from '../../transport/lines/lines.ts';
import { type StdioServer, startStdio } from '../../transport/lines/stdio.ts';
import { type ProtocolOf, startTcp, type TcpServer } from '../../transport/lines/tcp.ts';
import { isLoopback } from '../../transport/listen.ts';
import { costOfList, listModes, measureModes } from '../exposure-cost.ts';
import { chooseService, load, toGatewayOptions } from '../open-gateway.ts';
import { digestWarnings } from '../terminal/digest-lines.ts';
import { count, shown } from '../terminal/terminal.ts';
import { type Authorities, createAuthorities, prepareCatalogs } from './authorities.ts';
import { type Addresses, describeCallers, type Launch, OPEN_TO_ALL, renderBanner, renderLine } from './banner.ts';
import { listCredentials } from './credential-lines.ts';
import { clientUrl, listDoorWarnings, openRefusals, readTls } from './doors.ts';

export function runServe(files: readonly string[], flags: Flags & { verbose?: boolean }): Promise<void> {
  const config = readConfig({ ...flags, paths: files }, process.env);
  return serve({ config, envFiles: envFilesOf(flags), verbose: flags.verbose ?? false }, flags.json ?? false);
}

/** All that can be wrong with the settings themselves, before anything is loaded or opened. */
async function prepare(config: Config) {
  refuseContradictions(config);
  const options = await toGatewayOptions(config);
  const tls = readTls(config);
  const authorities = await createAuthorities(config, Object.keys(options.profiles ?? {}));
  refuseOpenDoors(config, authorities);
  return { options, authorities, tls };
}

/** Throws for settings with which `serve` would not start. */
export async function checkSettings(config: Config): Promise<void> {
  const { authorities } = await prepare(config);
  await authorities?.issuers?.close();
}

interface Running {
  http?: HttpServer;
  tcp?: TcpServer;
  stdio?: StdioServer;
  state?: RedisState | undefined;
  audit?: AuditTrail | undefined;
}

async function serve(launch: Launch, json: boolean): Promise<void> {
  const { config } = launch;
  const { options, authorities, tls } = await prepare(config);
  const loaded = await load(config);
  const redact = createRedactor(collectSecrets(loaded.domains));
  for (const secret of authorities?.issuers?.secrets ?? []) redact.keepSecret(secret);
  const log = createLog({ level: config.logLevel, redact, pretty: process.stderr.isTTY === true });
  const refusals = openRefusals(log);
  let gateway: Gateway;
  let audit: AuditTrail | undefined;
  const running: Running = {};
  try {
    refuseUnsigned(loaded.domains, options);
    audit = config.audit && openTrail({ ...config.audit, redact, log });
    running.audit = audit;
    running.state = await openState(config, log);
    for (const secret of running.state?.secrets ?? []) redact.keepSecret(secret);
    gateway = createGateway({
      ...options,
      domains: loaded.domains,
      log,
      redact,
      audit,
      isPrivate: authorities !== undefined,
      sharedRates: running.state?.rates,
      spent: running.state?.spent,
    });
    if (authorities !== undefined) prepareCatalogs(gateway, authorities);
    await start(config, gateway, authorities, tls, refusals, running, log);
  } catch (error) {
    await running.http?.close(0);
    await running.tcp?.close(0);
    await authorities?.issuers?.close();
    audit?.close();
    running.state?.close();
    await loaded.close();
    throw error;
  }

  const stop = createStop(config, running, log, refusals, gateway, async () => {
    await authorities?.issuers?.close();
    await gateway.close();
    audit?.close();
    running.state?.close();
    await loaded.close();
  });
  if (audit) keepTrail(audit);
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // A bug nobody foresaw: say so, let the others finish, and go. Carrying on could answer with half-changed state.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    stop('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    stop('unhandledRejection', 1);
  });
  // Stopping ends stdin itself, and is no second signal.
  if (running.stdio && !running.http && !running.tcp)
    void running.stdio.finished.then(() => stopping || stop('stdin ended'));
  if (isWideOpen(config, authorities)) log.warn(OPEN_TO_ALL);
  for (const warning of listWarnings(config, authorities)) log.warn(warning);
  await announce(launch, gateway, authorities, running, json);
}

/** logrotate and the like say by SIGHUP that the file has another name now. Even a hasty end is signed. */
function keepTrail(audit: AuditTrail): void {
  process.on('SIGHUP', () => audit.reopen());
  process.on('exit', () => audit.close());
}

/** What replicas share, where the configuration says where. A Redis that is away keeps nobody from starting. */
async function openState({ state }: Config, log: Logger): Promise<RedisState | undefined> {
  if (state === undefined) return undefined;
  const { openRedisState } = await import('../../state/redis-state.ts');
  return openRedisState({
    url: state,
    onChange: (isUsable, where, why) => {
      if (isUsable) log.info({ where }, 'shared state is there: limits and confirmations count for all replicas');
      else
        log.warn(
          { where, why },
          'shared state is away: each replica applies the limits by itself, and confirmations are refused',
        );
    },
    onWarning: (message) => log.warn(`shared state: ${message}`),
  });
}

/** Better no start than one that cannot be reached, or that hangs on a stdin wanted twice. */
function refuseContradictions({ http, tcp, stdio, paths }: Config): void {
  const usage = { usage: true };
  if (!http && tcp === undefined && !stdio)
    throw new GatewayError('BAD_CONFIG', '--no-http leaves nothing to listen on: add --stdio or --tcp <port>.', usage);
  if (stdio && paths.includes('-'))
    throw new GatewayError('BAD_CONFIG', '- and --stdio both want stdin: give the document as a file or URL.', usage);
}

/** What can be reached from other machines must not be open to all of them by accident. */
function refuseOpenDoors(config: Config, authorities: Authorities | undefined): void {
  if (config.allowUnauthenticated || !isWideOpen(config, authorities)) return;
  throw new GatewayError(
    'BAD_CONFIG',
    `Refusing to listen on ${config.host}: anybody who reaches this machine could call these APIs with your credentials. ` +
      'Say who may call ("landbridge key new <name>" makes a key), keep to 127.0.0.1 behind a proxy that authenticates, ' +
      'or add --allow-unauthenticated if something else protects this port.',
  );
}

/** Other machines reach a port on which nobody is asked who calls. */
function isWideOpen({ host, http, tcp }: Config, authorities: Authorities | undefined): boolean {
  return authorities === undefined && !isLoopback(host) && (http || tcp !== undefined);
}

/** Every call of such a domain would be refused: better said now. */
function refuseUnsigned(domains: readonly Domain[], { assertions }: Pick<GatewayOptions, 'assertions'>): void {
  if (assertions !== undefined) return;
  const asking = domains.filter(({ endpoints }) =>
    endpoints.some(({ security }) => security.flat().some(({ kind }) => kind === 'assertion')),
  );
  if (asking.length > 0)
    throw new GatewayError(
      'BAD_CONFIG',
      `${asking.map(({ name }) => name).join(', ')} wants assertions about callers, and there is no key to sign them with. Write assertions: { keys: [key.pem] } in landbridge.yaml; openssl genpkey -algorithm ed25519 -out key.pem makes one.`,
    );
}

async function start(
  config: Config,
  gateway: Gateway,
  authorities: Authorities | undefined,
  tls: TlsOptions | undefined,
  refusals: Refusals,
  running: Running,
  log: Logger,
): Promise<void> {
  const { protocol } = chooseService(gateway, config);
  const limits = { maxLineBytes: config.maxBodyBytes, maxConcurrent: LINES_UNDER_WAY };
  gateway.limits.overload.start();
  if (config.http) {
    running.http = await serveHttp(gateway, {
      host: config.host,
      port: config.port,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      publicUrl: config.publicUrl,
      trustedProxies: config.trustedProxies,
      tls,
      refusals,
      maxBodyBytes: config.maxBodyBytes,
      ready: () => !stopping,
      problem: () => (running.audit?.isRefusing ? 'calls cannot be recorded' : undefined),
      ...(authorities && { identify: authorities.identify }),
      ...(authorities?.issuers && { publicDocument: authorities.issuers.resource.documentAt }),
      sharedState: running.state && (() => (running.state?.isUsable ? 'ok' : 'degraded')),
      onInternalError: (error) => log.error({ err: error }, 'internal error'),
    });
    authorities?.issuers?.start(log, `http${tls ? 's' : ''}://${bracketed(config.host)}:${running.http.port}`);
  }
  if (config.tcp !== undefined) {
    const { profile = '' } = config;
    running.tcp = await startTcp(usableBy(gateway, profile), {
      ...limits,
      identify: authorities?.identifyOverTcp(profile),
      tls,
      refusals,
      host: config.host,
      port: config.tcp,
      maxConnections: config.maxConnections,
      idleMs: config.idleSeconds * 1_000,
    });
    if (!running.http) authorities?.issuers?.start(log, `http://${bracketed(config.host)}:${running.tcp.port}`);
  }
  if (config.stdio) running.stdio = startStdio(protocol, limits);
}

/** What a caller may use of a profile. */
function usableBy(gateway: Gateway, profile: string): ProtocolOf {
  return ({ profiles, effects }) =>
    profiles === undefined || profiles.includes(profile) ? gateway.serviceOf(profile, effects)?.protocol : undefined;
}

/** As it stands in a URL. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

let stopping = false;

function createStop(
  config: Config,
  running: Running,
  log: Logger,
  refusals: Refusals,
  gateway: Gateway,
  release: () => Promise<void>,
): (why: string, code?: number) => void {
  return (why, code = 0) => {
    // A second signal means: now.
    if (stopping) process.exit(code === 0 ? 130 : code);
    stopping = true;
    refusals.flush();
    const limited = Object.entries(gateway.limits.refused).filter(([, count]) => count > 0);
    log.info(
      {
        why,
        ...(refusals.counts.size > 0 && { refused: Object.fromEntries(refusals.counts) }),
        ...(limited.length > 0 && { limited: Object.fromEntries(limited) }),
      },
      'stopping',
    );
    const graceMs = config.graceSeconds * 1_000;
    // Subscriptions would otherwise hold their connections open for the whole grace time.
    gateway.drain();
    void (async () => {
      await Promise.all([running.http?.close(graceMs), running.tcp?.close(graceMs), running.stdio?.close(graceMs)]);
      await release();
      await flushLog(log);
      process.exit(code);
    })();
  };
}

function listWarnings(config: Config, authorities: Authorities | undefined): string[] {
  return [...(authorities?.warnings ?? []), ...listDoorWarnings(config, authorities !== undefined)];
}

async function announce(
  launch: Launch,
  all: Gateway,
  authorities: Authorities | undefined,
  running: Running,
  json: boolean,
): Promise<void> {
  const { config } = launch;
  // --profile is for stdio and TCP; over HTTP everything is served beside it.
  const chosen = chooseService(all, config);
  const gateway = running.http ? all : { ...all, ...chosen };
  const host = bracketed(config.host);
  const http = running.http && `http${config.tls ? 's' : ''}://${host}:${running.http.port}/mcp`;
  const at: Addresses = {
    http,
    url: http && clientUrl(config, http),
    tcp: running.tcp && `${host}:${running.tcp.port}`,
    stdio: config.stdio,
    ...(config.tls && { tls: true }),
    authentication: (running.http || running.tcp) && authorities?.summary,
    isWideOpen: isWideOpen(config, authorities),
  };
  // stdout is the protocol's when stdio is on.
  const out = config.stdio ? process.stderr : process.stdout;
  if (json) {
    const { domains, registry } = gateway;
    const { isWideOpen: isOpen, ...where } = at;
    const notes = [...(isOpen ? [OPEN_TO_ALL] : []), ...listWarnings(config, authorities)];
    out.write(
      `${JSON.stringify({ ...where, authentication: at.authentication ?? 'none', domains: domains.map(({ name }) => name), tools: registry.tools.size, operations: registry.operations.length, credentials: listCredentials(domains), warnings: [...notes, ...domains.flatMap(({ warnings }) => warnings)] })}\n`,
    );
  } else if (config.stdio) {
    for (const line of listCredentials(gateway.domains)) out.write(`credential ${shown(line)}\n`);
    for (const line of digestWarnings(gateway.domains, launch.verbose)) out.write(`${line}\n`);
    out.write(
      `${gateway.name} ${gateway.version} is ready on stdio with ${count(chosen.registry.tools.size, 'tool')}.\n`,
    );
    if (at.http) out.write(`MCP over HTTP: ${at.http}\n`);
    if (at.tcp) out.write(`MCP over TCP${at.tls ? ' (TLS)' : ''}: ${at.tcp}\n`);
    if (at.http || at.tcp) for (const line of describeCallers(at)) out.write(`${line}\n`);
  } else if (process.stdout.isTTY) {
    const modes = listModes(await measureModes(gateway, gateway.domains));
    out.write(renderBanner(gateway, at, launch, costOfList(gateway), modes, process.stdout.columns || 80));
  } else {
    out.write(renderLine(gateway, at, costOfList(gateway)));
    // What a person would have to know all the same goes where notes go.
    for (const line of listCredentials(gateway.domains)) process.stderr.write(`credential ${shown(line)}\n`);
    for (const line of digestWarnings(gateway.domains, launch.verbose)) process.stderr.write(`${line}\n`);
  }
}

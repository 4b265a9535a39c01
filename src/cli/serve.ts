// landbridge serve: configuration → gateway → transports → signals.
import type { Command } from 'commander';
import { type Config, type Flags, readConfig } from '../config.ts';
import { collectSecrets, createRedactor } from '../endpoint/secrets.ts';
import { GatewayError } from '../errors.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createLog, flushLog, type Logger } from '../log.ts';
import type { HttpServer } from '../transport/http.ts';
import { isLoopback } from '../transport/listen.ts';
import { serveHttp } from '../transport/serve.ts';
import { type StdioServer, startStdio } from '../transport/stdio.ts';
import { startTcp, type TcpServer } from '../transport/tcp.ts';
import { type Addresses, renderBanner } from './banner.ts';
import { load, toGatewayOptions } from './build.ts';
import {
  allowedHostOption,
  allowedOriginOption,
  exposureOption,
  jsonOption,
  tokenBudgetOption,
  withSourceOptions,
} from './options.ts';

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('Serve APIs as MCP tools over HTTP, stdio and raw TCP.')
    .argument(
      '[files...]',
      'OpenAPI documents, domain files or folders (default: ./domains, else the bundled samples)',
    );
  withSourceOptions(command)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1; HOST)')
    .option('-p, --port <port>', 'HTTP port, 0 picks one (default: 3333; PORT)')
    .option('--stdio', 'speak MCP on stdin and stdout (without HTTP, unless --port is given too)')
    .option('--tcp <port>', 'also listen for raw TCP, 0 picks a port')
    .option('--no-http', 'no HTTP')
    .addOption(exposureOption())
    .addOption(tokenBudgetOption())
    .option('--read-only', 'refuse everything that is not a read')
    .option('--guard <policy>', 'destructive calls: allow, confirm (default) or deny')
    .option(
      '--profiles <file>',
      'named subsets of the tools, each at /mcp/<name> (default: ./profiles.yaml where there is one)',
    )
    .option('--profile <name>', 'serve this profile on stdio and TCP')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (default: info; LOG_LEVEL)')
    .addOption(allowedHostOption())
    .addOption(allowedOriginOption())
    .option('--allow-unauthenticated', 'listen beyond this machine without authentication in front')
    .option('--max-body <bytes>', 'largest message accepted (default: 1048576)')
    .option('--max-connections <n>', 'TCP connections at once (default: 100)')
    .option('--idle-seconds <n>', 'close TCP connections idle for this long (default: 300)')
    .option('--grace <seconds>', 'time for calls under way to finish on shutdown (default: 10)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  landbridge serve                                          the bundled samples on http://127.0.0.1:3333/mcp
  landbridge serve ./openapi.yaml                           any OpenAPI document
  landbridge serve https://api.example.com/openapi.json --header 'Authorization: Bearer \${TOKEN}'
  landbridge serve --stdio ./openapi.yaml                   for clients that start their servers themselves
  landbridge serve ./domains --tcp 4444 --read-only         a folder of domain files, HTTP and TCP, reads only`,
    )
    .action((files: string[], flags: Flags & { json?: boolean }) =>
      serve(readConfig({ ...flags, paths: files }, process.env), flags.json ?? false),
    );
}

interface Running {
  http?: HttpServer;
  tcp?: TcpServer;
  stdio?: StdioServer;
}

async function serve(config: Config, json: boolean): Promise<void> {
  refuseOpenDoors(config);
  const loaded = await load(config);
  const redact = createRedactor(collectSecrets(loaded.domains));
  const log = createLog({ level: config.logLevel, redact, pretty: process.stderr.isTTY === true });
  let gateway: Gateway;
  const running: Running = {};
  try {
    gateway = createGateway({ ...toGatewayOptions(config), domains: loaded.domains, log, redact });
    await start(config, gateway, running, log);
  } catch (error) {
    await running.http?.close(0);
    await running.tcp?.close(0);
    await loaded.close();
    throw error;
  }

  const stop = createStop(config, running, log, async () => {
    await gateway.close();
    await loaded.close();
  });
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
  if (running.stdio && !running.http && !running.tcp) void running.stdio.finished.then(() => stop('stdin ended'));
  announce(config, gateway, running, json);
}

/** THREATS 10: what can be reached from other machines must not be open to all of them by accident. */
function refuseOpenDoors(config: Config): void {
  if (config.allowUnauthenticated || isLoopback(config.host) || !(config.http || config.tcp !== undefined)) return;
  throw new GatewayError(
    'BAD_CONFIG',
    `Refusing to listen on ${config.host}: anybody who reaches this machine could call these APIs with your credentials. ` +
      'Keep to 127.0.0.1 behind a proxy that authenticates, or add --allow-unauthenticated if something else protects this port.',
  );
}

async function start(config: Config, gateway: Gateway, running: Running, log: Logger): Promise<void> {
  const face = gateway.faceOf(config.profile ?? '');
  if (!face) {
    const known = [...gateway.profiles.keys()].join(', ') || 'none; --profiles names a file that declares some';
    throw new GatewayError('BAD_CONFIG', `There is no profile "${config.profile}". Known: ${known}.`);
  }
  const { protocol } = face;
  const limits = { maxLineBytes: config.maxBodyBytes, maxConcurrent: 100 };
  if (config.http) {
    running.http = await serveHttp(gateway, {
      host: config.host,
      port: config.port,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      maxBodyBytes: config.maxBodyBytes,
      ready: () => !stopping,
      onInternalError: (error) => log.error({ err: error }, 'internal error'),
    });
  }
  if (config.tcp !== undefined) {
    running.tcp = await startTcp(protocol, {
      ...limits,
      host: config.host,
      port: config.tcp,
      maxConnections: config.maxConnections,
      idleMs: config.idleSeconds * 1_000,
    });
  }
  if (config.stdio) running.stdio = startStdio(protocol, limits);
}

let stopping = false;

function createStop(
  config: Config,
  running: Running,
  log: Logger,
  release: () => Promise<void>,
): (why: string, code?: number) => void {
  return (why, code = 0) => {
    // A second signal means: now.
    if (stopping) process.exit(code === 0 ? 130 : code);
    stopping = true;
    log.info({ why }, 'stopping');
    const graceMs = config.graceSeconds * 1_000;
    void (async () => {
      await Promise.all([running.http?.close(graceMs), running.tcp?.close(graceMs), running.stdio?.close(graceMs)]);
      await release();
      await flushLog(log);
      process.exit(code);
    })();
  };
}

function announce(config: Config, gateway: Gateway, running: Running, json: boolean): void {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const at: Addresses = {
    http: running.http && `http://${host}:${running.http.port}/mcp`,
    tcp: running.tcp && `${host}:${running.tcp.port}`,
    stdio: config.stdio,
  };
  // stdout is the protocol's when stdio is on.
  const out = config.stdio ? process.stderr : process.stdout;
  if (json) {
    const { domains, registry } = gateway;
    out.write(
      `${JSON.stringify({ ...at, domains: domains.map(({ name }) => name), tools: registry.tools.size, operations: registry.operations.length })}\n`,
    );
  } else if (config.stdio) {
    for (const { name, warnings } of gateway.domains)
      for (const warning of warnings) out.write(`! ${name}: ${warning}\n`);
    out.write(`${gateway.name} ${gateway.version} is ready on stdio with ${gateway.registry.tools.size} tools.\n`);
    if (at.http) out.write(`MCP over HTTP: ${at.http}\n`);
    if (at.tcp) out.write(`MCP over TCP: ${at.tcp}\n`);
  } else out.write(renderBanner(gateway, at, config.paths, ''));
}

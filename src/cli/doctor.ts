// landbridge doctor: is this catalog fit for models and clients? For people, and for CI by its exit code.
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import pc from 'picocolors';
import { type Flags, readConfig } from '../config.ts';
import type { ClientId } from '../doctor/client-check.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Finding } from '../doctor/finding.ts';
import { closest } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { costOfList } from './exposure-cost.ts';
import { withGateway } from './open-gateway.ts';
import { shown } from './terminal.ts';

export interface DoctorFlags extends Flags {
  readonly client?: readonly string[];
  readonly online?: boolean;
  readonly strict?: boolean;
}

/** What people call a client → whose rules that means. */
const NAMED: Readonly<Record<string, readonly ClientId[]>> = {
  claude: ['claude', 'claude_desktop', 'claude_code'],
  openai: ['openai', 'chatgpt'],
  gemini: ['gemini'],
  vscode: ['vscode'],
  cursor: ['cursor'],
};

const CONNECT_MS = 5_000;

export async function runDoctor(files: readonly string[], flags: DoctorFlags): Promise<void> {
  const clients = (flags.client ?? Object.keys(NAMED)).flatMap(readClient);
  const config = readConfig({ ...flags, paths: files }, process.env);
  await withGateway(config, async (gateway) => {
    const findings = diagnose({
      domains: gateway.domains,
      registry: gateway.registry,
      policy: { readOnly: config.readOnly, destructive: config.guard },
      tokenBudget: config.tokenBudget,
      clients: ['mcp', ...clients],
    });
    if (flags.online) findings.push(...(await checkOnline(gateway)));
    const summary = summarise(gateway, findings, flags.strict ?? false);
    process.stdout.write(flags.json ? `${JSON.stringify({ ...summary, findings })}\n` : render(findings, summary));
    if (!summary.healthy) process.exitCode = 1;
  });
}

function readClient(name: string): readonly ClientId[] {
  const rules = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (rules) return rules;
  const near = closest(name, Object.keys(NAMED));
  const hint = near ? ` Did you mean ${near}?` : '';
  throw new GatewayError(
    'BAD_CONFIG',
    `There are no rules for the client "${name}".${hint} Known: ${Object.keys(NAMED).join(', ')}.`,
    { usage: true },
  );
}

/** Whether anybody listens at each origin. No request is sent: that could have effects. */
async function checkOnline({ domains }: Gateway): Promise<Finding[]> {
  const origins = new Map<string, string>();
  for (const { name, endpoints } of domains) {
    for (const { baseUrl } of endpoints) if (baseUrl !== '') origins.set(new URL(baseUrl).origin, name);
  }
  const findings = [...origins].map(async ([origin, where]): Promise<Finding[]> => {
    const problem = await tryConnect(new URL(origin));
    if (problem === undefined) return [];
    const message = `${origin} cannot be reached: ${problem}`;
    return [{ severity: 'error', check: 'base_url', where, message, fix: 'check the base URL and the network' }];
  });
  return (await Promise.all(findings)).flat();
}

function tryConnect({ protocol, hostname, port }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const options = { host, port: Number(port) || (secure ? 443 : 80), timeout: CONNECT_MS };
  return new Promise((resolve) => {
    const socket = secure ? connectTls({ ...options, servername: host }) : connectTcp(options);
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once(secure ? 'secureConnect' : 'connect', () => finish());
    socket.once('timeout', () => finish(`no answer within ${CONNECT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
  });
}

function summarise(gateway: Gateway, findings: readonly Finding[], strict: boolean) {
  const { exposure, tools } = gateway.registry;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const healthy = errors === 0 && !(strict && warnings > 0);
  return { healthy, exposure, tools: tools.size, tokens: costOfList(gateway), errors, warnings };
}

const TITLES: Readonly<Record<Finding['check'], string>> = {
  tokens: 'Token budget',
  client: 'Client compatibility',
  description: 'Descriptions',
  guard: 'Destructive operations',
  effect: 'Effects by meaning',
  arguments: 'Arguments',
  examples: 'Examples of the document',
  credentials: 'Credentials',
  base_url: 'Base URLs',
  suspicious: 'Suspicious text',
  quarantine: 'Quarantine',
};
const MOST_PER_CHECK = 12;

function render(findings: readonly Finding[], summary: ReturnType<typeof summarise>): string {
  const sections = (Object.keys(TITLES) as Finding['check'][]).map((check) => {
    const some = findings.filter((finding) => finding.check === check);
    if (some.length === 0) return `${pc.green('✓')} ${TITLES[check]}`;
    const bad = some.some(({ severity }) => severity === 'error');
    const lines = some
      .slice(0, MOST_PER_CHECK)
      .map(({ where, message }) => `    ${pc.bold(shown(where))}: ${shown(message)}`);
    const fixes = [...new Set(some.map(({ fix }) => fix))].map((fix) => pc.dim(`    → ${fix}`));
    const more =
      some.length > MOST_PER_CHECK ? [pc.dim(`    … and ${some.length - MOST_PER_CHECK} more (--json lists all)`)] : [];
    return [`${bad ? pc.red('✗') : pc.yellow('!')} ${TITLES[check]}`, ...lines, ...more, ...fixes].join('\n');
  });
  const { healthy, exposure, tools, tokens, errors, warnings } = summary;
  const verdict = healthy ? pc.green('Fit for models.') : pc.red('Not fit yet.');
  return `${sections.join('\n')}\n\n${verdict} ${tools} tools (exposure ${exposure}), ${tokens.toLocaleString('en-US')} tokens, ${errors} errors, ${warnings} warnings.\n`;
}

// landbridge doctor: is this catalog fit for models and clients? For people, and for CI by its exit code.

import { existsSync } from 'node:fs';
import { BUNDLED_DOMAINS, type Config, type Flags, readConfig } from '../../config/read-config.ts';
import type { ClientId } from '../../doctor/client-rules.ts';
import { diagnose } from '../../doctor/diagnose.ts';
import type { CheckCode, Finding, Severity } from '../../doctor/finding.ts';
import { renderEntries } from '../../domain/edit-yaml.ts';
import type { Domain } from '../../endpoint/model.ts';
import { suggestion } from '../../endpoint/suggest.ts';
import { usageError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { readProxyRules } from '../../network/proxy-rules.ts';
import { costOfList } from '../exposure-cost.ts';
import type { Io } from '../io.ts';
import { toGatewayOptions, withGateway } from '../open-gateway.ts';
import { askToWrite, isPersonThere } from '../terminal/ask-person.ts';
import { diffLines } from '../terminal/line-diff.ts';
import { colours as pc } from '../terminal/palette.ts';
import { count, shown } from '../terminal/terminal.ts';
import { tryIssuers } from './try-issuers.ts';
import { MAX_CALLS, tryReads } from './try-reads.ts';
import { type FilePlan, planRepairs, writePlan } from './write-repairs.ts';

export interface DoctorFlags extends Flags {
  readonly client?: readonly string[];
  readonly online?: boolean;
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

/** The names of --client, and the clients whose rules they stand for. */
const CLIENT_NAMES: Readonly<Record<string, readonly ClientId[]>> = {
  claude: ['claude', 'claude_desktop', 'claude_code'],
  openai: ['openai', 'chatgpt'],
  gemini: ['gemini'],
  vscode: ['vscode'],
  cursor: ['cursor'],
};

export async function runDoctor(io: Io, files: readonly string[], flags: DoctorFlags): Promise<number> {
  const clients = (flags.client ?? Object.keys(CLIENT_NAMES)).flatMap(readClient);
  const config = readConfig({ ...flags, paths: files }, io.env);
  if (config.paths.length === 1 && config.paths[0] === BUNDLED_DOMAINS)
    io.stderr.write('There is no folder ./domains here, so the doctor examines the sample APIs of the package.\n');
  const first = await examine(io, config, clients, flags);
  if (!flags.fix) return report(io, first, flags);
  const plans = await planRepairs(first.domains, first.findings, config);
  if (!flags.json) io.stdout.write(renderPlans(plans));
  const edits = plans.filter(({ before, after }) => before !== after);
  const mayWrite = edits.length > 0 && (await confirmWrite(io, flags));
  const instead = new Map<string, string>();
  if (mayWrite) {
    for (const plan of edits) await writePlan(plan, config);
    if (!flags.json) io.stdout.write(`${edits.map(({ file }) => `${pc.green('✓')} ${file}`).join('\n')}\n\n`);
  }
  for (const { file, instead: document } of plans)
    if (document !== undefined && file !== undefined && existsSync(file)) instead.set(document, file);
  const paths = config.paths.map((path) => instead.get(path) ?? path);
  // The remaining findings are those of the repaired files.
  const last = mayWrite || instead.size > 0 ? await examine(io, { ...config, paths }, clients, flags) : first;
  const entries = mayWrite ? edits.map(({ domain, file, byHand }) => ({ domain, file, byHand })) : [];
  return report(io, last, flags, { written: entries });
}

interface Examination {
  readonly domains: readonly Domain[];
  readonly findings: readonly Finding[];
  readonly summary: ReturnType<typeof summarise>;
  /** With --online: the domains of which no read was called. */
  readonly untestedDomains: readonly string[];
}

function examine(io: Io, config: Config, clients: readonly ClientId[], flags: DoctorFlags): Promise<Examination> {
  return withGateway(io, config, async (gateway) => {
    const findings = diagnose({
      domains: gateway.domains,
      registry: gateway.registry,
      policy: gateway.policy,
      tokenBudget: config.tokenBudget,
      clients: ['mcp', ...clients],
    });
    if (flags.online) io.stderr.write(`--online: at most ${MAX_CALLS} calls, only reads, one at a time …\n`);
    const proxies = readProxyRules(config.env);
    const { assertions } = await toGatewayOptions(config);
    const online = flags.online ? await tryReads(gateway, { proxies, assertions }) : undefined;
    findings.push(...(online?.findings ?? []));
    if (flags.online) findings.push(...(await tryIssuers(config, new Set(gateway.profiles.keys()))));
    return {
      domains: gateway.domains,
      findings,
      summary: summarise(gateway, findings, flags.strict ?? false, online?.calls),
      untestedDomains: online?.untestedDomains ?? [],
    };
  });
}

function report({ stdout }: Io, examination: Examination, flags: DoctorFlags, more: object = {}): number {
  const { findings, summary } = examination;
  // `repair`: lines for the domain file, each of them YAML; `fixable`: --fix writes them.
  const all = findings.map(({ repairs = [], isChoice, ...finding }) =>
    repairs.length === 0 ? finding : { ...finding, repair: renderEntries(repairs), fixable: isChoice !== true },
  );
  stdout.write(
    flags.json
      ? `${JSON.stringify({ ...summary, ...more, findings: all })}\n`
      : render(examination, flags.verbose ?? false),
  );
  return summary.healthy ? 0 : 1;
}

function renderPlans(plans: readonly FilePlan[]): string {
  if (plans.length === 0) return 'There is nothing to repair in a domain file.\n\n';
  const parts = plans.map(({ domain, file, before, after, byHand, why }) => {
    const lines = diffLines(before, after);
    const head = file === undefined ? domain : `${file}${before === '' ? ' (new)' : ''}`;
    const remarks = file !== undefined && lines.length === 0 ? [pc.dim('  already contains these lines')] : [];
    const hand = byHand.length === 0 ? [] : [pc.yellow(`${why}:`), ...byHand.map((line) => `  ${shown(line)}`)];
    return [pc.bold(head), ...lines, ...remarks, ...hand].join('\n');
  });
  return `${parts.join('\n\n')}\n\n`;
}

/** People at a terminal are asked once. A script that passes --fix has decided. */
async function confirmWrite(io: Io, flags: DoctorFlags): Promise<boolean> {
  return flags.yes || flags.json || !isPersonThere(io) || askToWrite(io);
}

function readClient(name: string): readonly ClientId[] {
  const rules = Object.hasOwn(CLIENT_NAMES, name) ? CLIENT_NAMES[name] : undefined;
  if (rules) return rules;
  const hint = suggestion(name, Object.keys(CLIENT_NAMES));
  throw usageError(
    `There are no rules for the client "${name}".${hint} Known clients: ${Object.keys(CLIENT_NAMES).join(', ')}.`,
  );
}

function summarise(gateway: Gateway, findings: readonly Finding[], strict: boolean, calls: number | undefined) {
  const { exposure, tools } = gateway.registry;
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  const healthy = errors === 0 && !(strict && warnings > 0);
  return {
    healthy,
    exposure,
    tools: tools.size,
    tokens: costOfList(gateway),
    errors,
    warnings,
    notes,
    ...(calls !== undefined && { calls }),
  };
}

const TITLES: Readonly<Record<CheckCode, string>> = {
  tokens: 'Token budget',
  client: 'Client compatibility',
  description: 'Descriptions',
  guard: 'Guard of destructive operations',
  effect: 'Effects of operations',
  arguments: 'Arguments',
  examples: 'Examples in the document',
  credentials: 'Credentials',
  base_url: 'Base URLs',
  online: 'Answers from the API',
  proof: 'Credentials, tested with calls',
  issuers: 'Authorization servers',
  suspicious: 'Safe texts',
  quarantine: 'Complete import',
};
const MOST_PER_CHECK = 12;

const MARKS: Readonly<Record<Severity, () => string>> = {
  error: () => pc.red('✗'),
  warning: () => pc.yellow('!'),
  note: () => pc.cyan('i'),
};

/** A check without findings. What no call has tested gets no tick. */
function renderQuiet(check: CheckCode, { summary, untestedDomains }: Examination): string {
  // Credentials that were tested have a finding each, good ones too.
  if (check === 'proof') return `${pc.dim('–')} Credentials: not tested with calls, because no call had one`;
  const names = untestedDomains.map(shown).join(', ');
  if (check !== 'online' || names === '') return `${pc.green('✓')} ${TITLES[check]}`;
  return summary.calls === 0
    ? `${pc.dim('–')} ${TITLES[check]}: not tested, because no read was called (${names})`
    : `${pc.green('✓')} ${TITLES[check]} (not tested, because no read was called: ${names})`;
}

function render(examination: Examination, all: boolean): string {
  const { findings, summary } = examination;
  const checks = (Object.keys(TITLES) as CheckCode[]).filter((check) =>
    check === 'issuers'
      ? findings.some((finding) => finding.check === check)
      : (check !== 'online' && check !== 'proof') || summary.calls !== undefined,
  );
  const sections = checks.map((check) => {
    const some = findings.filter((finding) => finding.check === check);
    if (some.length === 0) return renderQuiet(check, examination);
    const worst = (['error', 'warning'] as const).find((level) => some.some(({ severity }) => severity === level));
    const part = all ? some : some.slice(0, MOST_PER_CHECK);
    const lines = part.flatMap(({ where, message, repairs = [], isChoice }) => [
      `    ${pc.bold(shown(where))}: ${shown(message)}`,
      ...renderEntries(repairs).map((line) => pc.dim(`      ${isChoice ? '?' : '+'} ${shown(line)}`)),
    ]);
    const fixes = [...new Set(some.map(({ fix }) => fix))].map((fix) => pc.dim(`    → ${fix}`));
    const more = some.length - part.length;
    const rest = more > 0 ? [pc.dim(`    … and ${more} more (--verbose or --json lists all)`)] : [];
    return [`${MARKS[worst ?? 'note']()} ${TITLES[check]}`, ...lines, ...rest, ...fixes].join('\n');
  });
  const { healthy, exposure, tools, tokens, errors, warnings, notes, calls } = summary;
  const verdict = healthy ? pc.green('Fit for models.') : pc.red('Not fit yet.');
  const repairs = findings.filter(({ repairs, isChoice }) => repairs !== undefined && !isChoice).length;
  const hint =
    repairs === 0
      ? ''
      : `\n${repairs} of these findings can be repaired in the domain file: --fix writes the lines with +. Lines with ? need your choice.`;
  const counts = [
    `${count(tools, 'tool')} (exposure ${exposure})`,
    count(tokens, 'token'),
    count(errors, 'error'),
    count(warnings, 'warning'),
    count(notes, 'note'),
    ...(calls === undefined ? [] : [`${count(calls, 'read')} called`]),
  ];
  return `${sections.join('\n')}\n\n${verdict} ${counts.join(', ')}.${hint}\n`;
}

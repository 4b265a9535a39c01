// Is a catalog fit for models? One pass over what would be served; every finding names a place and a fix.

import type { Registry } from '../catalog/registry.ts';
import { costOf, listCost } from '../catalog/tokens.ts';
import { toDefinition } from '../catalog/tool-entry.ts';
import type { Domain, Endpoint } from '../endpoint/model.ts';
import { trimEnd } from '../endpoint/plain-text.ts';
import { unsetVariables } from '../endpoint/secrets.ts';
import { type DeploymentPolicy, decidePolicy } from '../orchestration/policy.ts';
import { auditSchema } from '../schema/check/repair.ts';
import { findUnfillable } from '../schema/unfillable.ts';
import { CLIENTS, type ClientId, checkTool, checkToolCount } from './client-check.ts';
import { findHiddenCharacters, findSuspiciousText } from './suspicious.ts';

/** `error` makes the check fail; `warning` is worth a look. */
type Severity = 'error' | 'warning';

export interface Finding {
  readonly severity: Severity;
  readonly check: keyof typeof CHECKS;
  /** A tool, a domain, or the whole list. */
  readonly where: string;
  readonly message: string;
  readonly fix: string;
}

type Result = readonly [severity: Severity, where: string, message: string, fix: string];

export interface DiagnoseInput {
  readonly domains: readonly Domain[];
  readonly registry: Registry;
  readonly policy: DeploymentPolicy;
  readonly tokenBudget: number;
  readonly clients: readonly ClientId[];
}

/** One tool that takes more crowds out the others (ChatGPT refuses above 5,000). */
const HEAVY_TOOL = 1_500;
const MIN_DESCRIPTION = 12;

const CHECKS = {
  tokens: checkTokens,
  client: checkClients,
  description: checkDescriptions,
  guard: checkGuards,
  arguments: checkArguments,
  credentials: checkCredentials,
  base_url: checkBaseUrls,
  suspicious: checkTexts,
  quarantine: checkQuarantine,
};

export function diagnose(input: DiagnoseInput): Finding[] {
  return (Object.keys(CHECKS) as Finding['check'][]).flatMap((check) =>
    [...CHECKS[check](input)].map(([severity, where, message, fix]) => ({ severity, check, where, message, fix })),
  );
}

function* checkTokens({ registry, tokenBudget }: DiagnoseInput): Generator<Result> {
  const tools = [...registry.tools.values()].map(({ tool }) => tool);
  const total = listCost(tools);
  if (total > tokenBudget) {
    const message = `costs ${total.toLocaleString('en-US')} tokens, the budget is ${tokenBudget.toLocaleString('en-US')}`;
    yield ['error', 'tools/list', message, 'choose another --exposure, leave operations out, or raise --token-budget'];
  }
  for (const tool of tools) {
    const tokens = costOf(tool);
    const fix = 'hide arguments nobody needs, or shorten descriptions in the domain file';
    if (tokens > HEAVY_TOOL)
      yield ['warning', tool.name, `costs ${tokens.toLocaleString('en-US')} tokens by itself`, fix];
  }
}

function* checkClients({ registry, clients }: DiagnoseInput): Generator<Result> {
  for (const client of clients) {
    const { title } = CLIENTS[client];
    for (const { tool } of registry.tools.values())
      for (const problem of checkTool(toDefinition(tool), client))
        yield ['error', tool.name, `${title}: ${problem}`, 'rename or rewrite it in the domain file'];
    for (const problem of checkToolCount(registry.tools.size, client)) {
      const fix = 'use --exposure grouped or search, or leave operations out';
      yield ['error', 'tools/list', `${title}: ${problem}`, fix];
    }
  }
}

function* checkDescriptions({ registry }: DiagnoseInput): Generator<Result> {
  for (const { name, endpoint } of registry.operations) {
    const text = `${endpoint.summary} ${endpoint.description ?? ''}`.trim();
    const synthetic = trimEnd(text, '. \n').toUpperCase() === `${endpoint.method} ${endpoint.path}`.toUpperCase();
    if (synthetic || text.length < MIN_DESCRIPTION) {
      const message = synthetic ? 'has no description' : `says only "${text}"`;
      yield ['warning', name, message, 'describe what it does, when to use it and what comes back'];
    }
    const properties = propertiesOf(endpoint);
    const silent = Object.keys(properties).filter((key) => !hasText(properties[key]?.description));
    if (silent.length > 3) {
      const some = `${silent.slice(0, 6).join(', ')}${silent.length > 6 ? ', …' : ''}`;
      const fix = 'describe them in the domain file (operations.<name>.args)';
      yield ['warning', name, `${silent.length} arguments have no description: ${some}`, fix];
    }
  }
}

function* checkGuards({ registry, domains, policy }: DiagnoseInput): Generator<Result> {
  const byName = new Map(domains.map((domain) => [domain.name, domain]));
  for (const { name, endpoint } of registry.operations) {
    const domain = byName.get(endpoint.domain);
    if (endpoint.effect !== 'destructive' || !domain) continue;
    const decision = decidePolicy(endpoint, domain, policy);
    const fix = 'set guard: confirm (or deny), or mark its effect as write if it destroys nothing';
    if (decision.policy === 'allow') yield ['error', name, `destroys data and runs unasked: ${decision.because}`, fix];
  }
}

function* checkArguments({ registry }: DiagnoseInput): Generator<Result> {
  for (const { name, endpoint } of registry.operations) {
    for (const problem of findUnfillable(endpoint.inputSchema)) {
      const fix = 'correct the schema with an overlay, or leave the operation out';
      yield ['error', name, `can never be called: ${problem}`, fix];
    }
    for (const note of auditSchema(endpoint.inputSchema))
      yield ['warning', name, note, 'correct the schema with an overlay, so that all of it is enforced'];
  }
}

function* checkCredentials({ domains }: DiagnoseInput): Generator<Result> {
  for (const { name, endpoints } of domains) {
    // Alternatives are ORed: an operation waits only when none of them is complete.
    const waiting = endpoints.filter(
      ({ security }) =>
        security.length > 0 && security.every((set) => set.some((one) => unsetVariables(one).length > 0)),
    );
    if (waiting.length === 0) continue;
    const variables = new Set(waiting.flatMap(({ security }) => (security[0] ?? []).flatMap(unsetVariables)));
    const who = waiting.length === 1 ? '1 operation waits' : `${waiting.length} operations wait`;
    const fix = 'set the variables, or name others in the domain file';
    yield ['warning', name, `${who} for ${[...variables].join(', ')}`, fix];
  }
}

function* checkBaseUrls({ domains }: DiagnoseInput): Generator<Result> {
  const fix = 'give one with --base-url, or baseUrl in the domain file';
  for (const { name, endpoints } of domains) {
    const homeless = endpoints.filter(({ baseUrl }) => baseUrl === '').length;
    if (homeless > 0) yield ['error', name, `${homeless} operations have no base URL`, fix];
  }
}

function* checkTexts({ domains, registry }: DiagnoseInput): Generator<Result> {
  const fix = 'read the text before any model does; rewrite it in the domain file or an overlay';
  for (const { name, document } of domains) {
    const hidden = document && findHiddenCharacters(document.text);
    if (hidden) yield ['error', name, hidden, fix];
  }
  for (const { name, endpoint } of registry.operations) {
    const descriptions = Object.values(propertiesOf(endpoint)).map((schema) => schema?.description);
    for (const text of [endpoint.summary, endpoint.description, ...descriptions]) {
      const problem = typeof text === 'string' ? (findHiddenCharacters(text) ?? findSuspiciousText(text)) : undefined;
      if (problem === undefined) continue;
      yield ['error', name, problem, fix];
      break;
    }
  }
}

function* checkQuarantine({ domains }: DiagnoseInput): Generator<Result> {
  const fix = 'repair the document with an overlay, or exclude the operation';
  for (const { name, quarantined } of domains)
    for (const { method, path, reason } of quarantined)
      yield ['warning', name, `${method} ${path} is left out: ${reason}`, fix];
}

function propertiesOf({ inputSchema }: Endpoint): Readonly<Record<string, { description?: unknown } | undefined>> {
  return (inputSchema as { properties?: Record<string, { description?: unknown }> }).properties ?? {};
}

function hasText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

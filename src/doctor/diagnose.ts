// Is a catalog fit for models? One pass over what would be served; every finding names a place and a fix.

import type { Registry } from '../catalog/registry.ts';
import { costOf, listCost } from '../catalog/tokens.ts';
import { toDefinition } from '../catalog/tool-entry.ts';
import type { Domain } from '../endpoint/model.ts';
import { trimEnd } from '../endpoint/plain-text.ts';
import { unsetVariables } from '../endpoint/secrets.ts';
import { type DeploymentPolicy, decidePolicy } from '../orchestration/policy.ts';
import { auditSchema } from '../schema/check/repair.ts';
import { findUnfillable } from '../schema/unfillable.ts';
import { CLIENTS, type ClientId, checkTool, checkToolCount } from './client-check.ts';
import { findHiddenCharacters, findSuspiciousText } from './suspicious.ts';

export interface Finding {
  /** `error` makes the check fail; `warning` is worth a look. */
  readonly severity: 'error' | 'warning';
  readonly check:
    | 'tokens'
    | 'client'
    | 'description'
    | 'guard'
    | 'arguments'
    | 'credentials'
    | 'base_url'
    | 'suspicious'
    | 'quarantine';
  /** A tool, a domain, or the whole list. */
  readonly where: string;
  readonly message: string;
  readonly fix: string;
}

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

export function diagnose(input: DiagnoseInput): Finding[] {
  return [
    ...checkTokens(input),
    ...checkClients(input),
    ...checkDescriptions(input),
    ...checkGuards(input),
    ...checkArguments(input),
    ...checkCredentials(input),
    ...checkBaseUrls(input),
    ...checkTexts(input),
    ...checkQuarantine(input),
  ];
}

function checkTokens({ registry, tokenBudget }: DiagnoseInput): Finding[] {
  const tools = [...registry.tools.values()].map(({ tool }) => tool);
  const total = listCost(tools);
  const findings: Finding[] = [];
  if (total > tokenBudget) {
    findings.push({
      severity: 'error',
      check: 'tokens',
      where: 'tools/list',
      message: `costs ${total.toLocaleString('en-US')} tokens, the budget is ${tokenBudget.toLocaleString('en-US')}`,
      fix: 'choose another --exposure, leave operations out, or raise --token-budget',
    });
  }
  for (const tool of tools) {
    const tokens = costOf(tool);
    if (tokens <= HEAVY_TOOL) continue;
    findings.push({
      severity: 'warning',
      check: 'tokens',
      where: tool.name,
      message: `costs ${tokens.toLocaleString('en-US')} tokens by itself`,
      fix: 'hide arguments nobody needs, or shorten descriptions in the domain file',
    });
  }
  return findings;
}

function checkClients({ registry, clients }: DiagnoseInput): Finding[] {
  return clients.flatMap((client) => {
    const { title } = CLIENTS[client];
    const refusals = [...registry.tools.values()].flatMap(({ tool }) =>
      checkTool(toDefinition(tool), client).map(
        (problem): Finding => ({
          severity: 'error',
          check: 'client',
          where: tool.name,
          message: `${title}: ${problem}`,
          fix: 'rename or rewrite it in the domain file',
        }),
      ),
    );
    const whole = checkToolCount(registry.tools.size, client).map(
      (problem): Finding => ({
        severity: 'error',
        check: 'client',
        where: 'tools/list',
        message: `${title}: ${problem}`,
        fix: 'use --exposure grouped or search, or leave operations out',
      }),
    );
    return [...refusals, ...whole];
  });
}

function checkDescriptions({ registry }: DiagnoseInput): Finding[] {
  const findings: Finding[] = [];
  for (const { name: where, endpoint } of registry.operations) {
    const text = `${endpoint.summary} ${endpoint.description ?? ''}`.trim();
    const synthetic = trimEnd(text, '. \n').toUpperCase() === `${endpoint.method} ${endpoint.path}`.toUpperCase();
    if (synthetic || text.length < MIN_DESCRIPTION) {
      findings.push({
        severity: 'warning',
        check: 'description',
        where,
        message: synthetic ? 'has no description' : `says only "${text}"`,
        fix: 'describe what it does, when to use it and what comes back',
      });
    }
    const { properties = {} } = endpoint.inputSchema as { properties?: Record<string, { description?: unknown }> };
    const silent = Object.keys(properties).filter((key) => !hasText(properties[key]?.description));
    if (silent.length > 3) {
      findings.push({
        severity: 'warning',
        check: 'description',
        where,
        message: `${silent.length} arguments have no description: ${silent.slice(0, 6).join(', ')}${silent.length > 6 ? ', …' : ''}`,
        fix: 'describe them in the domain file (operations.<name>.args)',
      });
    }
  }
  return findings;
}

function checkGuards({ registry, domains, policy }: DiagnoseInput): Finding[] {
  const byName = new Map(domains.map((domain) => [domain.name, domain]));
  return registry.operations.flatMap(({ name, endpoint }): Finding[] => {
    const domain = byName.get(endpoint.domain);
    if (endpoint.effect !== 'destructive' || !domain) return [];
    const decision = decidePolicy(endpoint, domain, policy);
    if (decision.policy !== 'allow') return [];
    return [
      {
        severity: 'error',
        check: 'guard',
        where: name,
        message: `destroys data and runs unasked: ${decision.because}`,
        fix: 'set guard: confirm (or deny), or mark its effect as write if it destroys nothing',
      },
    ];
  });
}

function checkArguments({ registry }: DiagnoseInput): Finding[] {
  return registry.operations.flatMap(({ name: where, endpoint }) => {
    const impossible = findUnfillable(endpoint.inputSchema).map(
      (problem): Finding => ({
        severity: 'error',
        check: 'arguments',
        where,
        message: `can never be called: ${problem}`,
        fix: 'correct the schema with an overlay, or leave the operation out',
      }),
    );
    const loose = auditSchema(endpoint.inputSchema).map(
      (note): Finding => ({
        severity: 'warning',
        check: 'arguments',
        where,
        message: note,
        fix: 'correct the schema with an overlay, so that all of it is enforced',
      }),
    );
    return [...impossible, ...loose];
  });
}

function checkCredentials({ domains }: DiagnoseInput): Finding[] {
  return domains.flatMap(({ name, endpoints }): Finding[] => {
    // Alternatives are ORed: an operation waits only when none of them is complete.
    const waiting = endpoints.filter(
      ({ security }) =>
        security.length > 0 && security.every((set) => set.some((one) => unsetVariables(one).length > 0)),
    );
    if (waiting.length === 0) return [];
    const variables = new Set(waiting.flatMap(({ security }) => (security[0] ?? []).flatMap(unsetVariables)));
    return [
      {
        severity: 'warning',
        check: 'credentials',
        where: name,
        message: `${waiting.length === 1 ? '1 operation waits' : `${waiting.length} operations wait`} for ${[...variables].join(', ')}`,
        fix: 'set the variables, or name others in the domain file',
      },
    ];
  });
}

function checkBaseUrls({ domains }: DiagnoseInput): Finding[] {
  return domains.flatMap(({ name, endpoints }): Finding[] => {
    const homeless = endpoints.filter(({ baseUrl }) => baseUrl === '').length;
    if (homeless === 0) return [];
    return [
      {
        severity: 'error',
        check: 'base_url',
        where: name,
        message: `${homeless} operations have no base URL`,
        fix: 'give one with --base-url, or baseUrl in the domain file',
      },
    ];
  });
}

function checkTexts({ domains, registry }: DiagnoseInput): Finding[] {
  const fix = 'read the text before any model does; rewrite it in the domain file or an overlay';
  const findings: Finding[] = [];
  for (const { name, document } of domains) {
    const hidden = document && findHiddenCharacters(document.text);
    if (hidden) findings.push({ severity: 'error', check: 'suspicious', where: name, message: hidden, fix });
  }
  for (const { name, endpoint } of registry.operations) {
    const { properties = {} } = endpoint.inputSchema as { properties?: Record<string, { description?: unknown }> };
    const texts = [
      endpoint.summary,
      endpoint.description,
      ...Object.values(properties).map((schema) => schema?.description),
    ];
    for (const text of texts) {
      const problem = typeof text === 'string' ? (findHiddenCharacters(text) ?? findSuspiciousText(text)) : undefined;
      if (!problem) continue;
      findings.push({
        severity: 'error',
        check: 'suspicious',
        where: name,
        message: problem,
        fix,
      });
      break;
    }
  }
  return findings;
}

function checkQuarantine({ domains }: DiagnoseInput): Finding[] {
  return domains.flatMap(({ name, quarantined }) =>
    quarantined.map(
      ({ method, path, reason }): Finding => ({
        severity: 'warning',
        check: 'quarantine',
        where: name,
        message: `${method} ${path} is left out: ${reason}`,
        fix: 'repair the document with an overlay, or exclude the operation',
      }),
    ),
  );
}

function hasText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

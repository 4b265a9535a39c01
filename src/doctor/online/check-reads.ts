// doctor --online: calls reads, compares the answers with the document, and tries every credential.

import type { CatalogOperation } from '../../catalog/tree.ts';
import { needsToken } from '../../credentials/caller-need.ts';
import { secretsIn } from '../../credentials/secrets.ts';
import type { Args, Endpoint } from '../../endpoint/model.ts';
import { own } from '../../endpoint/untrusted.ts';
import { BUDGET_EXCEEDED, Budget } from '../../schema/check/budget.ts';
import { explain } from '../../schema/explain/explain-errors.ts';
import type { ArgumentProblem } from '../../schema/explain/refusal.ts';
import { splitPath } from '../../schema/explain/show.ts';
import { counted, type Finding, type Repair, repairOperation } from '../finding.ts';
import { propertyOf } from '../properties-of.ts';
import { CredentialProofs, chooseProofs, type ProofOptions, type ReadAnswer } from './prove-credentials.ts';
import { argumentsFor, doubtOf, firstItem, isRead } from './read-plan.ts';

export interface ReadOptions extends ProofOptions {
  readonly call: (tool: string, args: Args) => Promise<ReadAnswer>;
  readonly maxCalls: number;
}

export interface ReadReport {
  readonly findings: readonly Finding[];
  readonly calls: number;
  /** The domains of which a read was called. */
  readonly calledDomains: ReadonlySet<string>;
}

const MAX_SHOWN = 300;
const MAX_PROBLEMS = 3;

export async function checkReads(
  operations: readonly CatalogOperation[],
  { call, maxCalls, ...proofOptions }: ReadOptions,
): Promise<ReadReport> {
  const findings: Finding[] = [];
  const items = new Map<string, Readonly<Record<string, unknown>>>();
  const refusals = new Set<string>();
  const proofs = new CredentialProofs();
  const calledDomains = new Set<string>();
  let calls = 0;
  // Lists come first, because reads of single items need their ids.
  const all = operations.filter(({ endpoint }) => isRead(endpoint));
  // Operations that need a caller's token cannot be called: the doctor runs as the local user.
  const reads = all.filter(({ endpoint }) => !needsToken(endpoint));
  findings.push(...skipCallers(all.filter(({ endpoint }) => needsToken(endpoint))));
  const doubtful = reads.flatMap(({ name, endpoint }) => {
    const doubt = doubtOf(endpoint);
    return doubt === undefined ? [] : [[name, doubt] as const];
  });
  findings.push(...doubtful.map(([name, doubt]) => skip(name, doubt)));
  const names = new Set(doubtful.map(([name]) => name));
  let waiting = proofsFirst(reads.filter(({ name }) => !names.has(name)));
  for (let progress = true; progress && calls < maxCalls; ) {
    progress = false;
    const later: CatalogOperation[] = [];
    for (const operation of waiting) {
      const { endpoint, name } = operation;
      const args = calls < maxCalls ? argumentsFor(endpoint, items) : undefined;
      // Repeating a refused credential would not help, and might lock it.
      if (refusals.has(credentialsOf(endpoint))) continue;
      if (args === undefined) {
        later.push(operation);
        continue;
      }
      progress = true;
      calls++;
      calledDomains.add(endpoint.domain);
      const answer = await call(name, args);
      const item = firstItem(answer.value);
      if (item !== undefined) items.set(endpoint.path, item);
      proofs.add(endpoint, args, answer);
      if ((answer.status === 401 && endpoint.security.length > 0) || answer.isUnproven)
        refusals.add(credentialsOf(endpoint));
      findings.push(...judge(operation, args, answer, operations));
    }
    waiting = later;
  }
  const proof = await proofs.judge(operations, proofOptions);
  return { findings: [...findings, ...proof.findings], calls: calls + proof.calls, calledDomains };
}

function skip(where: string, doubt: string): Finding {
  const message = `was not called: ${doubt}, so it may do more than read`;
  const fix = 'if it only reads, set effect: read in the domain file; the doctor then calls it too';
  return { check: 'online', severity: 'note', where, message, fix };
}

/** One line per domain. */
function skipCallers(operations: readonly CatalogOperation[]): Finding[] {
  return [...new Set(operations.map(({ endpoint }) => endpoint.domain))].map((where) => {
    const count = operations.filter(({ endpoint }) => endpoint.domain === where).length;
    const message = `${counted(count, 'read was', 'reads were')} not called: the API needs a caller with a verified token, and the doctor has none`;
    const fix = 'call one of them over HTTP with such a token';
    return { check: 'online', severity: 'note', where, message, fix };
  });
}

function proofsFirst(operations: readonly CatalogOperation[]): readonly CatalogOperation[] {
  const proofs = chooseProofs(operations);
  return [...proofs, ...operations.filter((operation) => !proofs.has(operation))];
}

function credentialsOf({ domain, security, baseUrl }: Endpoint): string {
  return security.length === 0
    ? ''
    : `${domain} ${baseUrl} ${JSON.stringify(security.map((set) => set.map(({ name }) => name)))}`;
}

function* judge(
  operation: CatalogOperation,
  args: Args,
  answer: ReadAnswer,
  all: readonly CatalogOperation[],
): Generator<Finding> {
  const { name, endpoint } = operation;
  const { status, text } = answer;
  const toFinding = (severity: Finding['severity'], message: string, fix: string): Finding => ({
    check: 'online',
    severity,
    where: name,
    message,
    fix,
  });
  const firstLine = text.split('\n')[0]!.slice(0, MAX_SHOWN);
  if (status === 401 || status === 403) {
    const variables = [...new Set(endpoint.security.flat().flatMap(secretsIn))]
      .filter(({ value }) => value !== undefined)
      .map(({ variable }) => variable);
    const whose = variables.length === 0 ? 'without a credential' : `with ${variables.join(', ')}`;
    const fix =
      variables.length === 0 ? 'configure a credential in the domain file or with --header' : 'correct the variable';
    yield toFinding(
      'error',
      `answered ${status} ${whose}`,
      status === 403 ? `${fix}, or request the missing permission` : fix,
    );
  } else if (status === undefined) {
    yield toFinding(
      'error',
      `got no answer: ${firstLine}`,
      'check the base URL, the API and timeoutMs in the domain file',
    );
  } else if (status === 404 && Object.keys(args).length === 0) {
    yield toFinding(
      'error',
      'answered 404, although the call has no argument that could be wrong',
      'check the path of the base URL and the path in the document',
    );
  } else if (status >= 500) {
    yield toFinding('warning', `answered ${status}: ${firstLine}`, 'look at the log of the API');
  } else if (status >= 400 && status !== 404 && status !== 429) {
    const values = Object.keys(args).length === 0 ? 'a call without arguments' : `the document's own ${show(args)}`;
    const fix =
      'describe what the API needs in the domain file (args: required, enum, fixed), or correct the document; a model would make the same call';
    yield toFinding('warning', `refuses ${values} with ${status}: ${firstLine}`, fix);
  } else if (answer.value !== undefined && !endpoint.lenient) {
    const problems = driftOf(endpoint, answer.value);
    if (problems.length > 0) yield describeDrift(operation, problems, answer.value, all);
  }
}

/** Where an answer differs from the document. */
function driftOf({ outputSchema }: Endpoint, value: unknown): readonly ArgumentProblem[] {
  if (outputSchema === undefined) return [];
  try {
    return explain(outputSchema, value, { budget: new Budget(), max: MAX_PROBLEMS, subject: 'the answer' });
  } catch (error) {
    if (error !== BUDGET_EXCEEDED) throw error;
    return [];
  }
}

function describeDrift(
  { name, endpoint }: CatalogOperation,
  problems: readonly ArgumentProblem[],
  value: unknown,
  all: readonly CatalogOperation[],
): Finding {
  const words = problems.map(({ message }) => message).join('; ');
  const repairs = lenientRepairs(endpoint, problems, value, all);
  const isStructured = endpoint.response.structured;
  return {
    check: 'online',
    severity: isStructured ? 'error' : 'warning',
    where: name,
    message: `its answer does not match the document: ${words.slice(0, MAX_SHOWN)}`,
    fix: isStructured
      ? 'correct the schema of the answer with an overlay, or set response.structured to false; clients may reject a structured answer that does not match its schema'
      : repairs.length > 0
        ? 'correct the document with an overlay; until then, lenient: true lets calls send the values that the API itself returns'
        : 'correct the schema of the answer with an overlay, because models rely on it',
    ...(repairs.length > 0 && { repairs }),
  };
}

/** Operations with an argument of the same name, whose list lacks a value that the API itself answers with. */
function lenientRepairs(
  { domain }: Endpoint,
  problems: readonly ArgumentProblem[],
  value: unknown,
  all: readonly CatalogOperation[],
): readonly Repair[] {
  const fields = new Map<string, unknown>();
  for (const { problem, path } of problems) {
    const keys = splitPath(path);
    const actual = keys.reduce(own, value);
    if (problem === 'enum' && actual !== undefined) fields.set(keys.at(-1) ?? '', actual);
  }
  return all.flatMap(({ endpoint }) => {
    if (endpoint.domain !== domain || endpoint.source.kind !== 'openapi' || endpoint.lenient || fields.size === 0)
      return [];
    const isShort = [...fields].some(([field, actual]) => {
      const choices = propertyOf(endpoint, field)?.enum;
      return Array.isArray(choices) && !choices.includes(actual);
    });
    return isShort ? [repairOperation(endpoint, ['lenient'], true)] : [];
  });
}

function show(args: Args): string {
  return JSON.stringify(args).slice(0, MAX_SHOWN);
}

// What must hold when everything has stopped: every write at the API as often as its client was told, the audit trails whole,
// and every write in them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDigest } from '../../src/call/digest.ts';
import { runProgram as run } from '../../test/support/program.ts';
import type { Call } from './ledger.ts';
import type { Check } from './scenario.ts';
import type { Stage } from './stage.ts';

export function checkWrites(stage: Stage): Check[] {
  const counts = new Map<string, number>();
  const writes = stage.shop.seen.filter(({ method }) => method !== 'GET');
  for (const { id } of writes) counts.set(id, (counts.get(id) ?? 0) + 1);
  const made = stage.ledger.calls.filter(({ kind }) => kind === 'write' || kind === 'confirm');
  const ids = new Set([...made.map(({ id }) => id), ...stage.spentAside]);
  const good = made.filter(({ outcome }) => outcome === 'ok');
  const timesOf = ({ id }: Call) => counts.get(id) ?? 0;
  const lost = good.filter((call) => timesOf(call) === 0);
  const repeated = made.filter((call) => timesOf(call) > 1);
  const refused = made.filter(
    (call) => call.outcome === 'refused' && timesOf(call) > 0 && call.failureMode === 'not_confirmed',
  );
  const strange = [...counts.keys()].filter((id) => !ids.has(id));
  return [
    {
      what: 'every write that was answered well is at the API',
      ok: lost.length === 0,
      detail: `${good.length} good ones, ${lost.length} lost`,
    },
    {
      what: 'no write is there twice',
      ok: repeated.length === 0,
      detail: `${writes.length} arrived, ${repeated.length} more than once`,
    },
    {
      what: 'no refused one is there, and none that nobody made',
      ok: refused.length + strange.length === 0,
      detail: `${refused.length} refused, ${strange.length} strange`,
    },
  ];
}

interface AuditRecord {
  readonly kind: string;
  readonly outcome?: string;
  readonly argumentsDigest?: string;
}

export async function checkAudit(stage: Stage): Promise<Check[]> {
  const files = stage.replicas.flatMap(({ auditFolder }) => listFiles(auditFolder));
  const begun = new Map<string, number>();
  const answered = new Set<string>();
  let records = 0;
  // All of them in one go: workers and replicas are told apart.
  const { code, stdout, stderr } = await run(['audit', 'verify', '--closed', '--json', ...files]);
  const { chains = [] } = (code === 0 ? JSON.parse(stdout) : {}) as { chains?: readonly unknown[] };
  for (const file of files)
    for (const { kind, argumentsDigest = '', outcome } of readRecords(file)) {
      records++;
      if (kind === 'begin') begun.set(argumentsDigest, (begun.get(argumentsDigest) ?? 0) + 1);
      if (kind === 'call' && outcome === 'ok') answered.add(argumentsDigest);
    }
  const digestOf = ({ id, kind }: Pick<Call, 'id' | 'kind'>) =>
    buildDigest(kind === 'confirm' ? { id } : { id, name: 'An item' });
  const arrived = new Set(stage.shop.seen.filter(({ method }) => method !== 'GET').map(({ id }) => id));
  const made = stage.ledger.calls.filter(({ kind }) => kind === 'write' || kind === 'confirm');
  const unwritten = made.filter((call) => arrived.has(call.id) && !begun.has(digestOf(call)));
  const unanswered = made.filter((call) => call.outcome === 'ok' && !answered.has(digestOf(call)));
  return [
    {
      what: 'every audit trail verifies',
      ok: code === 0 && chains.length === stage.replicas.length * stage.workers,
      detail: code === 0 ? `${chains.length} trails, ${records} records` : `${stdout}${stderr}`,
    },
    {
      what: 'they have every write that reached the API',
      ok: unwritten.length === 0,
      detail: `${arrived.size} writes, ${unwritten.length} without a record`,
    },
    {
      what: 'and the end of every one that was answered well',
      ok: unanswered.length === 0,
      detail: `${unanswered.length} missing`,
    },
  ];
}

function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^audit[\w-]*\.jsonl(?:\.\d+)?$/.test(name))
    .map((name) => join(folder, name));
}

function* readRecords(file: string): Generator<AuditRecord> {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    try {
      if (line !== '') yield JSON.parse(line) as AuditRecord;
    } catch {
      // The line that a killed process did not finish; `audit verify` judges it.
    }
  }
}

/** Words that no log of a healthy run has. */
const ALARMS = ['uncaught exception', 'unhandled rejection', 'internal error'];

export function checkLogs(stage: Stage): Check[] {
  const lines = stage.replicas.flatMap(({ log }) => log.split('\n'));
  const alarms = lines.filter((line) => ALARMS.some((words) => line.includes(words)));
  return [
    {
      what: 'no log has an internal error',
      ok: alarms.length === 0,
      detail: `${lines.length} lines${alarms
        .slice(0, 3)
        .map((line) => `\n${line.slice(0, 600)}`)
        .join('')}`,
    },
  ];
}

// Audit trails for tests: records of calls, and what is in a file.
import { readFileSync } from 'node:fs';
import { readCheckingKey } from '../../src/audit/signing-key.ts';
import { type TrailVerdict, verifyTrail } from '../../src/audit/verify.ts';
import { type ContextChanges, contextOf } from './context.ts';

export type AuditRecord = { readonly seq: number; readonly kind: string } & Readonly<Record<string, unknown>>;

/** The sealed context of a call that went well. */
export function sealedCall(changes: ContextChanges = {}) {
  const context = contextOf(changes);
  context.noteUpstream({ method: 'GET', url: 'http://127.0.0.1/pets', status: 200, bytes: 2 }, 3);
  return context.withResult({ outcome: 'ok', durationMs: 5 }).seal();
}

export function readRecords(file: string): AuditRecord[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditRecord);
}

/** What is wrong, as `line: sentence`. */
export function flawsOf({ flaws }: TrailVerdict): string[] {
  return flaws.map(({ line, what }) => `${line}: ${what}`);
}

export function verify(files: readonly string[], keyFile: string, mustBeClosed = false): TrailVerdict {
  return verifyTrail(files, { keys: [readCheckingKey(keyFile)], mustBeClosed });
}

// Opens an audit trail: the names of its file and key, the lock that keeps other processes out, and what to say where it cannot
// be written.
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Evidence } from '../call/evidence.ts';
import { GatewayError } from '../errors.ts';
import { type FileLock, lockFile, untilNoOrphan } from './file-lock.ts';
import { openSigningKey } from './signing-key.ts';
import { Trail, type TrailOptions } from './trail.ts';

export interface AuditTrail extends Evidence {
  /** The file that is written now. */
  readonly file: string;
  readonly keyFile: string;
  readonly publicKey: string;
  /** Nothing can be written at the moment, and calls are refused for it; looked at again with every call and signature. */
  readonly isRefusing: boolean;
  /** After a rename by somebody else (logrotate): goes on in a new file. It would be noticed within a second, too. */
  reopen(): void;
  /** Signs what is not signed yet, and lets go of the file. */
  close(): void;
}

/** To be waited for by a worker before it opens its trail: the one of a primary process that was killed may still answer its last calls. */
export async function untilTrailIsFree({ file, log }: TrailOptions, atMostMs: number): Promise<void> {
  await untilNoOrphan(resolve(fillIn(file)), atMostMs, (pid) =>
    log?.warn({ pid, file }, 'waiting for the audit file: a worker of a killed gateway still finishes its last calls'),
  );
}

/** Opens or goes on with a trail; throws BAD_CONFIG where it could not be written. */
export function openTrail(options: TrailOptions): AuditTrail {
  const path = resolve(fillIn(options.file));
  const keyFile = resolve(options.keyFile ?? defaultKeyFile(options.file));
  let lock: FileLock | undefined;
  try {
    lock = lockFile(path, options.worker !== undefined);
    const key = openSigningKey(keyFile);
    const trail = new Trail(path, key, lock, options);
    if (key.isShared)
      options.log?.warn({ keyFile }, 'other users can read the key that signs the audit trail: run chmod 600 on it');
    return Object.assign(trail, { keyFile, publicKey: key.publicKey });
  } catch (error) {
    lock?.release();
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(
      'BAD_CONFIG',
      `Cannot write the audit file ${path}: ${(error as Error).message}.`,
      {},
      error,
    );
  }
}

function fillIn(file: string): string {
  return file.replaceAll('%h', hostname().replace(/[^\w.-]/g, '_')).replaceAll('%p', String(process.pid));
}

/** One key for all processes that share a pattern: `audit-%p.jsonl` → `audit-key.pem`. */
export function defaultKeyFile(file: string): string {
  const name = basename(file)
    .replace(/[-_.]?%[hp]/g, '')
    .replace(/\.jsonl?$/, '');
  return join(dirname(file), `${name || 'audit'}-key.pem`);
}

// Opens an audit trail: takes the lock that keeps other processes out, reads the key, and says why a trail cannot be written.
import { resolve } from 'node:path';
import type { Evidence } from '../call/evidence.ts';
import { GatewayError } from '../errors.ts';
import { type FileLock, lockFile, untilNoOrphan } from './file-lock.ts';
import { openSigningKey } from './signing-key.ts';
import { Trail, type TrailOptions } from './trail.ts';
import { defaultKeyFile, fillFileName } from './trail-names.ts';

/** An audit trail that is open for writing. */
export interface AuditTrail extends Evidence {
  /** The current file. */
  readonly file: string;
  readonly keyFile: string;
  readonly publicKey: string;
  /** Nothing can be written at the moment, so calls are refused. Every call and every signature tries again. */
  readonly isRefusing: boolean;
  /** After a rename by another program (logrotate): continues in a new file. Without this call, it is noticed within a second. */
  reopen(): void;
  /** Signs the records that are not signed yet, and closes the file. */
  close(): void;
}

/**
 * A worker waits for this before it opens its trail: an earlier worker whose primary was killed may still be answering its last calls.
 */
export async function untilTrailIsFree({ file, log }: TrailOptions, atMostMs: number): Promise<void> {
  await untilNoOrphan(resolve(fillFileName(file)), atMostMs, (pid) =>
    log?.warn({ pid, file }, 'waiting for the audit file: a worker of a killed gateway still finishes its last calls'),
  );
}

/**
 * Starts or continues a trail; throws BAD_CONFIG if it cannot be written.
 *
 * ```ts
 * const audit = openAuditTrail({ file: 'audit.jsonl' });
 * const audited = createGateway({ domains: [], audit });
 * await audited.close();
 * audit.close();
 * ```
 */
export function openTrail(options: TrailOptions): AuditTrail {
  const path = resolve(fillFileName(options.file));
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

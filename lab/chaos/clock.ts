// The clock of the gateways, set by libfaketime (Debian: faketime). Only what tells the time of day is moved: clocks that
// count on, which timers use, cannot jump on a real machine either.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Clock {
  readonly env: Readonly<Record<string, string>>;
  /** Seconds from the true time. Takes effect within a second. */
  set(seconds: number): void;
}

function findLibrary(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu')) : [];
  return folders.map((name) => `/usr/lib/${name}/faketime/libfaketime.so.1`).find((path) => existsSync(path));
}

export const LIBRARY = findLibrary();

export function createClock(folder: string): Clock {
  const file = join(folder, 'clock');
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  return {
    env: {
      LD_PRELOAD: LIBRARY ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

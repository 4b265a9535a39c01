// The level of the log at run time: changed for a while or until the end, and back to what is configured.

export interface LevelState {
  readonly level: string;
  /** What is configured, and holds again after the time limit. */
  readonly configured: string;
  /** When it falls back; absent where it does not. */
  readonly until?: string;
}

export interface LevelControl {
  readonly state: LevelState;
  /** Without a time it stays until it is changed again. */
  set(level: string, seconds?: number): LevelState;
  close(): void;
}

/** `apply` sets the level, in one process or in all workers. */
export function createLevelControl(configuredLevel: string, apply: (level: string, why: string) => void): LevelControl {
  let level = configuredLevel;
  let untilMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const read = (): LevelState => ({
    level,
    configured: configuredLevel,
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
  });
  const change = (next: string, why: string) => {
    level = next;
    apply(next, why);
  };
  return {
    get state() {
      return read();
    },
    set(next, seconds) {
      clearTimeout(timer);
      untilMs = undefined;
      change(next, seconds === undefined ? 'set by a request' : `set by a request, for ${seconds} s`);
      if (seconds !== undefined && next !== configuredLevel) {
        untilMs = Date.now() + seconds * 1_000;
        timer = setTimeout(() => {
          untilMs = undefined;
          change(configuredLevel, 'the time set for the last level is over');
        }, seconds * 1_000).unref();
      }
      return read();
    },
    close: () => clearTimeout(timer),
  };
}

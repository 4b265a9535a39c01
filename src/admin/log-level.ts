// The level of the log at run time: it can be changed for a while or until the next change, and returns to the configured level.

export interface LevelState {
  readonly level: string;
  /** The configured level, which applies again after the time limit. */
  readonly configured: string;
  /** When the configured level applies again; absent if there is no time limit. */
  readonly until?: string;
}

export interface LevelControl {
  readonly state: LevelState;
  /** Without `seconds`, the level stays until it is changed again. */
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

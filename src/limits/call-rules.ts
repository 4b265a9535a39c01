// The limits of one caller or one API. The most specific setting counts, then the one for all, then the default.
import type { CallLimits } from '../endpoint/model.ts';
import { parseRate, type Rate } from './rate.ts';

export interface CallRules {
  readonly rate: Rate | undefined;
  readonly concurrent: number;
  readonly queue: number;
  readonly waitSeconds: number;
}

/**
 * Defaults for one caller. With its queue it stays below what HTTP handles at once, so that one caller cannot use up all of it;
 * and it is more than one API accepts and queues, so that a dead API cannot use up all calls of a caller.
 */
export const PRINCIPAL_DEFAULTS: CallRules = Object.freeze({
  rate: parseRate('600000/min'),
  concurrent: 400,
  queue: 200,
  waitSeconds: 5,
});

/** Defaults for one API. There is no default rate: a domain file or `limits` can set one. */
export const UPSTREAM_DEFAULTS: CallRules = Object.freeze({
  rate: undefined,
  concurrent: 64,
  queue: 256,
  waitSeconds: 5,
});

/** For each limit, the nearest setting counts. */
export function toRules(defaults: CallRules, ...nearestFirst: readonly (CallLimits | undefined)[]): CallRules {
  const nearest = <Key extends keyof CallLimits>(key: Key) =>
    nearestFirst.find((limits) => limits?.[key] !== undefined)?.[key];
  const rate = nearest('rate');
  return Object.freeze({
    rate: rate === undefined ? defaults.rate : parseRate(rate),
    concurrent: nearest('concurrent') ?? defaults.concurrent,
    queue: nearest('queue') ?? defaults.queue,
    waitSeconds: nearest('waitSeconds') ?? defaults.waitSeconds,
  });
}

// What of `limits` holds for one caller or one API: what is written nearest, else what holds for all, else the defaults.
import type { CallLimits } from '../endpoint/model.ts';
import { parseRate, type Rate } from './rate.ts';

export interface CallRules {
  readonly rate: Rate | undefined;
  readonly concurrent: number;
  readonly queue: number;
  readonly waitSeconds: number;
}

/**
 * Of one caller. Together with its queue less than HTTP takes at once, so that one caller never fills the door; more than one
 * API takes and lets wait, so that a dead API never takes all calls a caller may have under way.
 */
export const PRINCIPAL_DEFAULTS: CallRules = Object.freeze({
  rate: parseRate('600000/min'),
  concurrent: 400,
  queue: 200,
  waitSeconds: 5,
});

/** Of one API. How often it may be called it says itself, or a domain file. */
export const UPSTREAM_DEFAULTS: CallRules = Object.freeze({
  rate: undefined,
  concurrent: 64,
  queue: 256,
  waitSeconds: 5,
});

/** The first that says something about a limit decides it. */
export function toRules(defaults: CallRules, ...nearestFirst: readonly (CallLimits | undefined)[]): CallRules {
  const say = <Key extends keyof CallLimits>(key: Key) =>
    nearestFirst.find((limits) => limits?.[key] !== undefined)?.[key];
  const rate = say('rate');
  return Object.freeze({
    rate: rate === undefined ? defaults.rate : parseRate(rate),
    concurrent: say('concurrent') ?? defaults.concurrent,
    queue: say('queue') ?? defaults.queue,
    waitSeconds: say('waitSeconds') ?? defaults.waitSeconds,
  });
}

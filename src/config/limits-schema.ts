// The `limits` section of landbridge.yaml: how much callers may ask, and APIs are asked.
import { z } from 'zod';
import { about, named, strict } from '../domain/definition/shape/fields.ts';

const rate = named(
  /^[1-9]\d{0,8}\/(?:s|sec|second|m|min|minute|h|hour)$/,
  'must be a number of calls per s, min or hour, such as 100/min',
);
const count = z.number().int('must be a whole number').min(1, 'must be at least 1');
const queue = about(
  z.number().int('must be a whole number').min(0, 'must be at least 0'),
  'Calls that may wait for room; more are refused at once.',
  256,
);
const waitSeconds = about(z.number().min(0).max(300), 'How long a call waits for room before it is refused.', 5);

export const callLimits = strict({
  rate: about(rate, 'Calls per time; a burst may use up what was left.', '600/min'),
  concurrent: about(count, 'Calls under way at once.', 32),
  queue,
  waitSeconds,
}).meta({ id: 'callLimits' });

export const limitsSection = strict({
  perPrincipal: about(callLimits, 'Of one caller, over all its connections.', { rate: '600/min', concurrent: 32 }),
  perUpstream: about(callLimits, 'Of one API, from all callers together; who waits is served in turn by caller.', {
    concurrent: 64,
    queue: 256,
    waitSeconds: 5,
  }),
  shed: about(
    strict({
      eventLoopMs: about(z.number().min(10), 'Event-loop delay beyond which new calls are sent away.', 200),
      heapPercent: about(z.number().min(10).max(100), 'Part of the heap beyond which new calls are sent away.', 92),
    }).meta({ id: 'shed' }),
    'When new calls are answered 503 before anything gets slow.',
    { eventLoopMs: 200 },
  ),
}).meta({ id: 'limits' });

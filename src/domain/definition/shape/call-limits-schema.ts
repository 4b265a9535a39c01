// The shape of call limits: those of a caller in landbridge.yaml, and those of an API there or in its domain file.
import { z } from 'zod';
import { once } from '../../../endpoint/untrusted.ts';
import { about, named, strict } from './fields.ts';

export const callLimits = once(() => {
  const rate = named(
    /^[1-9]\d{0,8}\/(?:s|sec|second|m|min|minute|h|hour)$/,
    'must be a number of calls per s, min or hour, such as 100/min',
  );
  const count = z.number().int('must be a whole number').min(1, 'must be at least 1');
  const queue = about(
    z.number().int('must be a whole number').min(0, 'must be at least 0'),
    'Calls that may wait until they can be made. More are refused immediately.',
    256,
  );
  const waitSeconds = about(z.number().min(0).max(300), 'Seconds that a call waits before it is refused.', 5);

  return strict({
    rate: about(
      rate,
      'Calls per second, minute or hour. Calls that were not used can be made later in a burst.',
      '600/min',
    ),
    concurrent: about(count, 'Calls in progress at the same time.', 32),
    queue,
    waitSeconds,
  }).meta({ id: 'callLimits' });
});

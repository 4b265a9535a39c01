// The `limits` section of landbridge.yaml: how much callers may ask, and APIs are asked.
import { z } from 'zod';
import { callLimits } from '../../domain/definition/shape/call-limits-schema.ts';
import { about, strict, withDefault } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';

export const limitsSection = once(() =>
  strict({
    perPrincipal: about(
      callLimits(),
      withDefault(
        'Limits for one caller, over all its connections.',
        '`{ rate: 600000/min, concurrent: 400, queue: 200, waitSeconds: 5 }`',
      ),
      {
        rate: '600/min',
        concurrent: 32,
      },
    ),
    perUpstream: about(
      callLimits(),
      withDefault(
        'Limits for one API, for all callers together. Waiting callers take turns. One known caller can have at most seven eighths of the calls.',
        '`{ concurrent: 64, queue: 256, waitSeconds: 5 }`',
      ),
      {
        concurrent: 64,
        queue: 256,
        waitSeconds: 5,
      },
    ),
    shed: about(
      strict({
        eventLoopMs: about(
          z.number().min(10),
          withDefault('The event-loop delay, in milliseconds, above which new calls are refused.', 200),
          200,
        ),
        heapPercent: about(
          z.number().min(10).max(100),
          withDefault('The share of the heap, in percent, above which new calls are refused.', 92),
          92,
        ),
      }).meta({ id: 'shed' }),
      'When the gateway is so busy that it answers new calls with 503.',
      { eventLoopMs: 200 },
    ),
  }).meta({ id: 'limits' }),
);

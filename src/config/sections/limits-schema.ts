// The `limits` section of landbridge.yaml: how much callers may ask, and APIs are asked.
import { z } from 'zod';
import { callLimits } from '../../domain/definition/shape/call-limits-schema.ts';
import { about, strict } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';

export const limitsSection = once(() =>
  strict({
    perPrincipal: about(callLimits(), 'Of one caller, over all its connections.', { rate: '600/min', concurrent: 32 }),
    perUpstream: about(
      callLimits(),
      'Of one API, from all callers together; waiting calls are served fairly by caller, and one known caller gets at most seven eighths of the places.',
      {
        concurrent: 64,
        queue: 256,
        waitSeconds: 5,
      },
    ),
    shed: about(
      strict({
        eventLoopMs: about(z.number().min(10), 'Event-loop delay above which new calls are refused.', 200),
        heapPercent: about(z.number().min(10).max(100), 'Share of the heap above which new calls are refused.', 92),
      }).meta({ id: 'shed' }),
      'When new calls are answered with 503, before everything becomes slow.',
      { eventLoopMs: 200 },
    ),
  }).meta({ id: 'limits' }),
);

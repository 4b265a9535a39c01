// The `limits` section of landbridge.yaml: how much callers may ask, and APIs are asked.
import { z } from 'zod';
import { callLimits } from '../../domain/definition/shape/call-limits-schema.ts';
import { about, strict } from '../../domain/definition/shape/fields.ts';

export const limitsSection = strict({
  perPrincipal: about(callLimits, 'Of one caller, over all its connections.', { rate: '600/min', concurrent: 32 }),
  perUpstream: about(
    callLimits,
    'Of one API, from all callers together; who waits is served in turn by caller, and one that is known gets at most seven eighths of the room.',
    {
      concurrent: 64,
      queue: 256,
      waitSeconds: 5,
    },
  ),
  shed: about(
    strict({
      eventLoopMs: about(z.number().min(10), 'Event-loop delay beyond which new calls are sent away.', 200),
      heapPercent: about(z.number().min(10).max(100), 'Part of the heap beyond which new calls are sent away.', 92),
    }).meta({ id: 'shed' }),
    'When new calls are answered 503 before anything gets slow.',
    { eventLoopMs: 200 },
  ),
}).meta({ id: 'limits' });

// The `tracing` section of landbridge.yaml.
import { z } from 'zod';
import { about, headerName, named, strict, text } from '../../domain/definition/shape/fields.ts';
import { once } from '../../endpoint/untrusted.ts';

export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** `/v1/traces` is put behind it, as behind OTEL_EXPORTER_OTLP_ENDPOINT. */
export const collectorUrl = once(() =>
  z
    .url({ protocol: /^https?$/, error: 'must be the http(s) URL of a collector, such as http://127.0.0.1:4318' })
    .superRefine((url, context) => {
      if (/\/v1\/traces\/?$/.test(url)) context.addIssue('must not end in /v1/traces: the gateway adds it');
      if (/^https?:\/\/[^/]*:4317(?:\/|$)/.test(url))
        context.addIssue(
          'must have the port of OTLP over HTTP, usually 4318: 4317 is for gRPC, which is not supported',
        );
    }),
);

export const tracingSection = once(() =>
  strict({
    endpoint: about(
      collectorUrl(),
      'The OTLP/HTTP collector that gets the spans; `/v1/traces` is added. Default: `http://localhost:4318`.',
      'http://127.0.0.1:4318',
    ),
    protocol: about(
      z.enum(PROTOCOLS, { error: `must be ${PROTOCOLS.join(' or ')}` }),
      'How spans are written. Default: `http/protobuf`.',
      'http/json',
    ),
    headers: about(
      z.record(headerName('a header has a name such as X-Api-Key'), named(/^[^\r\n]+$/, 'must be text on one line')),
      'Sent to the collector. Write secrets as variables.',
      { 'X-Api-Key': `$${'{COLLECTOR_KEY:-none}'}` },
    ),
    serviceName: about(text, 'What this deployment is called in traces. Default: `landbridge`.', 'mcp-gateway'),
    resource: about(z.record(text, text), 'More about this deployment: OpenTelemetry’s resource attributes.', {
      'deployment.environment.name': 'production',
    }),
    sampleRatio: about(
      z.number({ error: 'must be a number from 0 to 1' }).min(0, 'must be at least 0').max(1, 'must be at most 1'),
      'How many of the requests are recorded. Default: 1, all of them.',
      0.1,
    ),
    callers: about(
      z.enum(['join', 'trust'], { error: 'must be join or trust' }),
      'What the trace context of a caller counts for: its trace goes on here, and `sampleRatio` says whether that is recorded (`join`), or the caller’s sampled flag does (`trust`). Default: `join`.',
      'trust',
    ),
  }).meta({ id: 'tracing' }),
);

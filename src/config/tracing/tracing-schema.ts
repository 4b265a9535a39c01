// The `tracing` section of landbridge.yaml.
import { z } from 'zod';
import { about, headerName, named, strict, text, withDefault } from '../../domain/definition/shape/fields.ts';
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
      withDefault('The OTLP/HTTP collector that gets the spans. `/v1/traces` is added.', '`http://localhost:4318`'),
      'http://127.0.0.1:4318',
    ),
    protocol: about(
      z.enum(PROTOCOLS, { error: `must be ${PROTOCOLS.join(' or ')}` }),
      withDefault('The format of the spans.', '`http/protobuf`'),
      'http/json',
    ),
    headers: about(
      z.record(headerName('a header has a name such as X-Api-Key'), named(/^[^\r\n]+$/, 'must be text on one line')),
      'Headers that are sent to the collector. Write secrets as variables.',
      { 'X-Api-Key': `$${'{COLLECTOR_KEY:-none}'}` },
    ),
    serviceName: about(text, withDefault('The name of this deployment in traces.', '`landbridge`'), 'mcp-gateway'),
    resource: about(z.record(text, text), 'OpenTelemetry resource attributes that describe this deployment.', {
      'deployment.environment.name': 'production',
    }),
    sampleRatio: about(
      z.number({ error: 'must be a number from 0 to 1' }).min(0, 'must be at least 0').max(1, 'must be at most 1'),
      withDefault('The share of requests that are traced: 0.1 is one request in ten.', 1),
      0.1,
    ),
    callers: about(
      z.enum(['join', 'trust'], { error: 'must be join or trust' }),
      withDefault(
        'What to do with the trace context of a caller. In both cases its trace continues here. With `join`, `sampleRatio` decides whether the request is traced; with `trust`, the sampled flag of the caller decides.',
        '`join`',
      ),
      'trust',
    ),
  }).meta({ id: 'tracing' }),
);

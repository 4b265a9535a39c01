// Whether traces are recorded and where they go: flag, then OpenTelemetry's variables, then landbridge.yaml, then defaults.
import { describe, expect, test } from 'vitest';
import { planTracing } from '../../src/config/tracing-plan.ts';

const plan = (env: Record<string, string> = {}, section?: object, flag?: string) =>
  planTracing(flag, env, section as never)?.plan;

describe('traces are off', () => {
  test.each([
    ['nobody says anything', {}, undefined],
    ['only a name is set', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }, undefined],
    ['the variables are empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }, undefined],
    ['the SDK is disabled', { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, {}],
    ['there is no exporter', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, {}],
  ])('if %s', (_, env, section) => {
    expect(plan(env, section)).toBeUndefined();
  });
});

describe('traces are sent', () => {
  test.each([
    ['to the usual place by an empty section', {}, {}, undefined, 'http://localhost:4318/v1/traces'],
    ['where the file says', {}, { endpoint: 'http://f/otel/' }, undefined, 'http://f/otel/v1/traces'],
    [
      'to the endpoint of the variable',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e' },
      { endpoint: 'http://f' },
      undefined,
      'http://e/v1/traces',
    ],
    [
      'to the endpoint of the traces variable, unchanged',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/in' },
      undefined,
      undefined,
      'http://t/in',
    ],
    [
      'to the endpoint of the flag',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e', OTEL_SDK_DISABLED: 'true' },
      {},
      'http://g:4318',
      'http://g:4318/v1/traces',
    ],
    [
      'to the default endpoint if only the exporter is set',
      { OTEL_TRACES_EXPORTER: 'console,otlp' },
      undefined,
      undefined,
      'http://localhost:4318/v1/traces',
    ],
  ])('%s', (_, env, section, flag, endpoint) => {
    expect(plan(env as Record<string, string>, section, flag)?.endpoint).toBe(endpoint);
  });

  test('not to an address that is no collector; the message says what to write', () => {
    expect(() => plan({}, undefined, 'collector')).toThrow(
      '--otlp-endpoint must be the http(s) URL of a collector, such as http://127.0.0.1:4318.',
    );
    expect(() => plan({}, undefined, 'http://c:4318/v1/traces')).toThrow('must not end in /v1/traces');
    expect(() => plan({}, undefined, 'http://c:4317')).toThrow('4317 is for gRPC');
  });
});

test('variables for traces take precedence over those for all signals, and variables over the file', () => {
  expect(
    plan(
      {
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=two%20words',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=3',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '5000',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_CERTIFICATE: 'ca.pem',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=weak,team=blue',
        OTEL_BSP_MAX_QUEUE_SIZE: '100',
        OTEL_BSP_SCHEDULE_DELAY: '10',
      },
      { headers: { a: '0', c: '4' }, resource: { team: 'red', zone: 'x' }, serviceName: 'file', sampleRatio: 0.5 },
    ),
  ).toEqual({
    endpoint: 'http://localhost:4318/v1/traces',
    protocol: 'http/json',
    headers: { a: '1', b: '3', c: '4' },
    serviceName: 'weak',
    resource: { team: 'blue', zone: 'x' },
    sampleRatio: 0.5,
    callers: 'own',
    timeoutMs: 5000,
    compression: 'gzip',
    ca: 'ca.pem',
    cert: undefined,
    key: undefined,
    queue: {
      maxQueueSize: 100,
      maxExportBatchSize: undefined,
      scheduledDelayMillis: 10,
      exportTimeoutMillis: undefined,
    },
    warnings: [],
  });
});

describe('sampling', () => {
  test.each([
    [undefined, undefined, {}, { sampleRatio: 1, callers: 'own' }],
    [undefined, undefined, { sampleRatio: 0.1, callers: 'trust' }, { sampleRatio: 0.1, callers: 'follow' }],
    ['always_on', undefined, { sampleRatio: 0.1 }, { sampleRatio: 1, callers: 'own' }],
    ['always_off', undefined, {}, { sampleRatio: 0, callers: 'own' }],
    ['traceidratio', '0.25', {}, { sampleRatio: 0.25, callers: 'id' }],
    ['parentbased_always_on', undefined, {}, { sampleRatio: 1, callers: 'follow' }],
    ['parentbased_always_off', undefined, {}, { sampleRatio: 0, callers: 'follow' }],
    ['parentbased_traceidratio', '0.5', {}, { sampleRatio: 0.5, callers: 'follow' }],
  ])('with the sampler %s, its argument %s and the file %j', (sampler, arg, section, want) => {
    const env = { ...(sampler && { OTEL_TRACES_SAMPLER: sampler }), ...(arg && { OTEL_TRACES_SAMPLER_ARG: arg }) };
    expect(plan(env, section)).toMatchObject({ ...want, warnings: [] });
  });
});

test('unsupported values of variables are ignored, with a warning that shows no secret', () => {
  const { warnings, ...rest } = plan({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_HEADERS: 'hunter2',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    OTEL_TRACES_SAMPLER: 'xray',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
  })!;
  expect(rest).toMatchObject({ protocol: 'http/protobuf', headers: {}, sampleRatio: 1, callers: 'own' });
  expect(warnings.join('\n')).toBe(
    [
      'OTEL_TRACES_EXPORTER is "zipkin", but only otlp and none are supported.',
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", which is not supported: use http/protobuf. Write the collector’s HTTP port, usually 4318, in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.',
      'OTEL_EXPORTER_OTLP_HEADERS has a part that is not name=value: that part is ignored.',
      'OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number greater than 0, but is "soon": the default is used.',
      'OTEL_EXPORTER_OTLP_COMPRESSION is "zstd", but only gzip and none are supported.',
      'OTEL_TRACES_SAMPLER is "xray", which is not supported: the default is used.',
      'OTEL_BSP_MAX_QUEUE_SIZE must be a whole number greater than 0, but is "-1": the default is used.',
    ].join('\n'),
  );
});

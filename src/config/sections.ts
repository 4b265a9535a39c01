// The sections of landbridge.yaml, except `auth` (auth-section.ts): the shape of each, built on first use.
import { z } from 'zod';
import { callLimits } from '../domain/definition/shape/call-limits-schema.ts';
import { about, headerName, list, named, strict, text, withDefault } from '../domain/definition/shape/fields.ts';
import { once } from '../endpoint/untrusted.ts';
import { filePath } from './file-paths.ts';
import { bindAddress, hostName, port, secretSource } from './settings.ts';

export const tlsSection = once(() =>
  strict(
    {
      cert: about(filePath, 'The file with the certificate chain (PEM).', '/etc/landbridge/tls.crt'),
      key: about(filePath, 'The file with the private key of the certificate (PEM).', '/etc/landbridge/tls.key'),
      clientCa: about(
        filePath,
        'The file with the certificate authority of client certificates (PEM). The name in a valid certificate identifies the caller; `auth.certificates` sets what that caller may do.',
        '/etc/landbridge/clients.crt',
      ),
      minVersion: about(
        z.enum(['TLSv1.2', 'TLSv1.3']),
        withDefault('The oldest TLS version that is accepted.', '`TLSv1.2`'),
        'TLSv1.3',
      ),
    },
    'cert',
    'key',
  ).meta({ id: 'tls' }),
);

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

export const assertionsSection = once(() =>
  strict(
    {
      issuer: about(
        z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
        withDefault('The issuer (`iss`) of the assertions.', 'the setting `publicUrl`'),
        'https://mcp.example.com',
      ),
      keys: about(
        list(filePath).refine((files) => files.length > 0 && files.length <= 16, 'must name one to sixteen files'),
        'Files with private keys (PEM: RSA of 2048 bits or more, P-256, P-384, Ed25519). The first one signs. All public keys are published at `/.well-known/jwks.json`. To rotate: add the new key as the second one and restart. Later move it to the front. Remove the old key when everything it signed has expired.',
        ['./assertion-key.pem'],
      ),
    },
    'keys',
  ).meta({ id: 'assertions' }),
);

export const auditSection = once(() =>
  strict(
    {
      file: about(
        filePath,
        'The file to which records are appended, one JSON object per line. Processes that run at the same time need a file each: `%h` stands for the host name, `%p` for the process id.',
        'audit.jsonl',
      ),
      onError: about(
        z.enum(['refuse', 'continue'], { error: 'must be refuse or continue' }),
        withDefault(
          'What happens if a record cannot be written, for example on a full disk. `refuse` refuses calls before anything is sent. `continue` makes them, logs the problem and counts the missing records.',
          '`refuse`',
        ),
        'refuse',
      ),
      signEverySeconds: about(
        z.number().min(1).max(86_400),
        withDefault('Seconds between two signatures of the chain, if there are new records.', 60),
        60,
      ),
      keyFile: about(
        filePath,
        withDefault(
          'The file with the private key (PEM, Ed25519) that signs. It is made on first use.',
          '`audit-key.pem` next to the audit file',
        ),
        'audit-key.pem',
      ),
      maxBytes: about(
        z.number().int().min(1_000_000),
        withDefault(
          'The size in bytes at which a new file is started. The old file is renamed, never deleted.',
          'no limit',
        ),
        1_000_000_000,
      ),
    },
    'file',
  ).meta({ id: 'audit' }),
);

/** The port on which Prometheus exporters of OpenTelemetry listen. */
export const ADMIN_PORT = 9464;

export const adminSection = once(() =>
  strict({
    port: about(port, withDefault('The port of the admin listener. 0 picks a free one.', ADMIN_PORT), ADMIN_PORT),
    host: about(
      bindAddress,
      withDefault(
        'The address of the admin listener. Any other than 127.0.0.1 needs `token` or `allowAnyone`.',
        '`127.0.0.1`',
      ),
      '127.0.0.1',
    ),
    token: about(
      secretSource,
      'The token for everything but `/healthz` and `/readyz`, at least 32 characters. It is sent as `Authorization: Bearer <token>`.',
      { file: '/run/secrets/admin' },
    ),
    allowAnyone: about(
      z.boolean({ error: 'must be true or false' }),
      withDefault(
        'Listens for other machines without a token. Set it only if a firewall or a proxy keeps others out. The log level can then be changed only from this machine.',
        false,
      ),
      true,
    ),
    allowedHosts: about(
      list(hostName),
      'Host names that are accepted in the Host header, besides the addresses of this machine. Requests with the token are not checked.',
      ['landbridge'],
    ),
  }).meta({ id: 'admin' }),
);

export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** `/v1/traces` is appended to it, as to OTEL_EXPORTER_OTLP_ENDPOINT. */
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

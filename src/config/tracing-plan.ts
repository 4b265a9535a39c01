// Whether traces are recorded, and where they are sent: by flag, environment, file or default, in this order.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { describeFileError } from '../domain/files/domain-files.ts';
import type { Environment } from '../endpoint/environment.ts';
import { GatewayError, usageError } from '../errors.ts';
import {
  type OtelVariables,
  type OtlpProtocol,
  readOtelVariables,
  type Sampling,
  toTracesUrl,
} from './otel-variables.ts';
import { collectorUrl, type tracingSection } from './sections.ts';

export interface TracingPlan {
  /** Whole, with its path. */
  readonly endpoint: string;
  readonly protocol: OtlpProtocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampleRatio: number;
  readonly callers: Sampling['callers'];
  readonly timeoutMs?: number | undefined;
  readonly compression?: 'gzip' | 'none' | undefined;
  /** Files, PEM. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly queue: OtelVariables['queue'];
  /** For the operator. */
  readonly warnings: readonly string[];
}

/** What switched tracing on. */
export type TracingOrigin = 'flag' | 'variable' | 'file';

type Section = z.output<ReturnType<typeof tracingSection>>;

const DEFAULT_ENDPOINT = 'http://localhost:4318';

export function planTracing(
  flag: string | undefined,
  env: Environment,
  section: Section | undefined,
): { readonly plan: TracingPlan; readonly origin: TracingOrigin } | undefined {
  const variables = readOtelVariables(env);
  const origin =
    flag !== undefined
      ? 'flag'
      : variables.isOn
        ? 'variable'
        : section && variables.isOn !== false
          ? 'file'
          : undefined;
  if (origin === undefined) return undefined;
  const ofFile = section ?? {};
  return {
    origin,
    plan: {
      endpoint:
        flag === undefined ? (variables.url ?? toTracesUrl(ofFile.endpoint ?? DEFAULT_ENDPOINT)) : checkFlag(flag),
      protocol: variables.protocol ?? ofFile.protocol ?? 'http/protobuf',
      headers: { ...ofFile.headers, ...variables.headers },
      serviceName: variables.serviceName ?? ofFile.serviceName ?? 'landbridge',
      resource: { ...ofFile.resource, ...variables.resource },
      sampleRatio: variables.sampling?.ratio ?? ofFile.sampleRatio ?? 1,
      callers: variables.sampling?.callers ?? (ofFile.callers === 'trust' ? 'follow' : 'own'),
      timeoutMs: variables.timeoutMs,
      compression: variables.compression,
      ca: variables.ca,
      cert: variables.cert,
      key: variables.key,
      queue: variables.queue,
      warnings: variables.warnings,
    },
  };
}

function checkFlag(flag: string): string {
  const result = collectorUrl().safeParse(flag);
  if (result.success) return toTracesUrl(result.data);
  throw usageError(`--otlp-endpoint ${result.error.issues[0]!.message}.`);
}

/** The contents of the files that the plan names. */
export function readCollectorFiles({ ca, cert, key }: TracingPlan): Partial<Record<'ca' | 'cert' | 'key', string>> {
  const files = { ca, cert, key };
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [[name, readPem(file)]])),
  );
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = describeFileError(error as NodeJS.ErrnoException);
    throw new GatewayError('BAD_CONFIG', `OTEL_EXPORTER_OTLP_*CERTIFICATE, *_KEY: ${file}: ${why}`, {}, error);
  }
}

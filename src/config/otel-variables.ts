// The variables that OpenTelemetry defines for every SDK. Values that are not supported are ignored with a warning, as the
// specification demands: they are often set for a whole cluster, and must not prevent a start.
import { isWebUrl } from '../endpoint/address.ts';
import type { Environment } from '../endpoint/environment.ts';
import { PROTOCOLS } from './sections.ts';

export type OtlpProtocol = (typeof PROTOCOLS)[number];
type Pairs = Readonly<Record<string, string>>;

/** Which requests are recorded: `ratio` of them; `callers`: what effect the caller's trace flag has. */
export interface Sampling {
  readonly ratio: number;
  /** `follow`: the caller's flag decides, if there is one. `id`: the trace id decides. `own`: nothing from the caller counts. */
  readonly callers: 'follow' | 'id' | 'own';
}

/** The values from the environment; undefined if not set. */
export interface OtelVariables {
  /** Whether spans are exported at all; undefined if no variable decides it. */
  readonly isOn: boolean | undefined;
  /** Whole, with its path. */
  readonly url: string | undefined;
  readonly protocol: OtlpProtocol | undefined;
  readonly headers: Pairs;
  readonly timeoutMs: number | undefined;
  readonly compression: 'gzip' | 'none' | undefined;
  /** Files, PEM. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly serviceName: string | undefined;
  readonly resource: Pairs;
  readonly sampling: Sampling | undefined;
  readonly queue: {
    readonly maxQueueSize: number | undefined;
    readonly maxExportBatchSize: number | undefined;
    readonly scheduledDelayMillis: number | undefined;
    readonly exportTimeoutMillis: number | undefined;
  };
  readonly warnings: readonly string[];
}

export function readOtelVariables(env: Environment): OtelVariables {
  const warnings: string[] = [];
  /** An empty variable is an unset one. */
  const read = (name: string) => env[name]?.trim() || undefined;
  /** Variables for traces take precedence over those for all signals. */
  const ofExporter = (name: string) => read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`);
  const number = (name: string, value = read(name)): number | undefined => {
    if (value === undefined) return undefined;
    if (/^\d+$/.test(value) && Number(value) > 0) return Number(value);
    warnings.push(`${name} must be a whole number greater than 0, but is ${quote(value)}: the default is used.`);
    return undefined;
  };
  const pairs = (name: string): Pairs => parsePairs(read(name), name, warnings);
  const { 'service.name': serviceName, ...resource } = pairs('OTEL_RESOURCE_ATTRIBUTES');
  return {
    isOn: readSwitch(read, warnings),
    url: readUrl(read, warnings),
    protocol: readProtocol(ofExporter('PROTOCOL'), warnings),
    headers: { ...pairs('OTEL_EXPORTER_OTLP_HEADERS'), ...pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS') },
    timeoutMs: number('OTEL_EXPORTER_OTLP_TIMEOUT', ofExporter('TIMEOUT')),
    compression: readCompression(ofExporter('COMPRESSION'), warnings),
    ca: ofExporter('CERTIFICATE'),
    cert: ofExporter('CLIENT_CERTIFICATE'),
    key: ofExporter('CLIENT_KEY'),
    serviceName: read('OTEL_SERVICE_NAME') ?? serviceName,
    resource,
    sampling: readSampling(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG'), warnings),
    queue: {
      maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
    },
    warnings,
  };
}

type Read = (name: string) => string | undefined;

/** Tracing is on if an OTLP exporter or a collector is named. */
function readSwitch(lookUp: Read, warnings: string[]): boolean | undefined {
  if (lookUp('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  const exporters = lookUp('OTEL_TRACES_EXPORTER')
    ?.split(',')
    .map((name) => name.trim());
  if (exporters?.includes('none')) return false;
  if (exporters?.includes('otlp')) return true;
  if (exporters !== undefined)
    warnings.push(`OTEL_TRACES_EXPORTER is ${quote(exporters.join(','))}, but only otlp and none are supported.`);
  const endpoint = lookUp('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? lookUp('OTEL_EXPORTER_OTLP_ENDPOINT');
  return endpoint === undefined ? undefined : true;
}

function readUrl(lookUp: Read, warnings: string[]): string | undefined {
  for (const [name, path] of [
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ''],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'v1/traces'],
  ] as const) {
    const text = lookUp(name);
    if (text === undefined) continue;
    if (URL.canParse(text) && isWebUrl(new URL(text))) return path === '' ? text : toTracesUrl(text);
    warnings.push(`${name} is not an http(s) URL and is ignored.`);
  }
  return undefined;
}

/** The URL at which a collector accepts traces. */
export function toTracesUrl(endpoint: string): string {
  return `${endpoint.endsWith('/') ? endpoint : `${endpoint}/`}v1/traces`;
}

function readProtocol(protocol: string | undefined, warnings: string[]): OtlpProtocol | undefined {
  if (protocol === undefined) return undefined;
  const match = PROTOCOLS.find((one) => one === protocol);
  if (match === undefined)
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${quote(protocol)}, which is not supported: use http/protobuf. Write the collector’s HTTP port, usually 4318, in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.`,
    );
  return match;
}

function readCompression(compression: string | undefined, warnings: string[]): 'gzip' | 'none' | undefined {
  if (compression === undefined || compression === 'gzip' || compression === 'none') return compression;
  warnings.push(`OTEL_EXPORTER_OTLP_COMPRESSION is ${quote(compression)}, but only gzip and none are supported.`);
  return undefined;
}

const SAMPLERS = /^(parentbased_)?(always_on|always_off|traceidratio)$/;

/** A parent-based sampler lets callers decide what is recorded. */
function readSampling(sampler: string | undefined, arg: string | undefined, warnings: string[]): Sampling | undefined {
  if (sampler === undefined) return undefined;
  const [, parentBased, kind] = SAMPLERS.exec(sampler.toLowerCase()) ?? [];
  if (kind === undefined) {
    warnings.push(`OTEL_TRACES_SAMPLER is ${quote(sampler)}, which is not supported: the default is used.`);
    return undefined;
  }
  const number = Number(arg ?? 1);
  const isRatio = number >= 0 && number <= 1;
  if (kind === 'traceidratio' && !isRatio)
    warnings.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is ${quote(arg ?? '')}: 1 is used.`);
  const ratio = kind === 'always_on' ? 1 : kind === 'always_off' ? 0 : isRatio ? number : 1;
  return { ratio, callers: parentBased !== undefined ? 'follow' : kind === 'traceidratio' ? 'id' : 'own' };
}

/** `a=b,c=d`, with values encoded as in a URL. */
function parsePairs(text: string | undefined, name: string, warnings: string[]): Pairs {
  const pairs: Record<string, string> = {};
  for (const member of text?.split(',') ?? []) {
    const equals = member.indexOf('=');
    const key = member.slice(0, Math.max(equals, 0)).trim();
    const value = decode(member.slice(equals + 1).trim());
    if (member.trim() === '') continue;
    // Not shown: what is written there may be a secret.
    if (key === '' || value === undefined)
      warnings.push(`${name} has a part that is not name=value: that part is ignored.`);
    else pairs[key] = value;
  }
  return pairs;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

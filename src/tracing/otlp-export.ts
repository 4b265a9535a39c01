// The program's own OpenTelemetry SDK, loaded only if traces are switched on. Spans are sent in batches from a bounded queue; a collector
// that cannot be reached costs spans, never a call.
import { randomUUID } from 'node:crypto';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export interface ExportOptions {
  readonly version: string;
  /** The URL at which the collector accepts traces. */
  readonly endpoint: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampleRatio: number;
  /**
   * How requests that belong to a caller's trace are sampled. `follow`: the caller's flag decides. `id`: the trace id decides. `own`:
   * nothing from the caller counts.
   */
  readonly callers: 'follow' | 'id' | 'own';
  readonly timeoutMs?: number | undefined;
  readonly compression?: 'gzip' | 'none' | undefined;
  /** PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly queue: {
    readonly maxQueueSize?: number | undefined;
    readonly maxExportBatchSize?: number | undefined;
    readonly scheduledDelayMillis?: number | undefined;
    readonly exportTimeoutMillis?: number | undefined;
  };
  /** Called when spans begin to be lost and when they arrive again, with the number of lost spans. */
  readonly onChange: (isArriving: boolean, facts: { readonly losses: number; readonly why?: string }) => void;
  /** Other warnings of the SDK. */
  readonly onWarning: (message: string) => void;
}

export interface TraceExport {
  readonly provider: TracerProvider;
  /** Sends the remaining spans, within a time limit; resolves to the number of spans that never arrived. */
  close(): Promise<{ readonly losses: number }>;
}

/** Stopping waits no longer than this for a collector that does not answer. */
const MAX_FLUSH_MS = 3_000;
const MAX_WHY_CHARS = 200;
/** Values may come from a client, such as its address behind a proxy: longer ones are cut. */
const MAX_VALUE_CHARS = 256;

export function openTraceExport(options: ExportOptions): TraceExport {
  const { serviceName, resource, version, sampleRatio, callers, queue, onWarning } = options;
  diag.setLogger(toDiagLogger(onWarning), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new CountingExporter(createExporter(options), options.onChange);
  const processor = new BatchSpanProcessor({ exporter, ...omitUndefinedOptions(queue) });
  const provider = new TracerProvider({
    sampler: createSampler(sampleRatio, callers),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARS },
    spanProcessors: [processor],
    // Replicas and workers differ in their instance id.
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.instance.id': randomUUID(),
        'service.version': version,
        ...resource,
        'service.name': serviceName,
        'process.pid': process.pid,
      }),
    ),
  });
  return {
    provider,
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, MAX_FLUSH_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      return { losses: exporter.losses };
    },
  };
}

function createExporter({ endpoint, protocol, headers, timeoutMs, compression, tls }: ExportOptions): SpanExporter {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  return new Exporter({
    url: endpoint,
    headers: { ...headers },
    keepAlive: true,
    httpAgentOptions: { keepAlive: true, ...tls },
    ...(timeoutMs !== undefined && { timeoutMillis: timeoutMs }),
    compression: (compression ?? 'none') as never,
  });
}

/**
 * Inner spans follow their parent. For a request with a caller's trace, `follow` obeys the caller's flag and `id` the trace id. `own`
 * decides at random, so that a caller cannot choose, neither by its flag nor by an id that falls into the recorded share.
 */
function createSampler(ratio: number, callers: ExportOptions['callers']): Sampler {
  const byId = new TraceIdRatioBasedSampler(ratio);
  if (callers === 'follow') return new ParentBasedSampler({ root: byId });
  const remote = callers === 'id' ? byId : createRandomSampler(ratio);
  return new ParentBasedSampler({ root: byId, remoteParentSampled: remote, remoteParentNotSampled: remote });
}

function createRandomSampler(ratio: number): Sampler {
  return {
    shouldSample: () => ({
      decision: Math.random() < ratio ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `RandomSampler{${ratio}}`,
  };
}

type ExportDone = Parameters<SpanExporter['export']>[1];

/** Passes spans on. Reports when they stop arriving and when they arrive again, instead of every batch that fails. */
class CountingExporter implements SpanExporter {
  losses = 0;
  readonly #exporter: SpanExporter;
  readonly #onChange: ExportOptions['onChange'];
  #isArriving = true;
  #lossesSinceArrival = 0;

  constructor(exporter: SpanExporter, onChange: ExportOptions['onChange']) {
    this.#exporter = exporter;
    this.#onChange = onChange;
  }

  export(spans: ReadableSpan[], callback: ExportDone): void {
    // Counted as lost until they are accepted: if the process stops meanwhile, they do not count as sent.
    this.losses += spans.length;
    this.#exporter.export(spans, (result) => {
      if (result.code === 0) {
        this.losses -= spans.length;
        if (!this.#isArriving) this.#onChange(true, { losses: this.#lossesSinceArrival });
        this.#isArriving = true;
        this.#lossesSinceArrival = 0;
      } else {
        this.#lossesSinceArrival += spans.length;
        const why = String(result.error?.message || 'no reason was given').slice(0, MAX_WHY_CHARS);
        if (this.#isArriving) this.#onChange(false, { losses: this.#lossesSinceArrival, why });
        this.#isArriving = false;
      }
      // The failure was reported above; the SDK would report it again, with a stack.
      callback({ code: 0 });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}

function toDiagLogger(onWarning: (message: string) => void) {
  // Only strings are passed on: other values may contain request or response data.
  const warn = (...words: unknown[]) =>
    onWarning(
      words
        .filter((word) => typeof word === 'string')
        .join(' ')
        .slice(0, MAX_WHY_CHARS),
    );
  const nothing = () => {};
  return { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
}

function omitUndefinedOptions<Options extends object>(
  options: Options,
): { [Key in keyof Options]: NonNullable<Options[Key]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

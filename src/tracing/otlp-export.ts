// The program's own OpenTelemetry SDK: loaded only where traces are switched on. Spans leave in batches from a queue that has an
// end; a collector that is away costs spans, never a call.
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
  /** Where the collector takes traces. */
  readonly endpoint: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampleRatio: number;
  /**
   * `follow`: a caller's sampled flag decides, if there is one. `id`: its trace id decides. `own`: nothing from the caller
   * counts.
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
  /** Called when spans begin to be lost, and when they arrive again, with how many were lost. */
  readonly onChange: (isArriving: boolean, facts: { readonly losses: number; readonly why?: string }) => void;
  /** Whatever else the SDK has to say. */
  readonly onWarning: (message: string) => void;
}

export interface TraceExport {
  readonly provider: TracerProvider;
  /** Sends what is left, within a bound; says how many spans never arrived. */
  close(): Promise<{ readonly losses: number }>;
}

/** Stopping waits no longer than this for a collector that does not answer. */
const MAX_FLUSH_MS = 3_000;
const MAX_WHY_CHARS = 200;
/** Of a name a client chose, such as its address behind a proxy: longer ones are cut. */
const MAX_VALUE_CHARS = 256;

export function openTraceExport(options: ExportOptions): TraceExport {
  const { serviceName, resource, version, sampleRatio, callers, queue, onWarning } = options;
  diag.setLogger(toDiagLogger(onWarning), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new CountingExporter(createExporter(options), options.onChange);
  const processor = new BatchSpanProcessor({ exporter, ...definedOf(queue) });
  const provider = new TracerProvider({
    sampler: createSampler(sampleRatio, callers),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARS },
    spanProcessors: [processor],
    // Replicas and workers are told apart by their instance.
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
 * Inner spans follow their parent. For a request with a caller's trace, `follow` obeys the caller's flag and `id` its trace id.
 * `own` draws by lot, so that a caller can choose neither by its flag nor by an id that falls into the recorded share.
 */
function createSampler(ratio: number, callers: ExportOptions['callers']): Sampler {
  const byId = new TraceIdRatioBasedSampler(ratio);
  if (callers === 'follow') return new ParentBasedSampler({ root: byId });
  const remote = callers === 'id' ? byId : createLottery(ratio);
  return new ParentBasedSampler({ root: byId, remoteParentSampled: remote, remoteParentNotSampled: remote });
}

function createLottery(ratio: number): Sampler {
  return {
    shouldSample: () => ({
      decision: Math.random() < ratio ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `Lottery{${ratio}}`,
  };
}

type ExportDone = Parameters<SpanExporter['export']>[1];

/** Passes spans on, and says when they stop arriving, and when they do again, instead of once for every batch. */
class CountingExporter implements SpanExporter {
  losses = 0;
  readonly #exporter: SpanExporter;
  readonly #onChange: ExportOptions['onChange'];
  #isArriving = true;
  #lossesMeanwhile = 0;

  constructor(exporter: SpanExporter, onChange: ExportOptions['onChange']) {
    this.#exporter = exporter;
    this.#onChange = onChange;
  }

  export(spans: ReadableSpan[], callback: ExportDone): void {
    // Counted as lost until they are accepted: if the process stops meanwhile, they must not count as sent.
    this.losses += spans.length;
    this.#exporter.export(spans, (result) => {
      if (result.code === 0) {
        this.losses -= spans.length;
        if (!this.#isArriving) this.#onChange(true, { losses: this.#lossesMeanwhile });
        this.#isArriving = true;
        this.#lossesMeanwhile = 0;
      } else {
        this.#lossesMeanwhile += spans.length;
        const why = String(result.error?.message || 'no reason was given').slice(0, MAX_WHY_CHARS);
        if (this.#isArriving) this.#onChange(false, { losses: this.#lossesMeanwhile, why });
        this.#isArriving = false;
      }
      // Reported above; the SDK would report it again, with a stack.
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
  // The first word is often only the name of a component; values that are not text may contain request or response data.
  const say = (...words: unknown[]) =>
    onWarning(
      words
        .filter((word) => typeof word === 'string')
        .join(' ')
        .slice(0, MAX_WHY_CHARS),
    );
  const nothing = () => {};
  return { error: say, warn: say, info: nothing, debug: nothing, verbose: nothing };
}

function definedOf<Options extends object>(options: Options): { [Key in keyof Options]: NonNullable<Options[Key]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

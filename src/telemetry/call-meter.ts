// Counts calls as they end. The series that a call adds to are found by one look-up, by its transport, client, tool and outcome.
import type { Transport } from '../call/caller.ts';
import type { Confirmation } from '../call/evidence.ts';
import type { ExecutionContext, RequestFacts, ResultFacts } from '../call/execution-context.ts';
import type { Meter, MeteredService, OpenMeter } from '../call/meter.ts';
import type { Outcome } from '../call/outcome.ts';
import { type Counter, CounterFamily, type Histogram, HistogramFamily, type Snapshot } from './families.ts';
import { METRICS } from './metric-table.ts';

/** How many tools, and how many operations, have series of their own: the first that are called. */
const MAX_NAMES = 200;
const OTHER = 'other';
const UNKNOWN = 'unknown';
/** The domain of native tools that call an API outside all domains. */
const NO_DOMAIN = 'native';
const CHARS_PER_TOKEN = 4;

/** The methods of MCP in all supported revisions; all others are counted together. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
]);

/** The series that a call adds to. */
interface CallSeries {
  readonly calls: Counter;
  readonly callDuration: Histogram;
  readonly gatewayDuration: Histogram;
  readonly domain: string;
}

/** The series of the API of one domain. */
interface UpstreamSeries {
  readonly duration: Histogram;
  /** By the first digit of the status; 0 if no answer came. */
  readonly answers: (Counter | undefined)[];
}

export interface CallMetrics {
  readonly openMeter: OpenMeter;
  snapshot(): readonly Snapshot[];
}

export function createCallMetrics(): CallMetrics {
  const families = createFamilies();
  // Created at zero: rate() misses the first increment of a series that starts with it.
  for (const result of ['asked', 'accepted', 'refused', 'invalid']) families.confirmations.at(result);
  const names = { tools: new BoundedNames(), operations: new BoundedNames() };
  return {
    openMeter: (service) => new CallMeter(families, names, service),
    snapshot: () => Object.values(families).map((family) => family.snapshot()),
  };
}

function createFamilies() {
  return {
    requests: new CounterFamily(METRICS.requests),
    calls: new CounterFamily(METRICS.calls),
    callDuration: new HistogramFamily(METRICS.callDuration),
    gatewayDuration: new HistogramFamily(METRICS.gatewayDuration),
    upstreamDuration: new HistogramFamily(METRICS.upstreamDuration),
    waitDuration: new HistogramFamily(METRICS.waitDuration),
    upstreamAnswers: new CounterFamily(METRICS.upstreamAnswers),
    confirmations: new CounterFamily(METRICS.confirmations),
    answerTokens: new HistogramFamily(METRICS.answerTokens),
  };
}

type Families = ReturnType<typeof createFamilies>;

interface Names {
  readonly tools: BoundedNames;
  readonly operations: BoundedNames;
}

/** The first names that occur, so that a label has a limited number of values. */
class BoundedNames {
  readonly #names = new Set<string>();

  /** The name, or OTHER if there are too many names. */
  pick(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= MAX_NAMES) return OTHER;
    this.#names.add(name);
    return name;
  }
}

class CallMeter implements Meter {
  readonly #families: Families;
  readonly #names: Names;
  readonly #service: MeteredService;
  readonly #tokens: Histogram;
  readonly #waits: Histogram;
  readonly #requests = new Map<string, Counter>();
  readonly #calls = new Map<string, CallSeries>();
  readonly #upstreams = new Map<string, UpstreamSeries>();

  constructor(families: Families, names: Names, service: MeteredService) {
    this.#families = families;
    this.#names = names;
    this.#service = service;
    this.#tokens = families.answerTokens.at(service.profile);
    this.#waits = families.waitDuration.at();
  }

  countRequest(method: string, era: 'modern' | 'legacy', transport: Transport): void {
    const label = METHODS.has(method) ? method : OTHER;
    const key = `${label} ${era} ${transport}`;
    let counter = this.#requests.get(key);
    if (counter === undefined) {
      counter = this.#families.requests.at(transport, era, label);
      this.#requests.set(key, counter);
    }
    counter.value++;
  }

  countCall(record: ExecutionContext, answer: Outcome | undefined): void {
    const result = record.results[0];
    if (result === undefined) return;
    const { durationMs, outcome, failureMode = '' } = result;
    const series = this.#seriesOf(record, outcome, failureMode);
    const { upstreamMs, waitedMs, confirmation } = record.journal;
    series.calls.value++;
    series.callDuration.observe(durationMs / 1_000);
    series.gatewayDuration.observe(Math.max(0, durationMs - upstreamMs - waitedMs) / 1_000);
    if (waitedMs > 0) this.#waits.observe(waitedMs / 1_000);
    if (result.upstream !== undefined) this.#countUpstream(series.domain, upstreamMs, result.upstream.status);
    if (confirmation !== undefined) this.#countConfirmation(confirmation, record.client.era);
    if (answer !== undefined && answer.inputRequired === undefined) this.#tokens.observe(estimateTokens(answer));
  }

  countExcess(context: ExecutionContext, outcome: ResultFacts['outcome']): void {
    this.#seriesOf(context, outcome, 'rate_limited').calls.value++;
  }

  #seriesOf(context: ExecutionContext, outcome: string, mode: string): CallSeries {
    const { tool = '', operation = '' } = context;
    const { transport, method, client } = context.request;
    const isTool = method === 'tools/call';
    const name = isTool ? (this.#service.hasTool(tool) ? tool : UNKNOWN) : '';
    const key = `${operation} ${name} ${transport} ${client.era} ${method} ${outcome} ${mode}`;
    const series = this.#calls.get(key);
    if (series !== undefined) return series;
    return this.#addSeries(key, name, operation, context.request, outcome, mode);
  }

  #addSeries(
    key: string,
    tool: string,
    operation: string,
    { transport, client, method }: RequestFacts,
    outcome: string,
    mode: string,
  ): CallSeries {
    const { tools, operations } = this.#names;
    const { profile, exposure } = this.#service;
    const toolLabel = tool === '' || tool === UNKNOWN ? tool : tools.pick(tool);
    const operationLabel = operation === '' ? '' : operations.pick(operation);
    const series: CallSeries = {
      calls: this.#families.calls.at(
        transport,
        client.era,
        profile,
        exposure,
        method,
        toolLabel,
        operationLabel,
        outcome,
        mode,
      ),
      callDuration: this.#families.callDuration.at(transport, outcome),
      gatewayDuration: this.#families.gatewayDuration.at(transport),
      domain: this.#service.domainOf(operation) ?? NO_DOMAIN,
    };
    this.#calls.set(key, series);
    return series;
  }

  #countUpstream(domain: string, upstreamMs: number, status = 0): void {
    let series = this.#upstreams.get(domain);
    if (series === undefined) {
      series = { duration: this.#families.upstreamDuration.at(domain), answers: [] };
      this.#upstreams.set(domain, series);
    }
    series.duration.observe(upstreamMs / 1_000);
    const kind = Math.floor(status / 100);
    let answers = series.answers[kind];
    if (answers === undefined) {
      answers = this.#families.upstreamAnswers.at(domain, kind === 0 ? 'none' : `${kind}xx`);
      series.answers[kind] = answers;
    }
    answers.value++;
  }

  #countConfirmation(confirmation: Confirmation, era: 'modern' | 'legacy'): void {
    for (const result of listResults(confirmation, era)) this.#families.confirmations.at(result).value++;
  }
}

/** The confirmation events in the record of a call. */
function listResults({ issued, by, answer }: Confirmation, era: 'modern' | 'legacy'): string[] {
  if (answer === undefined) return issued === undefined ? [] : ['asked'];
  // Legacy clients are asked within the call: its record has only the answer, so the question is counted with it.
  const question = by === 'answer' && era === 'legacy' ? ['asked'] : [];
  // Further rounds of a confirmed call are not counted again.
  if (answer === 'good' && by === 'round') return [];
  if (answer === 'good' || answer === 'accept') return [...question, 'accepted'];
  if (answer === 'no' || answer === 'decline' || answer === 'cancel') {
    // A client that declined for itself is offered a token instead.
    if (by === 'token') return era === 'legacy' ? ['asked', 'refused', 'asked'] : ['refused', 'asked'];
    return [...question, 'refused'];
  }
  return ['invalid'];
}

function estimateTokens({ content }: Outcome): number {
  let chars = 0;
  for (const part of content) if (part.type === 'text') chars += part.text.length;
  return chars / CHARS_PER_TOKEN;
}

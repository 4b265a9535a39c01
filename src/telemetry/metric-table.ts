// Every metric of the gateway: its name, type and labels, and what it means. docs/metrics.md is made of this table, and a
// test holds it against a live scrape.

export interface MetricSpec {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each with what its values are. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
  /** What becomes of the values of several workers. Default: they are added up. */
  readonly merge?: 'sum' | 'max' | 'min';
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TOKENS = [10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000];

const transport = '`http`, `tcp`, `stdio`, or `local` for calls from within the process';
const era = '`modern` (MCP 2026-07-28) or `legacy`';
const profile = 'name of the profile; empty for what is served by default';
const domain = 'name of the domain';
const origin = 'scheme, host and port of the API; `other` beyond 50 of them';

export const METRICS = {
  requests: {
    name: 'landbridge_requests_total',
    type: 'counter',
    help: 'JSON-RPC requests that were taken up.',
    labels: { transport, era, method: 'method of MCP; `other` for what is none' },
  },
  calls: {
    name: 'landbridge_calls_total',
    type: 'counter',
    help: 'Calls of tools, resources and prompts that have ended.',
    labels: {
      transport,
      era,
      profile,
      exposure: '`tools`, `grouped`, `search` or `mixed`',
      method: '`tools/call`, `resources/read` or `prompts/get`',
      tool: 'tool as its client called it; `unknown` for names that are no tool, `other` beyond 200 operations, empty for resources and prompts',
      operation:
        'what of it was run: `domain.action`, or a native tool; `other` beyond 200 of them, empty where nothing was',
      outcome:
        '`ok`, `failed` (the model reads why), `input_required` (a person is asked first) or `error` (a JSON-RPC error)',
      failure_mode: 'why it failed, as `failure_mode` says it to the model; else empty',
    },
  },
  callDuration: {
    name: 'landbridge_call_duration_seconds',
    type: 'histogram',
    help: 'Time of a call from when it was taken up to its answer, all waiting included.',
    labels: { transport, outcome: 'as of `landbridge_calls_total`' },
    buckets: SECONDS,
  },
  gatewayDuration: {
    name: 'landbridge_gateway_duration_seconds',
    type: 'histogram',
    help: 'Time of a call that the gateway itself took: without the API, and without waiting for room, a token or a person.',
    labels: { transport },
    buckets: SECONDS,
  },
  upstreamDuration: {
    name: 'landbridge_upstream_duration_seconds',
    type: 'histogram',
    help: 'Time of a call that its API took, all requests of the call together.',
    labels: { domain },
    buckets: SECONDS,
  },
  waitDuration: {
    name: 'landbridge_wait_duration_seconds',
    type: 'histogram',
    help: 'Time that calls waited for room, a token or a person; calls that did not wait are not in it.',
    labels: {},
    buckets: SECONDS,
  },
  upstreamAnswers: {
    name: 'landbridge_upstream_answers_total',
    type: 'counter',
    help: 'Calls that asked an API, by the last answer that came.',
    labels: { domain, status: '`2xx`, `3xx`, `4xx`, `5xx`, or `none` where no answer came' },
  },
  confirmations: {
    name: 'landbridge_confirmations_total',
    type: 'counter',
    help: 'Confirmations of calls that need one.',
    labels: {
      result: '`asked`, `accepted`, `refused` (a person said no) or `invalid` (spent, expired, or of another call)',
    },
  },
  answerTokens: {
    name: 'landbridge_answer_tokens',
    type: 'histogram',
    help: 'Tokens that the answers of tools cost a model, estimated at four characters each.',
    labels: { profile },
    buckets: TOKENS,
  },
  listTokens: {
    name: 'landbridge_list_tokens',
    type: 'gauge',
    help: 'Tokens that tools/list costs a model, estimated to two digits.',
    labels: { profile },
    merge: 'max',
  },
  tools: {
    name: 'landbridge_tools',
    type: 'gauge',
    help: 'Tools that are listed.',
    labels: { profile },
    merge: 'max',
  },
  operations: {
    name: 'landbridge_operations',
    type: 'gauge',
    help: 'Operations that can be called, by whichever tool.',
    labels: { profile },
    merge: 'max',
  },
  inFlight: {
    name: 'landbridge_requests_in_flight',
    type: 'gauge',
    help: 'Requests under way.',
    labels: { transport },
  },
  parked: {
    name: 'landbridge_requests_waiting_for_client',
    type: 'gauge',
    help: 'HTTP requests that only wait for their client: for an answer to a question, or for the end of a subscription.',
    labels: {},
  },
  connections: {
    name: 'landbridge_connections',
    type: 'gauge',
    help: 'Open connections of clients.',
    labels: { transport },
  },
  streams: {
    name: 'landbridge_streams',
    type: 'gauge',
    help: 'Answers over HTTP that are open event streams.',
    labels: {},
  },
  callerQueue: {
    name: 'landbridge_caller_queue_calls',
    type: 'gauge',
    help: 'Calls that wait because their caller has as many under way as it may have.',
    labels: {},
  },
  upstreamCalls: {
    name: 'landbridge_upstream_calls',
    type: 'gauge',
    help: 'Calls that have a place at their API, or wait for one.',
    labels: { domain, state: '`running` or `queued`' },
  },
  upstreamLimit: {
    name: 'landbridge_upstream_limit_calls',
    type: 'gauge',
    help: 'Calls that an API gets at once.',
    labels: { domain },
  },
  upstreamSockets: {
    name: 'landbridge_upstream_sockets',
    type: 'gauge',
    help: 'Sockets to APIs.',
    labels: { origin, state: '`connected`, or `free` for those of them that carry nothing' },
  },
  upstreamRequests: {
    name: 'landbridge_upstream_requests',
    type: 'gauge',
    help: 'HTTP requests to APIs.',
    labels: { origin, state: '`running`, or `pending` for those that wait for a socket' },
  },
  shed: {
    name: 'landbridge_shed_total',
    type: 'counter',
    help: 'Requests that were sent away because this process was overloaded.',
    labels: {},
  },
  limitRefusals: {
    name: 'landbridge_limit_refusals_total',
    type: 'counter',
    help: 'Calls that a limit refused.',
    labels: {
      limit:
        '`principal_rate` and `principal_busy` are limits of the caller, `upstream_busy` is one of the API (the section `limits`)',
    },
  },
  doorRefusals: {
    name: 'landbridge_door_refusals_total',
    type: 'counter',
    help: 'Requests and connections that were turned away at the door.',
    labels: { reason: 'as in the log: `unauthorized`, `host`, `origin`, `too_large`, `busy`, `tls` …' },
  },
  eventLoopDelay: {
    name: 'landbridge_event_loop_delay_seconds',
    type: 'histogram',
    help: 'How late the event loop was: the 99th percentile of each quarter of a second.',
    labels: {},
    buckets: SECONDS,
  },
  eventLoopBusy: {
    name: 'landbridge_event_loop_busy_seconds_total',
    type: 'counter',
    help: 'Time in which the event loop had work: its rate is how much of one core it uses.',
    labels: {},
  },
  heapUsed: {
    name: 'landbridge_heap_used_ratio',
    type: 'gauge',
    help: 'How much of the room for objects that last is in use; at 0.92 (`limits.shed.heapPercent`) calls are sent away.',
    labels: {},
    merge: 'max',
  },
  ready: {
    name: 'landbridge_ready',
    type: 'gauge',
    help: 'Whether /readyz says that this gateway is ready: 1 or 0.',
    labels: {},
    merge: 'min',
  },
  condition: {
    name: 'landbridge_condition',
    type: 'gauge',
    help: 'What is the matter at the moment, as /readyz has it: 1 where it is so.',
    labels: {
      reason: '`draining`, `memory`, `overload`, `audit`, `state` or `issuer`; only what is set up has a series',
    },
    merge: 'max',
  },
  certificateExpiry: {
    name: 'landbridge_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the certificate that clients are shown ends.',
    labels: {},
    merge: 'min',
  },
  buildInfo: {
    name: 'landbridge_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what is running.',
    labels: { version: 'of Landbridge', node: 'version of Node.js' },
    merge: 'max',
  },
  workers: {
    name: 'landbridge_workers',
    type: 'gauge',
    help: 'Processes that serve.',
    labels: { state: '`wanted` or `running`' },
  },
  workerExits: {
    name: 'landbridge_worker_exits_total',
    type: 'counter',
    help: 'Workers that ended without being told to; each is started again.',
    labels: {},
  },
} as const satisfies Record<string, MetricSpec>;

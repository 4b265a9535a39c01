// Every metric of the gateway: its name, type and labels, and what it means. docs/metrics.md is generated from this table, and a test
// compares the table with a live scrape.

export interface MetricSpec {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Each label, and what its values are. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** How the values of several workers are combined. Default: their sum. */
  readonly merge?: 'sum' | 'max' | 'min';
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TOKENS = [10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000];

const transport = '`http`, `tcp`, `stdio`, or `local` for calls from inside the process';
const era = '`modern` (MCP 2026-07-28) or `legacy`';
const profile = 'name of the profile; empty for the default profile';
const domain = 'name of the domain';
const origin = 'scheme, host and port of the API; `other` after the first 50';

export const METRICS = {
  requests: {
    name: 'landbridge_requests_total',
    type: 'counter',
    help: 'JSON-RPC requests that the gateway accepted.',
    labels: { transport, era, method: 'MCP method; `other` for an unknown method' },
  },
  calls: {
    name: 'landbridge_calls_total',
    type: 'counter',
    help: 'Finished calls of tools, resources and prompts.',
    labels: {
      transport,
      era,
      profile,
      exposure: '`tools`, `grouped`, `search` or `mixed`',
      method: '`tools/call`, `resources/read` or `prompts/get`',
      tool: 'name of the tool that the client called; `unknown` for an unknown name, `other` after the first 200 operations, empty for resources and prompts',
      operation:
        'operation that ran: `domain.action`, or a native tool; `other` after the first 200, empty if none ran',
      outcome:
        '`ok`, `failed` (the model reads why), `input_required` (a person is asked first) or `error` (a JSON-RPC error)',
      failure_mode: 'the `failure_mode` that the model gets; empty if the call did not fail',
    },
  },
  callDuration: {
    name: 'landbridge_call_duration_seconds',
    type: 'histogram',
    help: 'Time from the start of a call to its answer, including all waiting.',
    labels: { transport, outcome: 'as in `landbridge_calls_total`' },
    buckets: SECONDS,
  },
  gatewayDuration: {
    name: 'landbridge_gateway_duration_seconds',
    type: 'histogram',
    help: 'Time that the gateway itself spent on a call, without the API and without waiting for a free place, a token or a person.',
    labels: { transport },
    buckets: SECONDS,
  },
  upstreamDuration: {
    name: 'landbridge_upstream_duration_seconds',
    type: 'histogram',
    help: 'Time that the API took for a call, all requests of the call together.',
    labels: { domain },
    buckets: SECONDS,
  },
  waitDuration: {
    name: 'landbridge_wait_duration_seconds',
    type: 'histogram',
    help: 'Time that calls waited for a free place, a token or a person; calls that did not wait are not counted.',
    labels: {},
    buckets: SECONDS,
  },
  upstreamAnswers: {
    name: 'landbridge_upstream_answers_total',
    type: 'counter',
    help: 'Calls that sent a request to an API, by the status of the last answer.',
    labels: { domain, status: '`2xx`, `3xx`, `4xx`, `5xx`, or `none` if no answer came' },
  },
  confirmations: {
    name: 'landbridge_confirmations_total',
    type: 'counter',
    help: 'Confirmations, for calls that need one.',
    labels: {
      result:
        '`asked`, `accepted`, `refused` (a person said no) or `invalid` (already used, expired, or for another call)',
    },
  },
  answerTokens: {
    name: 'landbridge_answer_tokens',
    type: 'histogram',
    help: 'Tokens that an answer of a tool costs a model, estimated at four characters per token.',
    labels: { profile },
    buckets: TOKENS,
  },
  listTokens: {
    name: 'landbridge_list_tokens',
    type: 'gauge',
    help: 'Tokens that tools/list costs a model, estimated to two significant digits.',
    labels: { profile },
    merge: 'max',
  },
  tools: {
    name: 'landbridge_tools',
    type: 'gauge',
    help: 'Tools in tools/list.',
    labels: { profile },
    merge: 'max',
  },
  operations: {
    name: 'landbridge_operations',
    type: 'gauge',
    help: 'Operations that can be called, through any tool.',
    labels: { profile },
    merge: 'max',
  },
  inFlight: {
    name: 'landbridge_requests_in_flight',
    type: 'gauge',
    help: 'Requests in progress.',
    labels: { transport },
  },
  parked: {
    name: 'landbridge_requests_waiting_for_client',
    type: 'gauge',
    help: 'HTTP requests that only wait for their client: for its answer to a question, or for the end of a subscription.',
    labels: {},
  },
  connections: {
    name: 'landbridge_connections',
    type: 'gauge',
    help: 'Open connections from clients.',
    labels: { transport },
  },
  streams: {
    name: 'landbridge_streams',
    type: 'gauge',
    help: 'HTTP answers that are open event streams.',
    labels: {},
  },
  callerQueue: {
    name: 'landbridge_caller_queue_calls',
    type: 'gauge',
    help: 'Calls that wait because their caller already has its limit of calls in progress.',
    labels: {},
  },
  upstreamCalls: {
    name: 'landbridge_upstream_calls',
    type: 'gauge',
    help: 'Calls that run at an API, or wait until they may.',
    labels: { domain, state: '`running` or `queued`' },
  },
  upstreamLimit: {
    name: 'landbridge_upstream_limit_calls',
    type: 'gauge',
    help: 'The most calls that an API gets at once.',
    labels: { domain },
  },
  upstreamSockets: {
    name: 'landbridge_upstream_sockets',
    type: 'gauge',
    help: 'Sockets to APIs.',
    labels: { origin, state: '`connected` (all of them), or `free` (those without a request)' },
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
    help: 'Requests that were refused because this process was overloaded.',
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
    help: 'Requests and connections that were refused before they became a call.',
    labels: { reason: 'as in the log: `unauthorized`, `host`, `origin`, `too_large`, `busy`, `tls` …' },
  },
  eventLoopDelay: {
    name: 'landbridge_event_loop_delay_seconds',
    type: 'histogram',
    help: 'Delay of the event loop: the 99th percentile of each quarter of a second.',
    labels: {},
    buckets: SECONDS,
  },
  eventLoopBusy: {
    name: 'landbridge_event_loop_busy_seconds_total',
    type: 'counter',
    help: 'Time in which the event loop was busy; its rate is the share of one core that it uses.',
    labels: {},
  },
  heapUsed: {
    name: 'landbridge_heap_used_ratio',
    type: 'gauge',
    help: 'Share of the heap limit for long-lived objects that is in use; at 0.92 (`limits.shed.heapPercent`) calls are refused.',
    labels: {},
    merge: 'max',
  },
  ready: {
    name: 'landbridge_ready',
    type: 'gauge',
    help: '1 if /readyz answers that this gateway is ready, otherwise 0.',
    labels: {},
    merge: 'min',
  },
  condition: {
    name: 'landbridge_condition',
    type: 'gauge',
    help: 'Problems that /readyz reports: 1 while the problem is there, otherwise 0.',
    labels: {
      reason:
        '`draining`, `memory`, `overload`, `audit`, `state` or `issuer`; only those that are configured have a series',
    },
    merge: 'max',
  },
  certificateExpiry: {
    name: 'landbridge_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the TLS certificate of the gateway expires.',
    labels: {},
    merge: 'min',
  },
  buildInfo: {
    name: 'landbridge_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what is running.',
    labels: { version: 'version of Landbridge', node: 'version of Node.js' },
    merge: 'max',
  },
  workers: {
    name: 'landbridge_workers',
    type: 'gauge',
    help: 'Worker processes: how many there should be, and how many run.',
    labels: { state: '`wanted` or `running`' },
  },
  workerExits: {
    name: 'landbridge_worker_exits_total',
    type: 'counter',
    help: 'Workers that ended unexpectedly; each is started again.',
    labels: {},
  },
} as const satisfies Record<string, MetricSpec>;

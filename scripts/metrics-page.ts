// docs/metrics.md, made of the table of metrics.
import { METRICS, type MetricSpec } from '../src/telemetry/metric-table.ts';

const INTRO = `# Metrics

This page lists every metric of the gateway, and says how to switch metrics on. They are for Prometheus: text format 0.0.4, or
OpenMetrics 1.0 for clients that ask for it.

Metrics need the admin listener:

\`\`\`yaml
# landbridge.yaml
admin: { port: 9464 }
\`\`\`

They are then at \`http://127.0.0.1:9464/metrics\`. Without an admin listener nothing is counted, and calls cost no extra time.

- [deploy/prometheus](../deploy/prometheus/alerts.yml) has alerts, and [deploy/grafana](../deploy/grafana/landbridge.json) has a
  dashboard. [operate.md](operate.md) says what to do about each alert.
- Names that clients make up never become labels. The first 200 tools and operations that are called have their own series, and so have
  the first 50 origins. All others are counted as \`other\`.

## The admin listener

- **Who may use it.** It listens on 127.0.0.1. For another \`admin.host\`, set \`admin.token\` (\`Authorization: Bearer\`, needed for all
  paths except \`/healthz\` and \`/readyz\`). Or set \`admin.allowAnyone: true\`: then everyone may read, but the log level can be changed
  only from the same machine. Requests from web pages are refused. Host names must be in \`admin.allowedHosts\`.
- **\`GET /readyz\`** reports problems, and whether load balancers should stop sending calls. For \`draining\`, \`memory\` and \`audit\` they
  should. \`overload\`, \`state\` and \`issuer\` are for information.
- **\`PUT /log-level\`** with \`{"level": "debug", "seconds": 600}\` changes the log level for ten minutes. Without \`seconds\`, the level stays
  until the next change or the end of the gateway. \`GET\` returns the level.
- **At shutdown**, it answers until the very end.
- **With workers** there is one admin listener, in the primary process. Its figures are for all workers together. If a worker ends, its
  counts stay, up to the last time they were read.`;

const OUTRO = `## Of the process

There are also the usual metrics of a Node.js program: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`,
\`process_open_fds\`, \`process_max_fds\`, \`process_start_time_seconds\`, \`nodejs_eventloop_lag_seconds\`, \`nodejs_gc_duration_seconds\`,
\`nodejs_heap_size_used_bytes\` and others, as in [prom-client](https://www.npmjs.com/package/prom-client).
`;

export function renderMetricsPage(): string {
  const parts = Object.values<MetricSpec>(METRICS).map(renderMetric);
  return `${INTRO}\n\n${parts.join('\n\n')}\n\n${OUTRO}`;
}

function renderMetric({ name, type, help, labels, buckets, merge }: MetricSpec): string {
  const rows = Object.entries(labels).map(([label, what]) => `| \`${label}\` | ${what} |`);
  const bounds = buckets === undefined ? '' : ` Buckets from ${buckets[0]} to ${buckets.at(-1)}.`;
  const ofWorkers =
    merge === undefined ? '' : ` With several workers: the ${merge === 'max' ? 'largest' : 'smallest'} value.`;
  return [
    `## ${name}`,
    '',
    `${type[0]!.toUpperCase()}${type.slice(1)}. ${help}${bounds}${ofWorkers}`,
    ...(rows.length > 0 ? ['', '| label | values |', '|---|---|', ...rows] : []),
  ].join('\n');
}

// docs/metrics.md, made of the table of metrics.
import { METRICS, type MetricSpec } from '../src/telemetry/metric-table.ts';

const INTRO = `# Metrics

Where an admin listener is configured, its \`/metrics\` is for Prometheus: text format 0.0.4, or OpenMetrics 1.0 for whoever asks for
it. Without one nothing is counted, and a call costs nothing more.

\`\`\`yaml
# landbridge.yaml
admin: { port: 9464 }
\`\`\`

- It listens on 127.0.0.1. Another \`admin.host\` needs \`admin.token\` (\`Authorization: Bearer\`, for all but \`/healthz\` and
  \`/readyz\`), or \`admin.allowAnyone: true\`: then anybody may look, and the log level is changed on the machine itself alone. Web
  pages get nothing, and names have to be in \`admin.allowedHosts\`.
- \`GET /readyz\` says what is the matter, and what of it should keep calls away: \`draining\`, \`memory\` and \`audit\` do; \`overload\`,
  \`state\` and \`issuer\` are there to be known.
- \`PUT /log-level\` with \`{"level": "debug", "seconds": 600}\` changes the log level for ten minutes, without \`seconds\` until it is
  changed again or the gateway ends; \`GET\` tells it.
- It answers until the very end of a shutdown.
- With workers there is one, of the process that starts them, and what it says is of all workers together. What a worker counted
  stays counted when it ends, up to the last time somebody asked.

[deploy/prometheus](../deploy/prometheus/alerts.yml) has alerts, [deploy/grafana](../deploy/grafana/landbridge.json) a dashboard;
[operate.md](operate.md) says what to do about each alert.

Names that clients make up never become labels. Of tools and operations the first 200 that are called have series of their own, of
origins 50; what is beyond is \`other\`.`;

const OUTRO = `## Of the process

Beside these there is what every program in Node tells: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`,
\`process_open_fds\`, \`process_max_fds\`, \`process_start_time_seconds\`, \`nodejs_eventloop_lag_seconds\`, \`nodejs_gc_duration_seconds\`,
\`nodejs_heap_size_used_bytes\` and others of their kind, as
[prom-client](https://www.npmjs.com/package/prom-client) has them.
`;

export function renderMetricsPage(): string {
  const parts = Object.values<MetricSpec>(METRICS).map(renderMetric);
  return `${INTRO}\n\n${parts.join('\n\n')}\n\n${OUTRO}`;
}

function renderMetric({ name, type, help, labels, buckets, merge }: MetricSpec): string {
  const rows = Object.entries(labels).map(([label, what]) => `| \`${label}\` | ${what} |`);
  const bounds = buckets === undefined ? '' : ` Buckets from ${buckets[0]} to ${buckets.at(-1)}.`;
  const ofWorkers = merge === undefined ? '' : ` Of several workers: the ${merge === 'max' ? 'largest' : 'smallest'}.`;
  return [
    `## ${name}`,
    '',
    `${type[0]!.toUpperCase()}${type.slice(1)}. ${help}${bounds}${ofWorkers}`,
    ...(rows.length > 0 ? ['', '| label | values |', '|---|---|', ...rows] : []),
  ].join('\n');
}

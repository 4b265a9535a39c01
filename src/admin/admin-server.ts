// The admin listener: metrics, health, readiness with reasons, and the level of the log, on node:http. It has its own port, so that no
// proxy publishes it by accident, and so that it answers while the gateway drains.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson } from '../endpoint/untrusted.ts';
import { type Exposition, renderMetrics } from '../telemetry/exposition.ts';
import { addressOf } from '../transport/client-address.ts';
import { explainListenError } from '../transport/listen.ts';
import { type AdminAccessOptions, type AdminRefusal, createAdminCheck } from './admin-access.ts';
import type { AdminView } from './admin-view.ts';

export interface AdminOptions extends AdminAccessOptions {
  readonly port: number;
  readonly version: string;
  /** The levels of the log that may be set. */
  readonly levels: readonly string[];
  /** Called for every request that is refused. */
  readonly onRefusal: (reason: AdminRefusal['reason'], remote: string | undefined) => void;
  readonly onInternalError: (error: unknown) => void;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

interface AdminAnswer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface AdminRoute {
  readonly what: string;
  /** Needs no token: the answer says only whether the process is healthy. */
  readonly isOpen?: boolean;
  readonly methods: Readonly<Record<string, (request: IncomingMessage) => AdminAnswer | Promise<AdminAnswer>>>;
}

const MAX_CONNECTIONS = 100;
const MAX_BODY_BYTES = 4_096;
const REQUEST_TIMEOUT_MS = 10_000;
/** One day. A level that should stay longer belongs in the configuration. */
const MAX_LEVEL_SECONDS = 86_400;
const JSON_TYPE = 'application/json';

export async function startAdmin(view: AdminView, options: AdminOptions): Promise<AdminServer> {
  const check = createAdminCheck(options);
  const routes = createRoutes(view, options);
  const answer = async (request: IncomingMessage): Promise<AdminAnswer> => {
    const path = (request.url ?? '').split('?', 1)[0]!;
    const route = routes.get(path);
    const refusal = route?.isOpen ? undefined : check(request);
    if (refusal) {
      options.onRefusal(refusal.reason, addressOf(request.socket));
      return { ...toError(refusal.status, refusal.message), headers: refusal.headers ?? {} };
    }
    if (route === undefined) return toError(404, `There is nothing at ${path.slice(0, 200)}; / lists what there is.`);
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const handle = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
    if (handle) return handle(request);
    const allow = Object.keys(route.methods).join(', ');
    return { ...toError(405, `${path} takes ${allow}.`), headers: { allow } };
  };
  const server = createServer(
    { maxHeaderSize: 8 * 1024, requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      answer(request)
        .catch((error: unknown) => {
          // If the client closed the connection while it sent its body, that is not an internal error.
          if (!request.destroyed || request.complete) options.onInternalError(error);
          return toError(500, 'Internal error; the log says more.');
        })
        .then((one) => write(request, response, one));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        view.logLevel.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createRoutes(view: AdminView, options: AdminOptions): ReadonlyMap<string, AdminRoute> {
  const routes = new Map<string, AdminRoute>([
    [
      '/metrics',
      {
        what: 'metrics, for Prometheus',
        methods: { GET: async ({ headers }) => toScrape(await renderMetrics(await view.metrics(), headers.accept)) },
      },
    ],
    [
      '/healthz',
      { what: 'whether the process is alive', isOpen: true, methods: { GET: () => toJson({ status: 'ok' }) } },
    ],
    [
      '/readyz',
      {
        what: 'whether it takes calls, and if not, why',
        isOpen: true,
        methods: { GET: () => readReadiness(view) },
      },
    ],
    [
      '/log-level',
      {
        what: 'the log level; PUT {"level": "debug", "seconds": 600} changes it for that time, or until the next change without `seconds`',
        methods: {
          GET: () => toJson(view.logLevel.state),
          PUT: (request) => setLevel(request, view, options.levels),
        },
      },
    ],
  ]);
  const index = () =>
    toJson({
      name: 'landbridge admin',
      version: options.version,
      paths: Object.fromEntries([...routes].map(([path, { what }]) => [path, what])),
    });
  routes.set('/', { what: 'this list', methods: { GET: index } });
  return routes;
}

async function readReadiness(view: AdminView): Promise<AdminAnswer> {
  const { isReady, reasons, workers } = await view.readiness();
  const body = { status: isReady ? 'ready' : 'not ready', reasons, ...(workers && { workers }) };
  return toJson(body, isReady ? 200 : 503);
}

async function setLevel(request: IncomingMessage, view: AdminView, levels: readonly string[]): Promise<AdminAnswer> {
  const text = await readBody(request);
  if (text === undefined) return toError(413, `The body may have at most ${MAX_BODY_BYTES} bytes.`);
  const change = createLevelShape(levels).safeParse(parseJson(text));
  if (change.success) return toJson(view.logLevel.set(change.data.level, change.data.seconds));
  const { path, message } = change.error.issues[0]!;
  const where = path.length === 0 ? 'The body' : `"${path.join('.')}"`;
  return toError(400, `${where} ${message}. Send {"level": "debug", "seconds": 600}, for example.`);
}

function createLevelShape(levels: readonly string[]) {
  const seconds = z
    .number({ error: 'must be a number of seconds' })
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_LEVEL_SECONDS, `must be at most ${MAX_LEVEL_SECONDS}`);
  return z.strictObject(
    {
      level: z.enum(levels as [string], { error: `must be one of ${levels.join(', ')}` }),
      seconds: seconds.optional(),
    },
    {
      error: ({ code }) => (code === 'unrecognized_keys' ? 'may have level and seconds only' : 'must be a JSON object'),
    },
  );
}

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function toScrape({ contentType, text }: Exposition): AdminAnswer {
  return { status: 200, body: text, type: contentType };
}

function toJson(value: object, status = 200): AdminAnswer {
  return { status, body: `${JSON.stringify(value)}\n` };
}

function toError(status: number, message: string): AdminAnswer {
  return toJson({ error: message }, status);
}

function write(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: AdminAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': type ?? JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // If the body was not read completely, the connection is closed, so that the rest need not be read.
    ...(request.complete ? {} : { connection: 'close' }),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function listen(server: Server, { host, port }: AdminOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'Admin', host, port)));
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}

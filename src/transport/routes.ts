// Every route but POST /mcp, on express: health for load balancers, public documents, and a clear refusal of everything else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Response } from 'express';
import { ERRORS } from '../errors.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import { mcpPathOf, nothingAt, originalUrlOf, profileOf, publicBasePath } from './mcp-path.ts';
import { PROBES } from './probes.ts';
import { type Refusals, reasonOf } from './refusals.ts';
import { createRequestChecks, type Refusal, type RequestCheckOptions } from './request-checks.ts';

/** `degraded`: the store that replicas share does not answer, and each works alone. */
export type SharedStateStatus = 'ok' | 'degraded';

export interface RouteOptions {
  readonly name: string;
  readonly version: string;
  readonly ready: () => boolean;
  /** Whether memory is almost used up: load balancers should use another replica. */
  readonly isExhausted?: (() => boolean) | undefined;
  /** Why every call would be refused at the moment, if so. */
  readonly problem?: (() => string | undefined) | undefined;
  readonly sharedState?: (() => SharedStateStatus) | undefined;
  readonly hasProfile: (profile: string) => boolean;
  /** The number of tools; undefined if it is not public. */
  readonly tools: () => number | undefined;
  /** A document that anybody may read at a path, including web pages; undefined if there is none. */
  readonly publicDocument?: ((path: string) => object | undefined) | undefined;
  /** Public keys, as JSON text; absent if nothing is signed. */
  readonly jwks?: string | undefined;
}

const ALLOWED_HEADERS =
  'Content-Type, Accept, Authorization, X-API-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';
const MIRRORED_HEADER = /^mcp-param-[a-z0-9._~-]{1,100}$/;

function preflight(request: IncomingMessage): Record<string, string> {
  const requestHeaders = request.headers['access-control-request-headers'] ?? '';
  // Which arguments are mirrored in headers depends on the tools, so every requested header with that prefix is allowed.
  const mirrors = requestHeaders
    .split(',')
    .slice(0, 100)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => MIRRORED_HEADER.test(name));
  return {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': [ALLOWED_HEADERS, ...mirrors].join(', '),
    'access-control-max-age': '600',
  };
}

/** Browsers send a preflight first, because clients add headers of their own; the documents are public. */
const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Accept, Content-Type, MCP-Protocol-Version',
  'access-control-max-age': '600',
};

function writeDocument(method: string, response: Response, document: object): void {
  response.set(PUBLIC_HEADERS);
  if (method === 'GET' || method === 'HEAD') response.set('cache-control', 'max-age=300').json(document);
  else if (method === 'OPTIONS') response.status(204).end();
  else response.status(405).set('allow', 'GET').end();
}

type NotedRefusal = Pick<Refusal, 'status' | 'reason' | 'details'>;

export function createRoutes(
  parts: RouteOptions,
  options: RequestCheckOptions & { readonly refusals?: Refusals | undefined },
): (request: IncomingMessage, response: ServerResponse) => void {
  const checks = createRequestChecks(options);
  const base = publicBasePath(options);
  const note = (request: IncomingMessage, { status, reason = reasonOf(status)!, details }: NotedRefusal) => {
    const { address: remote } = checks.resolveClient(request);
    const path = mcpPathOf(request.url ?? '');
    options.refusals?.note({ transport: 'http', reason, status, remote, path, details });
  };
  const app: Express = express();
  app.disable('x-powered-by');
  app.disable('etag');

  for (const [path, probe] of PROBES) {
    app.get(path, (_request, response) => {
      const { status, body } = probe(parts);
      response.status(status).json(body);
    });
  }
  const refuse = (request: IncomingMessage, response: Response, refusal: Refusal) => {
    note(request, refusal);
    response
      .status(refusal.status)
      .type('json')
      .send(writeError(undefined, ERRORS.INVALID_REQUEST.code, refusal.message));
  };
  app.use((request, response, next) => {
    const document = parts.publicDocument?.(request.path);
    if (document === undefined) return next();
    const refusal = checks.checkHost(request);
    if (refusal) refuse(request, response, refusal);
    else writeDocument(request.method, response, document);
  });
  // Public keys are served to anybody, under any Host.
  const { jwks } = parts;
  if (jwks !== undefined)
    app.get('/.well-known/jwks.json', (_request, response) => {
      response.set('cache-control', 'public, max-age=300').type('application/jwk-set+json').send(jwks);
    });
  app.use((request, response, next) => {
    const refusal = checks.checkSource(request);
    if (refusal) refuse(request, response, refusal);
    else next();
  });
  app.get('/', (_request, response) => {
    response.json({
      name: parts.name,
      version: parts.version,
      mcp: `${base}/mcp`,
      tools: parts.tools(),
      health: [`${base}/healthz`, `${base}/readyz`],
    });
  });
  app.use((request, response) => {
    const profile = profileOf(request.url);
    if (profile === undefined || !parts.hasProfile(profile)) {
      note(request, { status: 404 });
      response.status(404).json({ error: nothingAt(originalUrlOf(request), base) });
      return;
    }
    const cors = checks.corsHeaders(request);
    if (request.method === 'OPTIONS' && cors) {
      response
        .status(204)
        .set({ ...cors, ...preflight(request) })
        .end();
      return;
    }
    note(request, { status: 405 });
    const message = 'Method not allowed: send MCP messages with POST. There is no session to open or delete.';
    response
      .status(405)
      .set('allow', 'POST')
      .type('json')
      .send(writeError(undefined, ERRORS.INVALID_REQUEST.code, message));
  });
  return app;
}

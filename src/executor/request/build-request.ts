// Endpoint + arguments → the request to send. Everything that does not depend on the arguments is done once.

import { createOwnedHeaders } from '../../credentials/credential-places.ts';
import type { Proof } from '../../credentials/proof.ts';
import { isWebUrl } from '../../endpoint/address.ts';
import { headerFault, isConfigurableHeader } from '../../endpoint/headers/header-names.ts';
import type { Args, Effect, Endpoint, EndpointLimits, Target, UpstreamConnection } from '../../endpoint/model.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { checkHeaderValue, encode, locate, Unsendable } from '../../endpoint/wire-text.ts';
import { GatewayError } from '../../errors.ts';
import { checkPairs } from './method-override.ts';
import { argumentOf, compileParameter, contentText, type Serialise } from './parameter-styles.ts';
import { buildPath, compilePath, type PathVariable } from './path-url.ts';
import { compileBody } from './write-body.ts';

export interface WireRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Without query: for the audit trail. */
  readonly url: string;
  /** Lower-case names. Shared between calls when nothing in it depends on one: never change it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
  /** The origin must not resolve to a private address. */
  readonly publicOnly?: boolean;
  /** How the origin is reached; undefined if it needs no settings of its own. */
  readonly connection?: UpstreamConnection | undefined;
  readonly limits: EndpointLimits;
  /** It changes nothing, so it may be repeated, whatever its result. */
  readonly isRead: boolean;
  /** If the answer is incomplete, the part that arrived is useful. */
  readonly takesPart?: boolean;
}

export interface RequestPlan {
  readonly origin: string;
  readonly basePath: string;
  build(args: Args, tool: string, proof: Proof | undefined, trace?: Readonly<Record<string, string>>): WireRequest;
}

/** A target outside the body, and how a value is written there. */
interface Place {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly serialise: Serialise;
}

interface Writer extends Omit<Place, 'in'> {
  readonly key: string;
}

export const DEFAULT_ACCEPT = 'application/json, */*;q=0.5';
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage'] as const;

/** `tool` is what a message calls an endpoint that cannot be compiled. */
export function compileRequest(endpoint: Endpoint, userAgent: string, tool: string): RequestPlan {
  const { origin, basePath } = parseBaseUrl(endpoint, tool);
  const { method, effect, limits, connection } = endpoint;
  const isRead = effect === 'read';
  const publicOnly = endpoint.publicOnly === true;
  const takesPart = true;
  const isOwned = createOwnedHeaders(endpoint);
  const variables = new Map<string, PathVariable>();
  const writers: Record<'query' | 'header' | 'cookie', Writer[]> = { query: [], header: [], cookie: [] };
  for (const { key, to } of endpoint.args) {
    for (const target of to) {
      const place = compilePlace(target);
      if (place?.in === 'path') variables.set(place.name, { key, serialise: place.serialise });
      else if (place !== undefined) {
        writers[place.in].push({
          key,
          name: place.name.toLowerCase(),
          serialise: restrict(place, effect, isOwned),
        });
      }
    }
  }

  const fixed = compileFixed(endpoint, userAgent, variables, tool);
  const path = compilePath(basePath, endpoint.path, variables);
  const buildBody = compileBody(endpoint);
  const bodyMayVary = writers.header.length > 0 || writers.cookie.length > 0 || buildBody !== undefined;

  return {
    origin,
    basePath,
    build(args, tool, proof, trace) {
      const target = buildPath(path, origin, args, tool);
      const mark = target.indexOf('?');
      const url = origin + (mark < 0 ? target : target.slice(0, mark));
      const queryText = join('&', writers.query, args, tool, fixed.query, proof?.query);
      const fullPath = queryText === '' ? target : target + (mark < 0 ? '?' : '&') + queryText;

      const body = buildBody?.(args, tool, proof?.body);
      if (!bodyMayVary && proof === undefined && trace === undefined && fixed.cookie === '') {
        return {
          method,
          origin,
          path: fullPath,
          url,
          headers: fixed.headers,
          body: null,
          publicOnly,
          connection,
          limits,
          isRead,
          takesPart,
        };
      }
      const outgoing: Record<string, string> = { ...fixed.headers };
      for (const writer of writers.header) {
        const text = write(writer, args, tool, checkHeaderValue);
        if (text !== undefined) outgoing[writer.name] = text;
      }
      if (body !== undefined) outgoing['content-type'] = body.contentType;
      const cookie = join('; ', writers.cookie, args, tool, fixed.cookie, proof?.cookie, checkHeaderValue);
      if (cookie !== '') outgoing.cookie = cookie;
      if (trace !== undefined) {
        for (const name of TRACE_HEADERS) if (typeof trace[name] === 'string') outgoing[name] = trace[name];
      }
      Object.assign(outgoing, proof?.headers);
      const data = body?.data ?? null;
      return {
        method,
        origin,
        path: fullPath,
        url,
        headers: outgoing,
        body: data,
        publicOnly,
        connection,
        limits,
        isRead,
        takesPart,
      };
    },
  };
}

function parseBaseUrl(endpoint: Endpoint, tool: string): { origin: string; basePath: string } {
  const missing = endpoint.baseUrl === '';
  const url = URL.canParse(endpoint.baseUrl) ? new URL(endpoint.baseUrl) : undefined;
  if (url === undefined || !isWebUrl(url)) {
    throw new GatewayError(
      'UNREACHABLE',
      missing
        ? `${tool}: no base URL is known, so there is nowhere to send the call. Start the gateway with --base-url https://… or set it in the domain file of ${endpoint.domain}.`
        : `${tool} has a base URL that is not an absolute http(s) URL. Correct it with --base-url or in the domain file of ${endpoint.domain}.`,
      { tool },
    );
  }
  return { origin: url.origin, basePath: trimEnd(url.pathname, '/') };
}

function compilePlace(target: Target): Place | undefined {
  if (target.in === 'body' || target.in === 'body-root') return undefined;
  if (target.in !== 'querystring') return { in: target.in, name: target.name, serialise: compileParameter(target) };
  // OAS 3.2: the value is the whole query string. Form text comes encoded, anything else is encoded.
  const text = contentText(target.mediaType);
  const toQuery = /^application\/x-www-form-urlencoded\b/i.test(target.mediaType)
    ? text
    : (value: unknown) => encode(text(value));
  return {
    in: 'query',
    name: '',
    serialise: (value) => (value === undefined || value === null ? undefined : toQuery(value)),
  };
}

/** Refuses what no argument may do: set a reserved header or one that identifies the caller, or override the method of a read. */
function restrict(
  { in: where, name, serialise }: Place,
  effect: Effect,
  isOwned: (name: string) => boolean,
): Serialise {
  if (where === 'header' && (headerFault(name, effect) !== undefined || isOwned(name))) {
    return () => {
      throw new Unsendable(`would set the header ${name}, which no argument may`);
    };
  }
  if (where !== 'query' || effect !== 'read') return serialise;
  return (value) => {
    const text = serialise(value);
    if (text !== undefined) checkPairs(text);
    return text;
  };
}

interface Fixed {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly cookie: string;
}

/** The parts that are the same in every request: configured headers, fixed values, Accept, User-Agent. */
function compileFixed(
  endpoint: Endpoint,
  userAgent: string,
  variables: Map<string, PathVariable>,
  tool: string,
): Fixed {
  const headers: Record<string, string> = {
    accept: endpoint.response.accept ?? DEFAULT_ACCEPT,
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
  };
  const query: string[] = [];
  const cookies: string[] = [];
  for (const [name, value] of Object.entries(endpoint.headers)) {
    if (isConfigurableHeader(name)) headers[name.toLowerCase()] = checkConfigured(tool, name, value);
  }
  for (const { value, to } of endpoint.fixed) {
    const place = compilePlace(to);
    if (place === undefined) continue;
    const { name, serialise } = place;
    if (place.in === 'path') {
      variables.set(name, { key: name, serialise, fixed: value });
      continue;
    }
    const text = serialise(value);
    if (text === undefined) continue;
    if (place.in === 'query') query.push(text);
    else if (place.in === 'cookie') cookies.push(checkConfigured(tool, 'cookie', text));
    else if (isConfigurableHeader(name)) headers[name.toLowerCase()] = checkConfigured(tool, name, text);
  }
  return { headers: Object.freeze(headers), query: query.filter(Boolean).join('&'), cookie: cookies.join('; ') };
}

function checkConfigured(tool: string, name: string, value: string): string {
  try {
    return checkHeaderValue(value);
  } catch (error) {
    throw locate(error, tool, name);
  }
}

function write(writer: Writer, args: Args, tool: string, check?: (text: string) => string): string | undefined {
  const value = argumentOf(args, writer.key);
  if (value === undefined) return undefined;
  try {
    const text = writer.serialise(value);
    return text === undefined || check === undefined ? text : check(text);
  } catch (error) {
    throw locate(error, tool, writer.key);
  }
}

/** Joins what the arguments write, what is fixed, and the credential. */
function join(
  separator: string,
  writers: readonly Writer[],
  args: Args,
  tool: string,
  fixed: string,
  proof = '',
  check?: (text: string) => string,
): string {
  let value = '';
  for (let index = 0; index < writers.length; index++) {
    const text = write(writers[index] as Writer, args, tool, check);
    if (text !== undefined && text !== '') value += value === '' ? text : separator + text;
  }
  if (fixed !== '') value += value === '' ? fixed : separator + fixed;
  if (proof !== '') value += value === '' ? proof : separator + proof;
  return value;
}

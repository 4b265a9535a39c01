// Redirects. A read follows one that stays inside the configured base URL. Anything else is refused, because the next origin would
// get the credentials and the body (axios and fetch keep `X-Api-Key`, and a 307 repeats the POST).

import { escapeHiddenCharacters } from '../endpoint/hidden.ts';
import { ToolError } from '../errors.ts';
import type { WireRequest } from './request/build-request.ts';
import type { RawResponse } from './send.ts';

const MAX_HOPS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect({ status, headers }: RawResponse): boolean {
  return headers.location !== undefined && REDIRECTS.has(status);
}

/** The request to make next, or REDIRECT_BLOCKED. */
export function followRedirect(
  request: WireRequest,
  raw: RawResponse,
  basePath: string,
  hop: number,
  tool: string,
  redact: (text: string) => string,
): WireRequest {
  const [location, base] = [String(raw.headers.location), request.origin + request.path];
  const target = URL.canParse(location, base) ? new URL(location, base) : undefined;
  const place =
    target === undefined
      ? 'an address that is not a URL'
      : escapeHiddenCharacters(redact(target.origin + target.pathname)).slice(0, 300);
  const block = (why: string): never => {
    const problem = `${request.origin} redirects (${raw.status}) to ${place}. ${why}`;
    throw new ToolError('REDIRECT_BLOCKED', tool, problem, { tool, status: raw.status, location: place });
  };
  if (target === undefined) return block('It was not followed.');
  if (target.origin !== request.origin || target.username !== '' || target.password !== '') {
    return block(
      'A redirect to another origin is never followed, and that origin never gets the credentials. If it is the right one, set the base URL to it.',
    );
  }
  if (request.body !== null || (request.method !== 'GET' && request.method !== 'HEAD')) {
    return block(
      raw.status === 303
        ? 'A 303 usually means that the request was carried out: check that address before repeating it.'
        : 'Only reads follow redirects, so nothing was repeated. If that address is right, correct the base URL or the path.',
    );
  }
  if (target.pathname !== basePath && !target.pathname.startsWith(`${basePath}/`)) {
    return block('It leaves the base URL, so it was not followed.');
  }
  if (hop >= MAX_HOPS) return block(`More than ${MAX_HOPS} redirects in a row are not followed.`);
  return { ...request, path: target.pathname + target.search, url: target.origin + target.pathname };
}

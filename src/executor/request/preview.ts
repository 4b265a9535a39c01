// The request as it would go out, for dry runs: exact except for the credentials.
import { isUtf8 } from 'node:buffer';
import { buildRedactedProof, chooseCredentials, type Proof } from '../../credentials/proof.ts';
import type { CallerHeader, Endpoint } from '../../endpoint/model.ts';
import type { WireRequest } from './build-request.ts';

export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: no body would be sent. */
  readonly body?: string;
  /** Set when the body is not text. */
  readonly bodyEncoding?: 'base64';
  /** Length of the whole body, where `body` shows only its beginning. */
  readonly bodyBytes?: number;
  /** Variables without which the request would not be sent. */
  readonly missing?: readonly string[];
}

const MAX_BODY_CHARS = 64 * 1024;

export function buildPreview(
  request: WireRequest,
  missing: readonly string[],
  redact: (text: string) => string,
): RequestPreview {
  const body = request.body === null || request.body.length === 0 ? undefined : Buffer.from(request.body);
  const text = body === undefined || isUtf8(body);
  const content = body?.toString(text ? 'utf8' : 'base64');
  const headers: Record<string, string> = { host: new URL(request.origin).host };
  for (const [name, value] of Object.entries(request.headers)) headers[name] = redact(value);
  if (body !== undefined) headers['content-length'] = String(body.length);
  return {
    method: request.method,
    url: redact(request.origin + request.path),
    headers,
    ...(content !== undefined && { body: redact(content).slice(0, MAX_BODY_CHARS) }),
    ...(!text && { bodyEncoding: 'base64' as const }),
    ...(content !== undefined && content.length > MAX_BODY_CHARS && { bodyBytes: body?.length as number }),
    ...(missing.length > 0 && { missing }),
  };
}

/** Placeholders for the credentials. If no alternative is complete, the first one is shown. */
export function previewProof(endpoint: Endpoint): { proof: Proof | undefined; missing: readonly string[] } {
  const choice = chooseCredentials(endpoint);
  const { callerHeaders = [] } = endpoint;
  if (choice.kind === 'none' && callerHeaders.length === 0) return { proof: undefined, missing: [] };
  const credentials = choice.kind === 'chosen' ? choice.credentials : (endpoint.security[0] ?? []);
  const proof = buildRedactedProof(choice.kind === 'none' ? [] : credentials);
  const headers = Object.fromEntries(callerHeaders.map((header) => [header.name, originOfHeader(header)]));
  return {
    proof: { ...proof, headers: { ...headers, ...proof.headers } },
    missing: choice.kind === 'missing' ? (choice.alternatives[0] ?? []) : [],
  };
}

/** Shows where the value comes from; the value itself is known only in a call. */
function originOfHeader(header: CallerHeader): string {
  return header.from === 'principal' ? header.text.shown : `[${header.name} of the caller's request]`;
}

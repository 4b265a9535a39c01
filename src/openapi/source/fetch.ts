// Fetches a document over http(s): from one origin, with few redirects, a deadline and a byte limit while streaming.
import type { Readable } from 'node:stream';
import { decodePercent } from '../../endpoint/untrusted.ts';
import { fetchDocument } from '../../network/fetch-document.ts';
import { PROXY_FAILURE } from '../../network/tunnel.ts';
import { badDocument } from './document-problem.ts';
import type { DocumentLimits } from './limits.ts';
import { readStream, showUrl, tooBig } from './read-document.ts';

const MAX_REDIRECTS = 3;
/** Codes of a certificate that no authority known to this machine has signed. */
const UNKNOWN_AUTHORITY =
  /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/;

/** What the commonest codes mean, and what to do. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED); start that server, or check the port',
  ENOTFOUND: 'there is no host of that name (ENOTFOUND); check the address',
};

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

export interface FetchResult {
  /** The address after redirects: absolute, without user info or fragment. */
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** The `Link` header (RFC 8288). */
  readonly link?: string;
}

/** The text at `source`. Throws for any status but 2xx. */
export async function fetchText(
  source: string,
  limits: DocumentLimits,
  headers: HeaderFields = {},
): Promise<FetchResult> {
  const answer = await fetchAnswer(source, limits, headers);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw badStatus(answer, headers);
}

/** The answer of an address, whatever its status. Redirects stay on the origin, so headers are never sent elsewhere. */
export async function fetchAnswer(
  source: string,
  limits: DocumentLimits,
  headers: HeaderFields = {},
): Promise<FetchResult> {
  if (!URL.canParse(source)) throw badDocument(source, 'is not a URL; write it like https://example.com/openapi.json');
  const start = new URL(source);
  const headerFields: Record<string, string> = {
    accept: 'application/json, application/yaml, text/yaml, */*;q=0.5',
    'user-agent': 'landbridge',
    ...headers,
  };
  if (start.username !== '' || start.password !== '') {
    const user = `${decodePercent(start.username)}:${decodePercent(start.password)}`;
    headerFields.authorization = `Basic ${Buffer.from(user).toString('base64')}`;
    start.username = '';
    start.password = '';
  }
  start.hash = '';
  const label = showUrl(start.href);
  const { reach = {} } = limits;
  // One controller and one timer for the whole exchange: AbortSignal.any loses its timeout on Node 20.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limits.fetchTimeoutMs);
  try {
    let url = start;
    for (let hops = 0; ; hops++) {
      const {
        status,
        headers: fields,
        body,
      } = await fetchDocument(url, { headers: headerFields, signal: controller.signal, reach });
      const { location, link } = fields;
      if (status >= 300 && status < 400 && location !== undefined) {
        body.destroy();
        url = nextUrl(url, location, hops, label);
        continue;
      }
      return {
        url: url.href,
        status,
        text: await readBody(body, fields['content-length'], label, limits.maxBytes),
        ...(link !== undefined && { link: String(link) }),
      };
    }
  } catch (error) {
    if ((error as Error).name === 'GatewayError') throw error;
    if (controller.signal.aborted) {
      throw badDocument(
        label,
        `did not arrive within ${limits.fetchTimeoutMs / 1000} s; check the address, or download it and give the file`,
      );
    }
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === PROXY_FAILURE) throw badDocument(label, `cannot be fetched: ${message.replace(/\.$/, '')}`);
    if (UNKNOWN_AUTHORITY.test(code ?? ''))
      throw badDocument(
        label,
        `cannot be fetched: its certificate is signed by an authority that this machine does not trust (${code}); set NODE_EXTRA_CA_CERTS to a file with that authority, or download the document and give the file`,
      );
    throw badDocument(
      label,
      `cannot be fetched: ${UNREACHABLE[code ?? ''] ?? `${code ?? message}; check the address and your network`}`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function nextUrl(from: URL, location: string, hops: number, label: string): URL {
  if (hops >= MAX_REDIRECTS)
    throw badDocument(label, `redirects more than ${MAX_REDIRECTS} times; give the final address`);
  if (!URL.canParse(location, from.href)) throw badDocument(label, 'redirects to something that is not a URL');
  const next = new URL(location, from);
  next.hash = '';
  if (next.origin !== from.origin) {
    throw badDocument(
      label,
      `redirects to another origin (${next.origin}); if you trust it, give that address instead`,
    );
  }
  return next;
}

async function readBody(body: Readable, length: string | undefined, label: string, maxBytes: number): Promise<string> {
  if (Number(length ?? 0) <= maxBytes) return readStream(body, label, maxBytes);
  body.destroy();
  throw tooBig(label, maxBytes);
}

/** The error for a status other than 2xx, with advice; `headers` are those that were sent. */
export function badStatus({ url, status }: Pick<FetchResult, 'url' | 'status'>, headers: HeaderFields): Error {
  return badDocument(showUrl(url), `answered ${status}; ${adviceFor(status, url, Object.keys(headers))}`, { status });
}

function adviceFor(status: number, url: string, names: readonly string[]): string {
  if (status === 401 || status === 403) {
    return names.length > 0
      ? `it does not accept the header ${names.join(', ')}; check its value, or download the document and give the file`
      : `it needs credentials: pass --header 'Authorization: Bearer \${TOKEN}' (in a domain file: headers), or download it and give the file`;
  }
  return status === 404
    ? `check the address, or give ${new URL(url).origin} to search the usual places there`
    : 'try again later or download it and give the file';
}

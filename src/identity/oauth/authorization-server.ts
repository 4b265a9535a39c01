// Requests to an authorization server, and its metadata (RFC 8414, OpenID Connect Discovery). `ask` is passed in; it follows no
// redirects and limits size and time.
import { isLoopback } from '../../endpoint/address.ts';
import { type Node, parseJsonObject, textAt, textsAt } from '../../endpoint/untrusted.ts';

export interface ServerRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Rejects where no whole answer comes. */
export type Ask = (request: ServerRequest) => Promise<{ readonly status: number; readonly body: Buffer }>;

export interface AuthorizationServer {
  jwksUri(): Promise<URL>;
  introspection(): Promise<{ readonly url: URL; readonly secretInBody: boolean }>;
  /** What was learned did not lead anywhere: look again before the next use. */
  forget(): void;
}

export interface ServerSettings {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
  readonly introspection?: { readonly url?: string | undefined } | undefined;
}

const METADATA_MS = 3_600_000;

export function createAuthorizationServer(settings: ServerSettings, ask: Ask): AuthorizationServer {
  let metadata: Node | undefined;
  let readAt = 0;
  let pending: Promise<Node> | undefined;

  const read = async (): Promise<Node> => {
    if (metadata !== undefined && Date.now() - readAt < METADATA_MS) return metadata;
    pending ??= discover(settings.issuer, ask).finally(() => {
      pending = undefined;
    });
    metadata = await pending;
    readAt = Date.now();
    return metadata;
  };

  const addressOf = async (setting: string | undefined, field: string): Promise<URL> => {
    if (setting !== undefined) return new URL(setting);
    const address = textAt(await read(), field);
    if (address === undefined || !URL.canParse(address)) throw new Error(`its metadata has no ${field}`);
    const url = new URL(address);
    // A server on this machine may use plain HTTP; one elsewhere must not send us to it.
    const mayBePlain = isLoopback(new URL(settings.issuer).hostname);
    if (url.protocol === 'https:' || (mayBePlain && isSafeAddress(url))) return url;
    throw new Error(`${field} in its metadata is not an https URL`);
  };

  return {
    jwksUri: () => addressOf(settings.jwksUri, 'jwks_uri'),
    async introspection() {
      const url = await addressOf(settings.introspection?.url, 'introspection_endpoint');
      const methods = metadata && textsAt(metadata, 'introspection_endpoint_auth_methods_supported');
      const secretInBody = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
      return { url, secretInBody };
    },
    forget() {
      readAt = 0;
    },
  };
}

/** Keys and secrets go over TLS, or stay on this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

async function discover(issuer: string, ask: Ask): Promise<Node> {
  let problem = 'it has no metadata at its well-known addresses';
  for (const url of wellKnownOf(issuer)) {
    const { status, body } = await ask({ method: 'GET', url, headers: { accept: 'application/json' } });
    if (status !== 200) {
      if (status !== 404) problem = `the request for its metadata was answered with status ${status}`;
      continue;
    }
    const metadata = parseJsonObject(body.toString());
    if (metadata === undefined) problem = 'its metadata is not a JSON object';
    // RFC 8414 3.3: metadata that names another issuer must not be used.
    else if (textAt(metadata, 'issuer') !== issuer)
      problem = `its metadata names another issuer: ${(textAt(metadata, 'issuer') ?? 'none').slice(0, 200)}; write issuer exactly like this`;
    else return metadata;
  }
  throw new Error(problem);
}

/** RFC 8414 3 puts it before the path of the issuer, OpenID Connect behind it. */
function wellKnownOf(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

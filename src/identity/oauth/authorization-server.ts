// Requests to an authorization server: its metadata (RFC 8414, OpenID Connect Discovery), its keys, and introspection (RFC 7662).
//
// oauth4webapi builds the requests. The answers are read here, because the library would accept and refuse others: it compares issuers
// as URLs, not character by character (RFC 8414 3.3), requires the media type of JSON, and reports an `active` that is not a boolean as
// an error, not as an invalid token. Its error texts would not help an operator either.
import type { ClientAuth, HttpRequestOptions } from 'oauth4webapi';
import { isLoopback } from '../../endpoint/address.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { type Node, own, parseJsonObject, textAt, textsAt } from '../../endpoint/untrusted.ts';

export interface ServerRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ServerAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends a request: follows no redirects, limits size and time. Rejects if no complete answer comes. */
export type AskServer = (request: ServerRequest) => Promise<ServerAnswer>;

export interface ServerSettings {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
  readonly introspection?: { readonly url?: string | undefined } | undefined;
}

export interface ClientSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

type RequestOptions = HttpRequestOptions<'GET' | 'POST', URLSearchParams | undefined>;

const METADATA_MS = 3_600_000;
const MAX_KEYS = 100;

/** All methods that send a request reject with an Error that says why. */
export class AuthorizationServer {
  readonly #settings: ServerSettings;
  readonly #ask: AskServer;
  #metadata: Node | undefined;
  #readAt = 0;
  #pending: Promise<Node> | undefined;

  constructor(settings: ServerSettings, ask: AskServer) {
    this.#settings = settings;
    this.#ask = ask;
  }

  /** Its public keys, as JWKs. */
  async fetchKeys(): Promise<Node[]> {
    const url = await this.#addressOf(this.#settings.jwksUri, 'jwks_uri');
    const { status, body } = await this.#ask({ method: 'GET', url, headers: { accept: 'application/json' } });
    if (status !== 200) throw new Error(`the request for its keys was answered with status ${status}`);
    return parseKeys(body);
  }

  /** The server's answer about a token; it is valid only if `active` is true. */
  async introspect(token: string, client: ClientSecret): Promise<Node> {
    const url = await this.#addressOf(this.#settings.introspection?.url, 'introspection_endpoint');
    const methods = this.#metadata && textsAt(this.#metadata, 'introspection_endpoint_auth_methods_supported');
    const isSecretInBody = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
    const oauth = await import('oauth4webapi');
    const { status, body } = await this.#sendBuilt((options) =>
      oauth.introspectionRequest(
        { issuer: this.#settings.issuer, introspection_endpoint: url.href },
        { client_id: client.clientId },
        isSecretInBody ? oauth.ClientSecretPost(client.clientSecret) : basicAuth(client),
        token,
        // The token is named here as well, so that it stays the first field of the form.
        { ...options, additionalParameters: { token, token_type_hint: 'access_token' } },
      ),
    );
    const answer = status === 200 ? parseJsonObject(body.toString()) : undefined;
    if (answer === undefined) throw new Error(explainIntrospection(status));
    return answer;
  }

  /** Call it when the metadata may be out of date: it is read again before its next use. */
  forget(): void {
    this.#readAt = 0;
  }

  async #addressOf(setting: string | undefined, field: string): Promise<URL> {
    if (setting !== undefined) return new URL(setting);
    const address = textAt(await this.#readMetadata(), field);
    if (address === undefined || !URL.canParse(address)) throw new Error(`its metadata has no ${field}`);
    const url = new URL(address);
    // A server on this machine may use plain HTTP; any other server must not direct us to plain HTTP.
    const mayBePlain = isLoopback(new URL(this.#settings.issuer).hostname);
    if (url.protocol === 'https:' || (mayBePlain && isSafeAddress(url))) return url;
    throw new Error(`${field} in its metadata is not an https URL`);
  }

  async #readMetadata(): Promise<Node> {
    if (this.#metadata !== undefined && Date.now() - this.#readAt < METADATA_MS) return this.#metadata;
    this.#pending ??= this.#discover().finally(() => {
      this.#pending = undefined;
    });
    this.#metadata = await this.#pending;
    this.#readAt = Date.now();
    return this.#metadata;
  }

  /** RFC 8414 inserts the well-known path before the path of the issuer, OpenID Connect appends it. */
  async #discover(): Promise<Node> {
    const { issuer } = this.#settings;
    const { discoveryRequest } = await import('oauth4webapi');
    const { origin, pathname } = new URL(issuer);
    // The library would leave out one slash where the path has two in a row, and ask for the metadata of another issuer.
    const address = pathname.includes('//')
      ? new URL(`${origin}${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`)
      : undefined;
    let problem = 'it has no metadata at its well-known addresses';
    for (const algorithm of ['oauth2', 'oidc'] as const) {
      const { status, body } = await this.#sendBuilt(
        (options) => discoveryRequest(new URL(issuer), { ...options, algorithm }),
        algorithm === 'oidc' ? address : undefined,
      );
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

  /**
   * Sends a request that `build` creates with oauth4webapi, through `ask` with its limits, and returns the unchanged answer.
   * `address` replaces the URL of the library.
   */
  async #sendBuilt(build: (options: RequestOptions) => Promise<unknown>, address?: URL): Promise<ServerAnswer> {
    const oauth = await import('oauth4webapi');
    let answer: ServerAnswer | undefined;
    await build({
      // #addressOf() and the checks of the settings decide which addresses may use plain HTTP.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, { method, headers, body }) => {
        // Without the library's user agent: the request has that of the gateway.
        const { 'user-agent': _, ...rest } = headers;
        answer = await this.#ask({
          method,
          url: address ?? new URL(url),
          // Without the charset that the library adds: RFC 7662 has none.
          headers: body === undefined ? rest : { ...rest, 'content-type': 'application/x-www-form-urlencoded' },
          ...(body !== undefined && { body: body.toString() }),
        });
        return new Response();
      },
    });
    return answer!;
  }
}

/** Keys and secrets go over TLS, or stay on this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * Both halves are encoded as in a form before they are joined (RFC 6749 2.3.1). oauth4webapi would also encode `-`, `.` and `_`, which
 * many ids and secrets contain; a server that does not decode them would refuse the gateway.
 */
function basicAuth({ clientId, clientSecret }: ClientSecret): ClientAuth {
  const encode = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  const credentials = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

function explainIntrospection(status: number): string {
  if (status === 200) return 'its introspection endpoint did not answer with a JSON object';
  if (status === 401 || status === 403)
    return `its introspection endpoint refused our client id and secret (status ${status})`;
  return `its introspection endpoint answered with status ${status}`;
}

function parseKeys(body: Buffer): Node[] {
  const keys = own(parseJsonObject(body.toString()), 'keys');
  if (!Array.isArray(keys) || !keys.every((key) => isObject(key) && typeof own(key, 'kty') === 'string'))
    throw new Error('its keys are not a JSON Web Key Set');
  if (keys.length > MAX_KEYS) throw new Error(`it publishes more than ${MAX_KEYS} keys`);
  return keys as Node[];
}

// A strict RFC 8693 token endpoint on loopback: everything it does not expect is an error, as the RFC names it. It knows which
// tokens it may exchange, and tells them apart in what it hands out.
import { startRecorder } from './recorder.ts';

export const CLIENT = { id: 'landbridge', secret: 'exchange-client-secret' };
const TYPES = 'urn:ietf:params:oauth:token-type:';
const FIELDS = new Set([
  'grant_type',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'audience',
  'resource',
  'scope',
  'client_id',
  'client_secret',
]);

export interface Exchange {
  readonly user: string;
  readonly fields: URLSearchParams;
  readonly issued: string;
}

export interface ExchangeServer {
  readonly url: string;
  /** In the order they were made. */
  readonly exchanges: Exchange[];
  /** Every request, refused ones too. */
  requests: number;
  /** Subject tokens that may be exchanged, and whose they are. */
  readonly subjects: Map<string, string>;
  /** Changes an answer before it is sent. */
  answer: (body: Record<string, unknown>, exchange: Exchange) => unknown;
  /** Only the body is read for the client's proof (RFC 6749 2.3.1 allows a server to). */
  clientInBody: boolean;
  /** The token behind `Bearer `, and whose it is; undefined for what was never handed out, or taken back. */
  userOf(authorization: string | undefined): string | undefined;
  /** Handed out so far, no longer good. */
  revokeAll(): void;
  close(): Promise<void>;
}

export async function startExchangeServer(): Promise<ExchangeServer> {
  const good = new Map<string, string>();
  const recorder = await startRecorder((request, response) => {
    server.requests++;
    const say = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(body));
    };
    const fields = new URLSearchParams(request.body.toString());
    const refuse = (error: string, error_description = '', status = 400) => say(status, { error, error_description });
    if (request.method !== 'POST' || request.url !== '/token') return refuse('invalid_request', 'wrong place', 404);
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refuse('invalid_request', 'wrong content type');
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
    const inBody = fields.get('client_id') === CLIENT.id && fields.get('client_secret') === CLIENT.secret;
    const isClient = server.clientInBody ? inBody : request.headers.authorization === basic && !fields.has('client_id');
    if (!isClient) return refuse('invalid_client', '', 401);
    if (fields.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:token-exchange')
      return refuse('unsupported_grant_type');
    for (const name of fields.keys()) {
      if (!FIELDS.has(name)) return refuse('invalid_request', `unexpected ${name}`);
      if (name !== 'audience' && name !== 'resource' && fields.getAll(name).length > 1)
        return refuse('invalid_request', `${name} twice`);
    }
    if (![`${TYPES}access_token`, `${TYPES}jwt`].includes(fields.get('subject_token_type') ?? ''))
      return refuse('invalid_request', 'subject_token_type');
    if (fields.getAll('audience').includes('nobody')) return refuse('invalid_target', 'no such audience');
    const subject = fields.get('subject_token') ?? '';
    const user = server.subjects.get(subject);
    if (user === undefined) return refuse('invalid_grant', `not a good token: ${subject}`);
    const issued = `for-${user}-number-${server.exchanges.length + 1}`;
    const exchange = { user, fields, issued };
    server.exchanges.push(exchange);
    good.set(issued, user);
    return say(
      200,
      server.answer(
        {
          access_token: issued,
          issued_token_type: fields.get('requested_token_type') ?? `${TYPES}access_token`,
          token_type: 'Bearer',
          expires_in: 600,
        },
        exchange,
      ),
    );
  });
  const server: ExchangeServer = {
    url: `${recorder.origin}/token`,
    exchanges: [],
    requests: 0,
    subjects: new Map(),
    answer: (body) => body,
    clientInBody: false,
    userOf: (authorization) => good.get(authorization?.replace(/^Bearer /, '') ?? ''),
    revokeAll: () => good.clear(),
    close: recorder.close,
  };
  return server;
}

// Raw TCP with the framing of stdio, in TLS where that is set up: one conversation per socket, with limits on all of it.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Principal } from '../../call/caller.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { ERRORS, GatewayError } from '../../errors.ts';
import type { Protocol } from '../../protocol/handle.ts';
import { writeError } from '../../protocol/wire/jsonrpc.ts';
import type { Refusal } from '../admission.ts';
import { createRefusals, type RefusalReason, type Refusals, reasonOf } from '../door/refusals.ts';
import { handshakeFailure, type TlsOptions, toTlsServerOptions } from '../door/tls.ts';
import { addressOf } from '../door/visitor.ts';
import { letLastOnesIn } from '../ending/last-visitors.ts';
import { FIRST_BYTE_MS, FLUSH_MS, LOOK_MS } from '../ending/patience.ts';
import type { Identity } from '../http-sender.ts';
import { type TransportLoad, within } from '../in-flight.ts';
import { explainListenError, trackConnections } from '../listen.ts';
import { type KeyLine, readKeyLine } from './key-line.ts';
import { Conversation, type LineLimits } from './lines.ts';
import { Places } from './places.ts';

/** After this many consecutive lines that are not messages, the connection is closed. */
const MAX_SLIPS = 20;
const KEY_LINE_MS = 10_000;

type Verdict = Identity | Refusal;

/** How a caller is identified. Checked again before every message, so that nobody stays after a key or token has expired. */
export interface TcpIdentify {
  /** By the certificate of the handshake; undefined where the client showed none. */
  readonly certificate?: ((socket: Socket) => Verdict | undefined) | undefined;
  /** By the key or access token of its first line, `AUTH <token>`. Absent: a certificate is needed. */
  readonly token?: ((token: string) => Verdict | Promise<Verdict>) | undefined;
}

export interface TcpOptions extends LineLimits {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly idleMs: number;
  readonly tls?: TlsOptions | undefined;
  /** Default: nobody is asked. */
  readonly identify?: TcpIdentify | undefined;
  /** How long the first line may take. Default 10 s. */
  readonly keyLineMs?: number | undefined;
  /** Notified of every refusal. */
  readonly refusals?: Refusals | undefined;
  /** Called when the grace time of `close()` is over: calls in progress must be answered now. `gateway.abort` does that. */
  readonly giveUp?: (() => void) | undefined;
  /** If another process accepts the connections for this one: makes it stop, and resolves when the last of them is here. */
  readonly endListening?: (() => Promise<void>) | undefined;
}

export interface TcpServer {
  readonly port: number;
  readonly load: TransportLoad;
  /** Lets in nobody new; lines that were sent are answered, within the grace time. */
  close(graceMs: number): Promise<void>;
  /** Uses another certificate for new connections; if it cannot be used, throws and keeps the old one. */
  renewTls(tls: TlsOptions): void;
}

/** What a principal may use of it; undefined: nothing. */
export type ProtocolOf = (principal: Principal) => Protocol | undefined;

export async function startTcp(protocol: Protocol | ProtocolOf, options: TcpOptions): Promise<TcpServer> {
  const open: OpenSockets = new Map();
  /** Also those whose handshake is not over. */
  const connections = trackConnections();
  const refusals = options.refusals ?? createRefusals();
  const note: Note = (reason, remote, { caller, why, details } = {}) =>
    refusals.note({ transport: 'tcp', reason, remote, principal: caller, why, details });
  const protocolOf = typeof protocol === 'function' ? protocol : () => protocol;
  const places = new Places(options.maxConnections);
  const converse = createConverse({ protocolOf, options, open, places, note });
  const receive = createReceive(options, converse, note);
  const settings = { allowHalfOpen: true, noDelay: true, keepAlive: true };
  const server: Server = options.tls
    ? createTlsServer({ ...settings, ...toTlsServerOptions(options.tls) })
    : createServer(settings);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    const leaving = places.enter(socket);
    if (leaving === undefined) return;
    note('connections', addressOf(leaving));
    leaving.destroy();
  });
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (socket.destroyed) return;
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
    receive(socket);
  });
  server.on('tlsClientError', (error: unknown, socket: Socket) =>
    note('tls', addressOf(socket), { why: handshakeFailure(error) }),
  );
  const port = await listen(server, options);
  return {
    port,
    get load() {
      let underWay = 0;
      for (const conversation of open.values()) underWay += conversation?.active ?? 0;
      return { connections: connections.size, underWay };
    },
    async close(graceMs) {
      if (graceMs > 0) {
        await options.endListening?.();
        await letLastOnesIn(server);
      }
      const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      await within(graceMs, endQuietOnes(open, whenClosed));
      if ([...open.values()].some((conversation) => conversation?.active)) options.giveUp?.();
      await Promise.all([...open].map(([socket, conversation]) => endNow(socket, conversation)));
      connections.destroyAll();
      await whenClosed;
    },
    renewTls(tls) {
      (server as TlsServer).setSecureContext(toTlsServerOptions(tls));
    },
  };
}

type OpenSockets = Map<Socket, Conversation | undefined>;

/**
 * TCP has no way to tell a client that this is the last answer, so each connection is ended when it has been quiet for a while.
 */
async function endQuietOnes(open: OpenSockets, whenClosed: Promise<void>): Promise<void> {
  for (const conversation of open.values()) conversation?.stopAsking();
  const begunAt = performance.now();
  const look = () => {
    // A client that has not authenticated by then will not.
    const isLate = performance.now() - begunAt >= FIRST_BYTE_MS;
    for (const [socket, conversation] of open) {
      if (conversation?.isQuiet ?? isLate) void endNow(socket, conversation);
    }
  };
  // In setImmediate, after the event loop has read from sockets: what has arrived by then is in progress.
  const looking = setInterval(() => setImmediate(look), LOOK_MS);
  void whenClosed.then(() => clearInterval(looking));
  await whenClosed;
}

/**
 * Answers what is in progress, then sends the end. Further data is still read, because unread data would cause a reset and lose
 * the last answers.
 */
async function endNow(socket: Socket, conversation: Conversation | undefined): Promise<void> {
  if (socket.writableEnded) return;
  if (conversation) await within(FLUSH_MS, conversation.drain());
  const whenClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.end();
  socket.resume();
  await within(FLUSH_MS, whenClosed);
  socket.destroy();
}

type Note = (
  reason: RefusalReason,
  remote: string | undefined,
  more?: Pick<Refusal, 'caller' | 'why' | 'details'>,
) => void;
/** `again` says whether who calls is still let in. */
type Converse = (socket: Socket, identity: Identity, again?: () => Verdict | Promise<Verdict>) => void;

interface ConverseParts {
  readonly protocolOf: ProtocolOf;
  readonly options: TcpOptions;
  readonly open: OpenSockets;
  readonly places: Places;
  readonly note: Note;
}

function createConverse({ protocolOf, options, open, places, note }: ConverseParts): Converse {
  return (socket, { principal }, again) => {
    const remote = addressOf(socket);
    const protocol = protocolOf(principal);
    if (protocol === undefined) {
      note('forbidden', remote, { caller: principal.id, why: 'profile not allowed' });
      return dismiss(socket, 'Forbidden: this caller may not use the profile that is served here.');
    }
    if (!places.settle(socket, again && principal.id)) {
      note('connections', remote, { caller: principal.id });
      return dismiss(socket, 'Too many connections: this caller has reached its limit. Close some of them.');
    }
    const judge = (verdict: Verdict): boolean => {
      if ('principal' in verdict && isSame(verdict.principal, principal)) return true;
      const { why = 'its permissions have changed', details } = 'status' in verdict ? verdict : {};
      note('unauthorized', remote, { caller: principal.id, why, details });
      dismiss(
        socket,
        'status' in verdict
          ? verdict.message
          : 'Unauthorized: the permissions of this caller have changed. Connect again.',
      );
      return false;
    };
    const mayGoOn = () => {
      const verdict = again!();
      return verdict instanceof Promise ? verdict.then(judge) : judge(verdict);
    };
    const onStranger = () => {
      note('not_jsonrpc', remote, { caller: principal.id });
      socket.end(() => socket.destroy());
    };
    const conversation = new Conversation({
      protocol,
      transport: 'tcp',
      principal,
      remote,
      ...(again && { mayGoOn }),
      input: socket,
      output: socket,
      joinsWrites: true,
      limits: options,
      manners: { maxSlips: MAX_SLIPS, onStranger },
      onRefusal: ({ reason, why }) => note(reason, remote, { caller: principal.id, why }),
    });
    open.set(socket, conversation);
    void conversation.finished.then(() => socket.end());
    socket.setTimeout(options.idleMs);
    socket.on('timeout', () => {
      if (conversation.active === 0) socket.destroy();
    });
    socket.once('close', () => conversation.abandon());
    socket.resume();
  };
}

/** From a connection to a conversation: nothing from the client is processed before it is authenticated. */
function createReceive(options: TcpOptions, converse: Converse, note: Note): (socket: Socket) => void {
  const { identify, keyLineMs = KEY_LINE_MS, host } = options;
  // Only users of this machine can reach a loopback port.
  const nobodyAsked: Identity = { principal: { id: isLoopback(host) ? 'local' : 'anonymous' } };

  const admit = (socket: Socket, verdict: Verdict, again: () => Verdict | Promise<Verdict>) => {
    if (socket.destroyed) return;
    if ('principal' in verdict) return converse(socket, verdict, again);
    note(verdict.reason ?? reasonOf(verdict.status) ?? 'unauthorized', addressOf(socket), verdict);
    dismiss(socket, verdict.message);
  };

  const readKey = (socket: Socket, check: NonNullable<TcpIdentify['token']>, line: KeyLine) => {
    if (line === 'gone') return void socket.destroy();
    if (line === 'malformed' || line === 'late') {
      note(line === 'late' ? 'too_slow' : 'unauthorized', addressOf(socket), { why: 'no AUTH line' });
      return dismiss(socket, FIRST_LINE);
    }
    const again = () => check(line.token);
    const fail = () =>
      admit(socket, { status: 503, message: 'The caller cannot be identified at the moment; try again.' }, again);
    try {
      const verdict = again();
      if (verdict instanceof Promise) void verdict.then((late) => admit(socket, late, again), fail);
      else admit(socket, verdict, again);
    } catch {
      fail();
    }
  };

  return (socket) => {
    // A peer that vanishes is an end like any other.
    socket.on('error', () => {});
    if (!identify) return converse(socket, nobodyAsked);
    const { certificate, token } = identify;
    const verdict = certificate?.(socket);
    // The same connection has the same certificate: only its expiry can have changed.
    if (verdict !== undefined) return admit(socket, verdict, () => certificate!(socket)!);
    if (token) return readKeyLine(socket, keyLineMs, (line) => readKey(socket, token, line));
    note('certificate', addressOf(socket), { why: 'no client certificate' });
    dismiss(socket, 'Unauthorized: connect with a client certificate.');
  };
}

const FIRST_LINE = 'Unauthorized: the first line of a connection must be "AUTH <key or access token>".';

/** Sends one line with the reason, and ends. Further data is still read, or the line would be lost in a reset. */
function dismiss(socket: Socket, message: string): void {
  socket.end(`${writeError(undefined, ERRORS.INVALID_REQUEST.code, message)}\n`);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), FLUSH_MS);
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
}

function isSame(one: Principal, other: Principal): boolean {
  const permissionsOf = ({ profiles, scopes, effects }: Principal) => JSON.stringify([profiles, scopes, effects]);
  return one === other || (one.id === other.id && permissionsOf(one) === permissionsOf(other));
}

function listen(server: Server, { host, port }: TcpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'TCP', host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      if (typeof address === 'object' && address) resolve(address.port);
      else reject(new GatewayError('CANNOT_LISTEN', `Cannot determine the port of ${host}:${port}.`));
    });
  });
}

// Serves MCP over TCP, with TLS if configured, in the framing of stdio: one conversation per socket.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Principal } from '../../call/caller.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { ERRORS, GatewayError } from '../../errors.ts';
import type { Protocol } from '../../protocol/mcp-protocol.ts';
import { writeError } from '../../protocol/wire/jsonrpc.ts';
import { addressOf } from '../client-address.ts';
import { acceptLastConnections, CHECK_MS, FIRST_BYTE_MS, FLUSH_MS, within } from '../closing.ts';
import type { Identity } from '../http-sender.ts';
import type { TransportLoad } from '../in-flight.ts';
import { explainListenError, trackConnections } from '../listen.ts';
import { handshakeFailure, type ListenerTlsOptions, toTlsServerOptions } from '../listener-tls.ts';
import { createRefusals, type RefusalReason, type Refusals, reasonOf } from '../refusals.ts';
import type { Refusal } from '../request-checks.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { Conversation, type LineLimits } from './conversation.ts';

/** After this many consecutive lines that are not messages, the connection is closed. */
const MAX_NON_MESSAGES = 20;
const KEY_LINE_MS = 10_000;

type Identification = Identity | Refusal;

/**
 * How a caller is identified. Checked again before every message, so that an expired key or token is refused on open
 * connections too.
 */
export interface TcpIdentify {
  /** By the certificate of the handshake; undefined if the client presented none. */
  readonly certificate?: ((socket: Socket) => Identification | undefined) | undefined;
  /** By the key or access token of its first line, `AUTH <token>`. Absent: a certificate is needed. */
  readonly token?: ((token: string) => Identification | Promise<Identification>) | undefined;
}

/** The options of startTcp(). */
export interface TcpOptions extends LineLimits {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly idleMs: number;
  readonly tls?: ListenerTlsOptions | undefined;
  /** Default: callers are not identified. */
  readonly identify?: TcpIdentify | undefined;
  /** How long the first line may take. Default 10 s. */
  readonly keyLineMs?: number | undefined;
  /** Counts and logs every refusal. */
  readonly refusals?: Refusals | undefined;
  /** Called when the grace time of `close()` is over: calls in progress must be answered now. `gateway.abort` does that. */
  readonly giveUp?: (() => void) | undefined;
  /** If another process accepts connections for this one: makes it stop, and resolves when the last of them has arrived. */
  readonly endListening?: (() => Promise<void>) | undefined;
}

/** A running TCP server. */
export interface TcpServer {
  readonly port: number;
  readonly load: TransportLoad;
  /** Accepts no new connections; lines that were sent are answered, within the grace time. */
  close(graceMs: number): Promise<void>;
  /** Uses another certificate for new connections; if it cannot be used, throws and keeps the old one. */
  renewTls(tls: ListenerTlsOptions): void;
}

/** The protocol for a principal, limited to what it may see; undefined if it may use none. */
export type ProtocolOf = (principal: Principal) => Protocol | undefined;

/**
 * Serves MCP on raw TCP, with the framing of stdio.
 *
 * ```ts
 * const limits = { maxLineBytes: 1024 * 1024, maxConcurrent: 64, maxConnections: 100, idleMs: 600_000 };
 * const lines = await startTcp(gateway.protocol, { host: '127.0.0.1', port: 0, ...limits });
 * console.log(lines.port);
 * await lines.close(1_000);
 * ```
 */
export async function startTcp(protocol: Protocol | ProtocolOf, options: TcpOptions): Promise<TcpServer> {
  const open: OpenSockets = new Map();
  /** Includes those whose handshake is not complete. */
  const connections = trackConnections();
  const refusals = options.refusals ?? createRefusals();
  const note: Note = (reason, remote, { caller, why, details } = {}) =>
    refusals.note({ transport: 'tcp', reason, remote, principal: caller, why, details });
  const protocolOf = typeof protocol === 'function' ? protocol : () => protocol;
  const limiter = new ConnectionLimiter(options.maxConnections);
  const converse = createConverse({ protocolOf, options, open, limiter, note });
  const receive = createReceive(options, converse, note);
  const settings = { allowHalfOpen: true, noDelay: true, keepAlive: true };
  const server: Server = options.tls
    ? createTlsServer({ ...settings, ...toTlsServerOptions(options.tls) })
    : createServer(settings);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    const closing = limiter.add(socket);
    if (closing === undefined) return;
    note('connections', addressOf(closing));
    closing.destroy();
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
        await acceptLastConnections(server);
      }
      const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      await within(graceMs, endQuietConnections(open, whenClosed));
      if ([...open.values()].some((conversation) => conversation?.active)) options.giveUp?.();
      await Promise.all([...open].map(([socket, conversation]) => endConnection(socket, conversation)));
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
async function endQuietConnections(open: OpenSockets, whenClosed: Promise<void>): Promise<void> {
  for (const conversation of open.values()) conversation?.stopAsking();
  const begunAt = performance.now();
  const check = () => {
    // Do not wait for clients that have not authenticated by then.
    const isLate = performance.now() - begunAt >= FIRST_BYTE_MS;
    for (const [socket, conversation] of open) {
      if (conversation?.isQuiet ?? isLate) void endConnection(socket, conversation);
    }
  };
  // In setImmediate, after the event loop has read from sockets: what has arrived by then is in progress.
  const checking = setInterval(() => setImmediate(check), CHECK_MS);
  void whenClosed.then(() => clearInterval(checking));
  await whenClosed;
}

/**
 * Answers the requests in progress, then ends the connection. Further data is still read, because unread data would cause a reset and
 * lose the last answers.
 */
async function endConnection(socket: Socket, conversation: Conversation | undefined): Promise<void> {
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
/** `again` identifies the caller again. */
type Converse = (socket: Socket, identity: Identity, again?: () => Identification | Promise<Identification>) => void;

interface ConverseOptions {
  readonly protocolOf: ProtocolOf;
  readonly options: TcpOptions;
  readonly open: OpenSockets;
  readonly limiter: ConnectionLimiter;
  readonly note: Note;
}

function createConverse({ protocolOf, options, open, limiter, note }: ConverseOptions): Converse {
  return (socket, { principal }, again) => {
    const remote = addressOf(socket);
    const protocol = protocolOf(principal);
    if (protocol === undefined) {
      note('forbidden', remote, { caller: principal.id, why: 'profile not allowed' });
      return dismiss(socket, 'Forbidden: this caller may not use the profile that is served here.');
    }
    if (!limiter.authenticate(socket, again && principal.id)) {
      note('connections', remote, { caller: principal.id });
      return dismiss(socket, 'Too many connections: this caller has reached its limit. Close some of them.');
    }
    const accepts = (identification: Identification): boolean => {
      if ('principal' in identification && isSame(identification.principal, principal)) return true;
      const { why = 'its permissions have changed', details } = 'status' in identification ? identification : {};
      note('unauthorized', remote, { caller: principal.id, why, details });
      dismiss(
        socket,
        'status' in identification
          ? identification.message
          : 'Unauthorized: the permissions of this caller have changed. Connect again.',
      );
      return false;
    };
    const mayGoOn = () => {
      const identification = again!();
      return identification instanceof Promise ? identification.then(accepts) : accepts(identification);
    };
    const onNotJsonRpc = () => {
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
      strictness: { maxNonMessages: MAX_NON_MESSAGES, onNotJsonRpc },
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

/** Starts a conversation once the caller is identified: nothing else from the client is processed before. */
function createReceive(options: TcpOptions, converse: Converse, note: Note): (socket: Socket) => void {
  const { identify, keyLineMs = KEY_LINE_MS, host } = options;
  // Only users of this machine can reach a loopback port.
  const defaultIdentity: Identity = { principal: { id: isLoopback(host) ? 'local' : 'anonymous' } };

  const admit = (
    socket: Socket,
    identification: Identification,
    again: () => Identification | Promise<Identification>,
  ) => {
    if (socket.destroyed) return;
    if ('principal' in identification) return converse(socket, identification, again);
    note(identification.reason ?? reasonOf(identification.status) ?? 'unauthorized', addressOf(socket), identification);
    dismiss(socket, identification.message);
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
      const identification = again();
      if (identification instanceof Promise) void identification.then((late) => admit(socket, late, again), fail);
      else admit(socket, identification, again);
    } catch {
      fail();
    }
  };

  return (socket) => {
    // A peer that disappears is a normal end.
    socket.on('error', () => {});
    if (!identify) return converse(socket, defaultIdentity);
    const { certificate, token } = identify;
    const identification = certificate?.(socket);
    // The certificate of a connection cannot change; it may only have expired since.
    if (identification !== undefined) return admit(socket, identification, () => certificate!(socket)!);
    if (token) return readKeyLine(socket, keyLineMs, (line) => readKey(socket, token, line));
    note('certificate', addressOf(socket), { why: 'no client certificate' });
    dismiss(socket, 'Unauthorized: connect with a client certificate.');
  };
}

const FIRST_LINE = 'Unauthorized: the first line of a connection must be "AUTH <key or access token>".';

/** Sends one line with the reason, and ends the connection. Further data is still read, or a reset could lose the line. */
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

/**
 * The first line of a connection if callers must authenticate: `AUTH <key or access token>`. A web page can make a browser send lines of
 * its choice to a port, but never as the first one: that is a method, a path and HTTP/1.1.
 */
type KeyLine = { readonly token: string } | 'malformed' | 'late' | 'gone';

const PREFIX = Buffer.from('AUTH ');
const NEWLINE = 0x0a;
const MAX_KEY_LINE_BYTES = 8_192 + PREFIX.length + 2;
/** The characters that a key or token in a header may contain. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Calls back once, with the socket paused and the data after the line put back into it. */
function readKeyLine(socket: Socket, deadlineMs: number, callback: (line: KeyLine) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const settle = (line: KeyLine) => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onEnd).off('close', onEnd);
    socket.pause();
    callback(line);
  };
  const onEnd = () => settle('gone');
  const onData = (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const beginning = bytes.subarray(0, PREFIX.length);
    const end = bytes.indexOf(NEWLINE);
    if (!PREFIX.subarray(0, beginning.length).equals(beginning)) return settle('malformed');
    if (end === -1 ? bytes.length > MAX_KEY_LINE_BYTES : end > MAX_KEY_LINE_BYTES) return settle('malformed');
    if (end === -1) return;
    const token = bytes.toString('latin1', PREFIX.length, end).trim();
    const rest = bytes.subarray(end + 1);
    settle(TOKEN.test(token) ? { token } : 'malformed');
    if (rest.length > 0) socket.unshift(rest);
  };
  const timer = setTimeout(() => settle('late'), deadlineMs);
  socket.on('data', onData).once('end', onEnd).once('close', onEnd);
}

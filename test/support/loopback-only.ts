// Refuses connections that would leave this machine, at the place where every client of this process ends: fetch, node:http,
// undici's pools and tls all call `connect` of a socket. A refusal arrives as an error of the socket, like one of the network.
// Questions to a name server are refused as well, in all forms that node:dns has. Datagrams (node:dgram) are not guarded.
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { BlockList, isIP, type LookupFunction, Socket, type TcpSocketConnectOpts } from 'node:net';

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
type Connect = (this: Socket, ...args: unknown[]) => Socket;

export const LEAVES_MACHINE = 'ERR_LEAVES_MACHINE';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');
// Connecting to "any address" reaches this machine.
loopback.addAddress('0.0.0.0');
loopback.addAddress('::', 'ipv6');

const isHere = (address: string) => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
const isLocalName = (name: string) => /^(?:.+\.)?localhost\.?$/i.test(name);

/** Once per process, however many test files share it. */
const GUARDED = Symbol.for('landbridge: connections stay on this machine');

export function refuseToLeave(): void {
  if (GUARDED in globalThis) return;
  Object.defineProperty(globalThis, GUARDED, { value: true });
  guardSockets();
  guardLookups();
}

function guardSockets(): void {
  const original = Socket.prototype.connect as Connect;
  const guarded: Connect = function (...args) {
    const { options, done } = readArguments(args);
    // A path is a socket file or a pipe.
    if ('path' in options && options.path) return original.apply(this, args);
    const host = options.host || 'localhost';
    if (isIP(host) !== 0 && isHere(host)) return original.apply(this, args);
    const lookup = isIP(host) !== 0 ? refuse : guardAnswers(options.lookup ?? (dns.lookup as LookupFunction));
    // A host that is no address makes node ask `lookup`, and report its error as it reports every other.
    return original.call(this, { ...options, host: isIP(host) !== 0 ? `address ${host}` : host, lookup }, done);
  };
  Socket.prototype.connect = guarded as typeof Socket.prototype.connect;
}

/** Names are resolved on this machine or not at all: a question to a name server would leave it. */
function guardLookups(): void {
  const lookup = dns.lookup as unknown as (...args: unknown[]) => void;
  const guarded = (name: string, ...args: unknown[]) => {
    if (isIP(name) !== 0 || isLocalName(name)) return lookup(name, ...args);
    process.nextTick(args.at(-1) as Done, unresolved(name, 'getaddrinfo'), '');
  };
  dns.lookup = guarded as unknown as typeof dns.lookup;
  const lookupLater = dns.promises.lookup as (...args: unknown[]) => Promise<unknown>;
  const guardedLater = async (name: string, ...args: unknown[]) => {
    if (isIP(name) !== 0 || isLocalName(name)) return lookupLater(name, ...args);
    throw unresolved(name, 'getaddrinfo');
  };
  dns.promises.lookup = guardedLater as typeof dns.promises.lookup;
  // All others ask a name server, whatever the name.
  for (const asker of [dns, dns.Resolver.prototype]) refuseQuestions(asker, refuseByCallback);
  for (const asker of [dns.promises, dns.promises.Resolver.prototype]) refuseQuestions(asker, refuseByPromise);
  syncBuiltinESMExports();
}

type Refuse = (name: string, ...args: unknown[]) => unknown;

const refuseByCallback: Refuse = (name, ...args) => {
  process.nextTick(args.at(-1) as Done, unresolved(name, 'query'), '');
};
const refuseByPromise: Refuse = async (name) => {
  throw unresolved(name, 'query');
};

function refuseQuestions(asker: object, refuse: Refuse): void {
  for (const key of Object.getOwnPropertyNames(asker))
    if (/^(?:resolve|reverse|lookupService)/.test(key)) Object.assign(asker, { [key]: refuse });
}

function unresolved(name: string, syscall: string): NodeJS.ErrnoException {
  const message = `tests resolve no name but localhost: ${name}`;
  return Object.assign(new Error(message), { code: 'ENOTFOUND', hostname: name, syscall });
}

/** As `connect` of a socket takes them: options, a port and a host, a path, or (from inside node) a list of these. */
function readArguments(args: unknown[]): { options: TcpSocketConnectOpts & { path?: string }; done: unknown } {
  const [first, second] = args;
  if (Array.isArray(first)) return readArguments(first);
  const done = args.find((value) => typeof value === 'function');
  if (typeof first === 'object' && first !== null) return { options: first as TcpSocketConnectOpts, done };
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { options: { path: first } as never, done };
  return { options: { port: Number(first), ...(typeof second === 'string' && { host: second }) }, done };
}

/** What a look-up of a test or of the gateway itself answers must be on this machine too. */
function guardAnswers(lookup: LookupFunction): LookupFunction {
  return (name, options: LookupOptions, done: Done) => {
    lookup(name, options as never, (error, address: string | LookupAddress[], family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((entry) => entry.address);
      const other = error ? undefined : addresses.find((entry) => !isHere(entry));
      if (other === undefined) done(error, address as string, family);
      else done(leaves(`${name} (${other})`), '');
    });
  };
}

const refuse: LookupFunction = (host, _, done) => {
  process.nextTick(done, leaves(host), '');
};

function leaves(host: string): NodeJS.ErrnoException {
  const message = `tests connect to nothing outside of this machine (test/support/loopback-only.ts): ${host}`;
  return Object.assign(new Error(message), { code: LEAVES_MACHINE });
}

// Errors of listening, and the open connections of a server.
import type { Socket } from 'node:net';
import { GatewayError } from '../errors.ts';

/** How to choose the port of each listener. */
const PORT_SETTINGS: Readonly<Record<string, string>> = { HTTP: '--port', TCP: '--tcp', Admin: '--admin-port' };

export function explainListenError(
  error: NodeJS.ErrnoException,
  what: string,
  host: string,
  port: number,
): GatewayError {
  const where = `${host}:${port}`;
  const why: Record<string, string> = {
    EADDRINUSE: `${what} port ${port} on ${host} is already in use. Stop the other program, or choose another port with ${PORT_SETTINGS[what] ?? 'its setting'} (0 picks a free one).`,
    EACCES: `Not allowed to listen on ${where}. Ports below 1024 need more rights; choose a higher one.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Use 127.0.0.1, or an address of this machine.`,
    ENOTFOUND: `The host name ${host} cannot be resolved. Use 127.0.0.1, or an address of this machine.`,
  };
  return new GatewayError(
    'CANNOT_LISTEN',
    why[error.code ?? ''] ?? `Cannot listen on ${where}: ${error.message}.`,
    {},
    error,
  );
}

/** All connections of a server, including those whose TLS handshake is not complete, which are listed nowhere else. */
export function trackConnections() {
  const open = new Set<Socket>();
  return {
    get size() {
      return open.size;
    },
    add(socket: Socket) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    },
    destroyAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

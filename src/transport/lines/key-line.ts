// The first line of a TCP connection where callers say who they are: `AUTH <key or access token>`. A web page can make a
// browser send lines of its choice to a port, but never as the first: that is a method, a path and HTTP/1.1.
import type { Socket } from 'node:net';

export type KeyLine = { readonly token: string } | 'malformed' | 'late' | 'gone';

const PREFIX = Buffer.from('AUTH ');
const NEWLINE = 0x0a;
const MAX_BYTES = 8_192 + PREFIX.length + 2;
/** What a header may hold as a key or token. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Calls back once, with the socket paused and the data after the line still in it. */
export function readKeyLine(socket: Socket, deadlineMs: number, callback: (line: KeyLine) => void): void {
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
    if (end === -1 ? bytes.length > MAX_BYTES : end > MAX_BYTES) return settle('malformed');
    if (end === -1) return;
    const token = bytes.toString('latin1', PREFIX.length, end).trim();
    const rest = bytes.subarray(end + 1);
    settle(TOKEN.test(token) ? { token } : 'malformed');
    if (rest.length > 0) socket.unshift(rest);
  };
  const timer = setTimeout(() => settle('late'), deadlineMs);
  socket.on('data', onData).once('end', onEnd).once('close', onEnd);
}

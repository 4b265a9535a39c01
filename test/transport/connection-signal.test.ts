import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { enterConnection } from '../../src/transport/connection-signal.ts';

type Connection = ReturnType<typeof enterConnection>;

describe('the signal of a connection', () => {
  let server: Server;
  let client: Socket;
  const entered: Connection[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    client.destroy();
    server.close();
    entered.length = 0;
    sockets.length = 0;
  });

  /** A server that leaves every request unanswered until the test says `leave`, and one client of it. */
  async function start(): Promise<void> {
    server = createServer((request) => {
      sockets.push(request.socket);
      entered.push(enterConnection(request.socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  }
  async function ask(count: number): Promise<Connection> {
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => entered.length).toBe(count);
    return entered[count - 1]!;
  }

  it('is aborted for every request in progress when the client disconnects', async () => {
    await start();
    const heard: number[] = [];
    (await ask(1)).signal.addEventListener('abort', () => heard.push(1));
    (await ask(2)).signal.addEventListener('abort', () => heard.push(2));
    client.destroy();
    await expect.poll(() => heard).toEqual([1, 2]);
  });

  it('is reused for the next request if it has no listeners', async () => {
    await start();
    const first = await ask(1);
    const { signal } = first;
    first.leave();
    expect((await ask(2)).signal).toBe(signal);
  });

  it('never calls a listener that an answered request left behind', async () => {
    await start();
    let late = 0;
    const first = await ask(1);
    const { signal } = first;
    signal.addEventListener('abort', () => late++);
    first.leave();
    const second = await ask(2);
    expect(second.signal).not.toBe(signal);
    client.destroy();
    await expect.poll(() => second.signal.aborted).toBe(true);
    expect(late).toBe(0);
    expect(signal.aborted).toBe(false);
  });

  it('is also aborted when no request is in progress, and stays so for later requests', async () => {
    await start();
    const first = await ask(1);
    const { signal } = first;
    first.leave();
    const socket = sockets[0]!;
    client.destroy();
    await expect.poll(() => socket.destroyed).toBe(true);
    await expect.poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
    expect(enterConnection(socket).signal.aborted).toBe(true);
  });

  it('stays the same for a request in progress while another one is answered', async () => {
    await start();
    let heard = 0;
    const first = await ask(1);
    const second = await ask(2);
    second.signal.addEventListener('abort', () => heard++);
    first.leave();
    client.destroy();
    await expect.poll(() => heard).toBe(1);
  });
});

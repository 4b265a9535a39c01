// What a process of the gateway holds: by catalog, idle connection and open stream.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from '../bench/cache.mjs';
import { buildManyDocument } from '../bench/documents.mjs';
import { stop, waitFor } from '../bench/processes.mjs';
import { startGateway, toRequest, warmUp } from './capacity-gateways.mjs';

const WEIGH = fileURLToPath(new URL('../chaos/weigh.cjs', import.meta.url));
const SIZES = [1_000, 5_000];

export async function measureMemory(bench) {
  const perThousandOperationsMb = {};
  for (const exposure of ['tools', 'grouped', 'search']) {
    const weights = [];
    for (const count of SIZES) {
      const document = join(CACHE, `many-${count}.json`);
      writeFileSync(document, JSON.stringify(buildManyDocument(count)));
      const gateway = await startWeighed(bench, `many-${count}-${exposure}`, { document, exposure });
      weights.push(await gateway.weigh());
      await stop(gateway.child);
    }
    perThousandOperationsMb[exposure] = round(
      (weights[1].rssMb - weights[0].rssMb) / ((SIZES[1] - SIZES[0]) / 1_000),
      1,
    );
  }
  const gateway = await startWeighed(bench, 'weighed', {});
  await warmUp(gateway, await toRequest(gateway, 'get'));
  const base = await gateway.weigh();
  const idle = await openMany(IDLE, (at) => openIdle(gateway.port, at));
  const withIdle = await gateway.weigh();
  for (const socket of idle) socket.destroy();
  await settle();
  const between = await gateway.weigh();
  const streams = await openMany(STREAMS, (at) => openStream(gateway.port, at));
  const withStreams = await gateway.weigh();
  for (const socket of streams) socket.destroy();
  await stop(gateway.child);
  return {
    baseMb: Math.round(base.rssMb),
    perThousandOperationsMb,
    perIdleConnectionKb: round(((withIdle.usedMb - base.usedMb) * 1_024) / IDLE, 1),
    perStreamKb: round(((withStreams.usedMb - between.usedMb) * 1_024) / STREAMS, 1),
  };
}

const IDLE = 2_000;
const STREAMS = 500;

/** Weighed after a collection (test/chaos/weigh.cjs): what is left is what is held. */
async function startWeighed(bench, name, options) {
  const gateway = await startGateway(bench, name, {
    ...options,
    env: { CHAOS_WEIGHTS: bench.folder, NODE_OPTIONS: `--require ${WEIGH}` },
  });
  const file = join(bench.folder, `${gateway.child.pid}.json`);
  return {
    ...gateway,
    async weigh() {
      rmSync(file, { force: true });
      gateway.child.kill('SIGUSR2');
      return waitFor(gateway.child, 'a weight', () => {
        const { rss, heapUsed, external } = JSON.parse(readFileSync(file, 'utf8'));
        return { rssMb: rss / 2 ** 20, usedMb: (heapUsed + external) / 2 ** 20 };
      });
    },
  };
}

async function openMany(count, open) {
  const sockets = [];
  for (let at = 0; at < count; at += 50)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, index) => open(at + index)))),
    );
  return sockets;
}

/** One that has asked once and waits for its next question. */
function openIdle(port) {
  return openSocket(port, `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
}

function openStream(port, at) {
  const params = {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'subscriptions/listen', params });
  return openSocket(
    port,
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n` +
      `mcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function openSocket(port, text) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('error', reject);
    socket.once('data', (data) => {
      if (/^HTTP\/1.1 200/.test(data.toString())) resolve(socket);
      else reject(new Error(`unexpected answer: ${data.toString().slice(0, 300)}`));
    });
  });
}

/** Sockets that were closed are noticed. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 600));
const round = (value, digits) => Number(value.toFixed(digits));

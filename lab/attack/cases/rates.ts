// D: a limit is a limit, however a caller spreads its calls; and nobody's calls are paid by somebody else.
import { createHash, randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Attack, Case } from '../case.ts';
import { type Answer, openSocket, post } from '../doors.ts';
import type { Gateway } from '../gateway.ts';
import { document, ID, operation } from './small-api.ts';

const newKey = () => `lb_${randomBytes(32).toString('base64url')}`;
const NOISY = newKey();
const NOISY_TOO = newKey();
const MIDDLING = newKey();
const QUIET = newKey();
const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');
const RATE = 20;

function launchWith(attack: Attack, limits: object = {}): Promise<Gateway> {
  return attack.launch({
    files: {
      'api.json': document(attack.upstream.url, {
        '/things': { get: operation('list_things'), post: operation('create_thing') },
        '/things/{id}': {
          get: operation('get_thing', { parameters: ID }),
          delete: operation('remove_thing', { parameters: ID }),
        },
      }),
      'landbridge.yaml': JSON.stringify({
        domains: ['./api.json'],
        exposure: 'tools',
        auth: {
          keys: [
            { name: 'noisy', sha256: sha256(NOISY) },
            // The same caller with a second key, as while keys are rotated.
            { name: 'noisy', sha256: sha256(NOISY_TOO) },
            { name: 'middling', sha256: sha256(MIDDLING) },
            { name: 'quiet', sha256: sha256(QUIET) },
          ],
        },
        limits,
      }),
    },
  });
}

let id = 0;

function call(
  gateway: Gateway,
  key: string,
  more: Record<string, string> = {},
  params: object = { name: 'list_things', arguments: {} },
): Promise<Answer> {
  return post(gateway.http, JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params }), {
    authorization: `Bearer ${key}`,
    'mcp-protocol-version': '2025-11-25',
    ...more,
  });
}

/** Removals on a connection of its own; all are agreed to at once when all have been asked about. What was said last. */
async function askAndAgree(gateway: Gateway, count: number): Promise<string> {
  const socket = await openSocket(gateway.tcpPort);
  const send = (message: object) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'attack', version: '0' };
  const capabilities = { elicitation: {} };
  socket.write(`AUTH ${NOISY}\n`);
  send({ id: 'start', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
  const questions: unknown[] = [];
  let answers = 0;
  const params = { name: 'remove_thing', arguments: { id: '1' } };
  const ask = () => send({ id: questions.length, method: 'tools/call', params });
  let last = '';
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    createInterface(socket).on('line', (line) => {
      last = line;
      const message = JSON.parse(line) as { id?: unknown; method?: string };
      if (message.method === 'elicitation/create') {
        questions.push(message.id);
        if (questions.length < count) return void ask();
        const result = { action: 'accept', content: { confirm: true } };
        for (const question of questions) send({ id: question, result });
      } else if (message.id === 'start') ask();
      // One by one, so that a limit on what is under way is not met before the questions are asked.
      else if (++answers === count) resolve();
      else if (questions.length < count) setTimeout(ask, 20);
    });
  });
  socket.destroy();
  return last.slice(0, 300);
}

const limitCase = (name: string, run: Case['run']): Case => ({ part: 'D', id: `limit: ${name}`, run, limitMs: 40_000 });
const many = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, at) => make(at));

/** The API takes a while for each call; how many it had at once. */
function countAtOnce({ upstream }: Attack, takesMs: number): () => number {
  let now = 0;
  let most = 0;
  upstream.respond((_arrival, response) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now--;
      response.end('{}');
    }, takesMs);
  });
  return () => most;
}

/** More than the bucket holds, but for what a slow run lets flow in. */
const tooMany = (arrivals: number) =>
  arrivals > RATE + 5 ? `${arrivals} calls reached the API, ${RATE} were allowed` : undefined;

export const RATE_CASES: readonly Case[] = [
  limitCase('many connections, ids, addresses and clients are one caller', async (attack) => {
    const gateway = await launchWith(attack, { perPrincipal: { rate: `${RATE}/hour` } });
    const spreads: ((at: number) => Record<string, string>)[] = [
      () => ({}),
      (at) => ({ 'x-forwarded-for': `10.0.0.${at}` }),
      (at) => ({ 'user-agent': `client ${at}` }),
      (at) => ({ forwarded: `for=10.1.0.${at}`, 'x-real-ip': `10.2.0.${at}` }),
    ];
    for (const spread of spreads) await Promise.all(many(30, (at) => call(gateway, NOISY, spread(at))));
    return tooMany(attack.upstream.arrivals.length);
  }),
  limitCase('two keys of one name are one caller', async (attack) => {
    const gateway = await launchWith(attack, { perPrincipal: { rate: `${RATE}/hour` } });
    await Promise.all(many(60, (at) => call(gateway, at % 2 === 0 ? NOISY : NOISY_TOO)));
    return tooMany(attack.upstream.arrivals.length);
  }),
  limitCase('a batch counts as what it holds', async (attack) => {
    const gateway = await launchWith(attack, { perPrincipal: { rate: `${RATE}/hour` } });
    const params = { name: 'list_things', arguments: {} };
    for (let round = 0; round < 10; round++) {
      const batch = many(10, (at) => ({ jsonrpc: '2.0', id: at, method: 'tools/call', params }));
      await post(gateway.http, JSON.stringify(batch), {
        authorization: `Bearer ${NOISY}`,
        'mcp-protocol-version': '2025-03-26',
      });
    }
    return tooMany(attack.upstream.arrivals.length);
  }),
  limitCase('a refusal is typed, and says when to come again', async (attack) => {
    const gateway = await launchWith(attack, { perPrincipal: { rate: '1/hour' } });
    await call(gateway, NOISY);
    const { text } = await call(gateway, NOISY);
    return /rate_limited/.test(text) && /retry_after/.test(text) ? undefined : text.slice(0, 300);
  }),
  limitCase('one caller at its limit takes nothing from another', async (attack) => {
    const gateway = await launchWith(attack, { perPrincipal: { rate: `${RATE}/hour` } });
    await Promise.all(many(200, () => call(gateway, NOISY)));
    attack.upstream.arrivals.length = 0;
    await Promise.all(many(10, () => call(gateway, QUIET)));
    const { length } = attack.upstream.arrivals;
    return length === 10 ? undefined : `${length} of 10 calls of the quiet one reached the API`;
  }),
  limitCase('a caller with a hundred times as many calls does not starve another', async (attack) => {
    attack.upstream.respond((_arrival, response) => {
      setTimeout(() => response.end('{}'), 20);
    });
    const gateway = await launchWith(attack, {
      perPrincipal: { rate: '100000/s', concurrent: 1_000 },
      perUpstream: { concurrent: 4, queue: 1_000, waitSeconds: 30 },
    });
    let served = 0;
    const noisy = many(400, () => call(gateway, NOISY).then(() => served++));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const quiet = await Promise.all(many(4, () => call(gateway, QUIET)));
    const before = served;
    await Promise.all(noisy);
    if (quiet.some(({ result }) => result === undefined || result.isError === true)) return 'the quiet one was refused';
    // In turn by caller: its four calls are through long before the four hundred.
    return before < 300 ? undefined : `the quiet one waited for ${before} of 400 calls`;
  }),
  limitCase('no more calls than may are under way at an API', async (attack) => {
    const most = countAtOnce(attack, 20);
    const gateway = await launchWith(attack, {
      perPrincipal: { rate: '100000/s', concurrent: 1_000 },
      perUpstream: { concurrent: 3, queue: 500, waitSeconds: 30 },
    });
    await Promise.all(many(100, (at) => call(gateway, at % 2 === 0 ? NOISY : QUIET)));
    return most() <= 3 ? undefined : `${most()} at once`;
  }),
  limitCase('calls that wait for a person and are answered at once are not more than may be', async (attack) => {
    const most = countAtOnce(attack, 50);
    const gateway = await launchWith(attack, { perPrincipal: { concurrent: 2, queue: 0, waitSeconds: 30 } });
    const sent = await Promise.all(many(3, () => askAndAgree(gateway, 10)));
    const { length } = attack.upstream.arrivals;
    if (length === 0) return `nothing was done though somebody agreed: ${sent[0]}`;
    return most() <= 2 ? undefined : `${most()} at once`;
  }),
  limitCase('callers whose calls never end leave room at an API for one that has never called', async (attack) => {
    attack.upstream.respond(({ url }, response) => {
      // Everything but what the quiet one does hangs.
      if (url.includes('quiet')) response.end('{}');
    });
    const gateway = await launchWith(attack, { perUpstream: { concurrent: 16, queue: 100, waitSeconds: 2 } });
    for (const key of [NOISY, MIDDLING]) {
      for (let at = 0; at < 50; at++) void call(gateway, key);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const { result, text } = await call(gateway, QUIET, {}, { name: 'get_thing', arguments: { id: 'quiet' } });
    return result !== undefined && result.isError !== true ? undefined : `refused: ${text.slice(0, 200)}`;
  }),
  limitCase('bodies that a caller never ends keep no other caller out', async (attack) => {
    const gateway = await launchWith(attack);
    const { hostname, port } = new URL(gateway.http);
    const head =
      `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${NOISY}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n';
    const crowd = await Promise.all(many(70, () => openSocket(Number(port))));
    for (const socket of crowd) socket.write(head + ' '.repeat(1_048_500));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // In two pieces, so that it has to be held as well.
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_things' } });
    const quiet = await openSocket(Number(port));
    quiet.write(head.replace(NOISY, QUIET).replace('1048576', String(text.length)) + text.slice(0, 40));
    await new Promise((resolve) => setTimeout(resolve, 300));
    quiet.write(text.slice(40));
    await call(gateway, QUIET);
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const socket of [...crowd, quiet]) socket.destroy();
    const { length } = attack.upstream.arrivals;
    return length === 2 ? undefined : `${length} of 2 calls of the quiet one reached the API`;
  }),
];

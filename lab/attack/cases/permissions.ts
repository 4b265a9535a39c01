// D: what a key may not do, through every way in: modes, eras, batches, resources, prompts, completion, profiles.
import { createHash, randomBytes } from 'node:crypto';
import type { Attack, Case } from '../case.ts';
import { type Answer, envelope, modernHeaders, post } from '../doors.ts';
import type { Gateway } from '../gateway.ts';
import { document, ID, operation } from './small-api.ts';

const READER = `lb_${randomBytes(32).toString('base64url')}`;
const WRITER = `lb_${randomBytes(32).toString('base64url')}`;
const ADMIN = `lb_${randomBytes(32).toString('base64url')}`;
const GUEST = `lb_${randomBytes(32).toString('base64url')}`;
const OLD = `lb_${randomBytes(32).toString('base64url')}`;
const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');

const KEYS = [
  { name: 'reader', sha256: sha256(READER), effects: ['read'] },
  { name: 'writer', sha256: sha256(WRITER), effects: ['read', 'write'] },
  { name: 'admin', sha256: sha256(ADMIN) },
  { name: 'guest', sha256: sha256(GUEST), profiles: ['public'] },
  { name: 'old', sha256: sha256(OLD), expires: '2020-01-01' },
];

const read = { tags: ['things'] };
const both = { ...read, parameters: ID, 'x-mcp': { expose: 'both' } };
const API = (url: string) =>
  document(url, {
    '/things': { get: operation('list_things', read), post: operation('create_thing', read) },
    '/things/{id}': {
      get: operation('get_thing', both),
      put: operation('hidden_replace', { ...read, parameters: ID }),
      delete: operation('hidden_remove', { ...read, parameters: ID }),
    },
    '/public': { get: operation('look', { tags: ['public'] }) },
  });

type Mode = 'tools' | 'grouped' | 'search';

function launchWith(attack: Attack, exposure: Mode, more: object = {}): Promise<Gateway> {
  return attack.launch({
    files: {
      'api.json': API(attack.upstream.url),
      'landbridge.yaml': JSON.stringify({
        domains: ['./api.json'],
        exposure,
        guard: 'allow',
        profiles: { public: { tags: ['public'] }, staff: {} },
        auth: { keys: KEYS },
        ...more,
      }),
    },
  });
}

type Era = 'modern' | 'legacy';
type Headers = Record<string, string>;

function asker(gateway: Gateway, key: string | undefined, era: Era, profile = '') {
  const url = profile === '' ? gateway.http : `${gateway.http}/${profile}`;
  const auth: Headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (method: string, params: Record<string, unknown> = {}): Promise<Answer> => {
    const full = era === 'modern' ? envelope(params) : params;
    const headers = era === 'modern' ? modernHeaders(method, full) : { 'mcp-protocol-version': '2025-11-25' };
    return post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: full }), { ...auth, ...headers });
  };
}

/** Every spelling of "run this operation" there is. */
function spellings(operation: string, args: Record<string, unknown>) {
  const inner = { operation, arguments: args };
  const grouped = ['evil_read', 'evil_write', 'evil_things', 'evil'].flatMap((name) => [
    { name, arguments: { action: operation, ...args } },
    { name, arguments: { action: operation, arguments: args } },
    { name, arguments: { action: operation, params: args } },
  ]);
  return [
    { name: operation, arguments: args },
    { name: `evil_${operation}`, arguments: args },
    { name: `evil.${operation}`, arguments: args },
    { name: `evil.things.${operation}`, arguments: args },
    { name: 'call_operation', arguments: inner },
    { name: 'call_operation', arguments: { ...inner, operation: `evil_${operation}` } },
    { name: 'call_operation', arguments: { ...inner, operation: `evil.${operation}` } },
    ...grouped,
  ];
}

const FORBIDDEN = [
  { key: READER, operation: 'create_thing', args: {} },
  { key: READER, operation: 'hidden_replace', args: { id: '1' } },
  { key: READER, operation: 'hidden_remove', args: { id: '1' } },
  { key: WRITER, operation: 'hidden_remove', args: { id: '1' } },
];

const MODES: readonly Mode[] = ['tools', 'grouped', 'search'];
const ERAS: readonly Era[] = ['modern', 'legacy'];

const identityCase = (id: string, run: Case['run']): Case => ({ part: 'D', id, run, limitMs: 40_000 });

function arrived(
  { upstream }: Attack,
  allowed: (method: string, url: string) => boolean = () => false,
): string | undefined {
  const wrong = upstream.arrivals.find(({ method, url }) => !allowed(method, url));
  return wrong && `${wrong.method} ${wrong.url} reached the API`;
}

export const PERMISSION_CASES: readonly Case[] = [
  ...MODES.map((mode) =>
    identityCase(`key: no spelling of a forbidden call works, exposure ${mode}`, async (attack) => {
      const gateway = await launchWith(attack, mode);
      for (const { key, operation, args } of FORBIDDEN) {
        for (const profile of ['', 'staff']) {
          for (const era of ERAS) {
            const ask = asker(gateway, key, era, profile);
            for (const params of spellings(operation, args)) await ask('tools/call', params);
          }
        }
      }
      if (arrived(attack)) return arrived(attack);
      // The same spellings do reach it for somebody who may: the case shows something.
      const ask = asker(gateway, ADMIN, 'modern');
      for (const params of spellings('hidden_remove', { id: '1' })) await ask('tools/call', params);
      return attack.upstream.arrivals.length === 0 ? 'nobody can call it: the case shows nothing' : undefined;
    }),
  ),
  ...MODES.map((mode) =>
    identityCase(`key: nothing that is shown names what is hidden, exposure ${mode}`, async (attack) => {
      const gateway = await launchWith(attack, mode);
      for (const era of ERAS) {
        const ask = asker(gateway, READER, era);
        const texts = [];
        for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
          texts.push((await ask(method)).text);
        const { result } = await ask('resources/list');
        for (const { uri } of (result?.resources ?? []) as { uri: string }[])
          texts.push((await ask('resources/read', { uri })).text);
        for (const query of ['remove', 'delete things', 'replace', 'create', 'things'])
          texts.push((await ask('tools/call', { name: 'search_operations', arguments: { query } })).text);
        for (const name of ['hidden_remov', 'evil_hidden_remov', 'things_hidden'])
          texts.push((await ask('tools/call', { name, arguments: {} })).text.replaceAll(name, ''));
        for (const operation of ['hidden_remov', 'x'])
          texts.push(
            (await ask('tools/call', { name: 'describe_operation', arguments: { operation } })).text.replaceAll(
              operation,
              '',
            ),
          );
        texts.push((await ask(era === 'modern' ? 'server/discover' : 'initialize', INITIALIZE)).text);
        const leak = texts.find((text) => /hidden_re|create_thing/i.test(text));
        if (leak) return `${era}: ${/.{0,60}(?:hidden_re|create_thing).{0,60}/i.exec(leak)?.[0]}`;
      }
      return undefined;
    }),
  ),
  ...MODES.map((mode) =>
    identityCase(`key: a hidden call is answered like one that does not exist, exposure ${mode}`, async (attack) => {
      const gateway = await launchWith(attack, mode);
      for (const era of ERAS) {
        const ask = asker(gateway, READER, era);
        const hidden = spellings('hidden_remove', { id: '1' });
        const absent = spellings('zzzzzz_zzzzzz', { id: '1' });
        for (const [index, params] of hidden.entries()) {
          const [one, other] = [await ask('tools/call', params), await ask('tools/call', absent[index]!)];
          const plain = ({ status, text }: Answer, name: string) => `${status} ${text.replaceAll(name, 'NAME')}`;
          const [a, b] = [plain(one, 'hidden_remove'), plain(other, 'zzzzzz_zzzzzz')];
          if (a !== b) return `${era}, ${JSON.stringify(params)}:\n${a.slice(0, 400)}\n${b.slice(0, 400)}`;
        }
      }
      return arrived(attack);
    }),
  ),
  identityCase('key: a batch of 2025-03-26 does nothing that its parts may not', async (attack) => {
    const gateway = await launchWith(attack, 'tools');
    const batch = FORBIDDEN.filter(({ key }) => key === READER).flatMap(({ operation, args }, at) =>
      spellings(operation, args).map((params, index) => ({
        jsonrpc: '2.0',
        id: at * 100 + index,
        method: 'tools/call',
        params,
      })),
    );
    for (let from = 0; from < batch.length; from += 10)
      await post(gateway.http, JSON.stringify(batch.slice(from, from + 10)), {
        authorization: `Bearer ${READER}`,
        'mcp-protocol-version': '2025-03-26',
      });
    return arrived(attack);
  }),
  identityCase('key: a profile that a key may not use is like one that does not exist', async (attack) => {
    const gateway = await launchWith(attack, 'tools');
    for (const era of ERAS) {
      const params = { name: 'list_things', arguments: {} };
      const answers = await Promise.all(
        ['', 'staff', 'nowhere'].map((profile) => asker(gateway, GUEST, era, profile)('tools/call', params)),
      );
      const wrong = arrived(attack, (_method, url) => url === '/public');
      if (wrong) return wrong;
      const [staff, nowhere] = answers
        .slice(1)
        .map(({ status, text }) => `${status} ${text.replaceAll(/staff|nowhere/g, 'NAME')}`);
      if (staff !== nowhere) return `${era}:\n${staff}\n${nowhere}`;
      await asker(gateway, GUEST, era, 'public')('tools/call', { name: 'look', arguments: {} });
    }
    return attack.upstream.arrivals.length === 2 ? undefined : 'its own profile was not served';
  }),
  identityCase('key: no key, a wrong one, half a one, an expired one, two at once', async (attack) => {
    const gateway = await launchWith(attack, 'tools');
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_things', arguments: {} },
    });
    const shows: Headers[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: `Bearer ${READER.slice(0, -1)}` },
      { authorization: `Bearer ${READER}x` },
      { authorization: `Bearer ${READER.toLowerCase()}` },
      { authorization: `Bearer ${OLD}` },
      { authorization: `Basic ${Buffer.from(`${READER}:`).toString('base64')}` },
      { authorization: `Bearer ${sha256(READER)}` },
      { authorization: `Bearer ${READER}, Bearer x` },
      { 'x-api-key': sha256(READER) },
      { 'x-api-key': `${OLD}` },
      { 'x-api-key': 'wrong', authorization: `Bearer ${READER}` },
      { cookie: `key=${READER}` },
      { 'x-forwarded-user': 'admin', 'x-principal': 'key:admin' },
    ];
    for (const headers of shows) {
      await post(gateway.http, body, headers);
      await post(`${gateway.http}?api_key=${READER}&access_token=${READER}`, body, headers['x-api-key'] ? {} : headers);
    }
    return arrived(attack);
  }),
  identityCase('key: how long a wrong key takes does not tell how much of it was right', async (attack) => {
    const gateway = await launchWith(attack, 'tools');
    const last = READER.at(-1) === 'a' ? 'b' : 'a';
    const wrong = [`${READER.slice(0, -1)}${last}`, `lb_${randomBytes(32).toString('base64url')}`];
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < 300; round++) {
      for (const [at, key] of wrong.entries()) {
        const startedAt = performance.now();
        await asker(gateway, key, 'legacy')('ping');
        times[at]!.push(performance.now() - startedAt);
      }
    }
    const [nearly, not] = times.map((all) => all.toSorted((a, b) => a - b)[all.length / 2]!) as [number, number];
    const ratio = nearly / not;
    return ratio > 0.67 && ratio < 1.5
      ? undefined
      : `${nearly.toFixed(3)} ms for nearly the key, ${not.toFixed(3)} ms for another`;
  }),
  identityCase('key: resources and completion show no more than calls do', async (attack) => {
    const gateway = await launchWith(attack, 'tools');
    const only = asker(gateway, GUEST, 'modern', 'public');
    for (const uri of [
      'evil://things/1',
      'evil://things',
      'landbridge://domains/evil/openapi',
      'landbridge://domains/evil',
    ]) {
      const { text } = await only('resources/read', { uri });
      if (/list_things|get_thing/.test(text)) return `resources/read ${uri} shows the operations of others`;
    }
    await only('completion/complete', {
      ref: { type: 'ref/resource', uri: 'evil://things/{id}' },
      argument: { name: 'id', value: '' },
    });
    return arrived(attack);
  }),
  identityCase('key: what belongs to one caller is worth nothing to another', async (attack) => {
    const gateway = await launchWith(attack, 'tools', { guard: 'confirm' });
    const call = { name: 'hidden_remove', arguments: { id: '1' } };
    const second = `lb_${randomBytes(32).toString('base64url')}`;
    const other = await launchWith(attack, 'tools', {
      guard: 'confirm',
      auth: { keys: [...KEYS, { name: 'second', sha256: sha256(second) }] },
    });
    await gateway.kill();
    const first = await asker(other, ADMIN, 'legacy')('tools/call', call);
    const token = /confirmation_token[^A-Za-z0-9]{1,10}([\w.~-]{20,})/.exec(first.text)?.[1];
    if (token === undefined) return 'no confirmation was asked for at all';
    const repeat = { ...call, arguments: { id: '1', confirmation_token: token } };
    await asker(other, second, 'legacy')('tools/call', repeat);
    if (arrived(attack)) return arrived(attack);
    await asker(other, ADMIN, 'legacy')('tools/call', repeat);
    return attack.upstream.arrivals.length === 1
      ? undefined
      : 'its own confirmation was refused: the case shows nothing';
  }),
];

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'attack', version: '0' } };

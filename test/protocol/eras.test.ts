// Which era a message belongs to, against the SDK's own classifier, over generated messages and headers. Where we differ
// on purpose, the difference has a name below, and must show up: one that never does is no difference.
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';
const LEVEL = 'io.modelcontextprotocol/logLevel';

let gateway: Gateway;
beforeAll(() => {
  gateway = createGateway({ domains: [], exposure: 'tools' });
});
afterAll(() => gateway.close());

type Json = Record<string, unknown>;
interface Sent {
  readonly body: unknown;
  readonly headers: { version?: string | undefined; method?: string | undefined };
}

/** What one sees from outside: refused with a code, taken in silence, or answered in an era. */
type Seen = { status: number; code: number } | 'silence' | 'modern' | 'legacy';

async function ours({ body, headers }: Sent): Promise<Seen> {
  const reply = await gateway.handle(JSON.stringify(body), {
    transport: 'http',
    headers: {
      ...(headers.version !== undefined && { 'mcp-protocol-version': headers.version }),
      ...(headers.method !== undefined && { 'mcp-method': headers.method }),
    },
  });
  if (reply === undefined) return 'silence';
  const { result, error } = JSON.parse(reply.body) as { result?: Json; error?: { code: number } };
  if (Array.isArray(JSON.parse(reply.body))) return 'legacy';
  if (result) return 'resultType' in result ? 'modern' : 'legacy';
  const { code } = error ?? { code: 0 };
  // Both eras lack methods: 404 is how the modern one says it.
  if (code === -32601) return reply.status === 404 ? 'modern' : 'legacy';
  // initialize without a version is still the legacy handshake.
  if (code === -32602 && reply.status === 200) return 'legacy';
  return { status: reply.status, code };
}

function theirs({ body, headers }: Sent): Seen {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(headers.version !== undefined && { protocolVersionHeader: headers.version }),
    ...(headers.method !== undefined && { mcpMethodHeader: headers.method }),
  });
  if (outcome.kind === 'reject') return { status: outcome.httpStatus, code: outcome.code };
  if (outcome.kind === 'modern') {
    if (outcome.messageKind === 'notification') return 'silence';
    // The rungs the SDK climbs after classifying: required headers, then a version it serves.
    if (headers.version === undefined) return { status: 400, code: -32020 };
    if (outcome.classification.revision !== '2026-07-28') return { status: 400, code: -32022 };
    if (headers.method === undefined) return { status: 400, code: -32020 };
    return 'modern';
  }
  if (outcome.reason === 'batch') return (body as unknown[]).every(isQuiet) ? 'silence' : 'legacy';
  return outcome.reason === 'notification' || outcome.reason === 'response' ? 'silence' : 'legacy';
}

/** A notification or a response: nothing in it asks for an answer. */
function isQuiet(item: unknown): boolean {
  return isObject(item) && (!('id' in item) || !('method' in item));
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const metaOf = (body: unknown) =>
  isObject(body) && isObject(body.params) && isObject(body.params._meta) ? body.params._meta : {};
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Where we differ, and mean to. Each takes what was sent and says what we answer instead. */
const DIFFERENCES: Record<string, (sent: Sent) => Seen | undefined> = {
  'a claim to be modern is never served as legacy, not even on initialize': ({ body, headers }) => {
    if (!isObject(body) || body.method !== 'initialize' || !('id' in body) || !(VERSION in metaOf(body)))
      return undefined;
    const version = metaOf(body)[VERSION];
    if (!isEnvelope(metaOf(body))) return { status: 400, code: -32602 };
    if (headers.version !== version) return { status: 400, code: -32020 };
    return version === '2026-07-28' ? undefined : { status: 400, code: -32022 };
  },
  'an unsupported version is named before a wrong method header is': ({ body, headers }) => {
    const version = metaOf(body)[VERSION];
    const isRequest = isObject(body) && 'id' in body && 'method' in body;
    return isRequest && isEnvelope(metaOf(body)) && version !== '2026-07-28' && headers.version === version
      ? { status: 400, code: -32022 }
      : undefined;
  },
  'no header is required of a notification, so none is checked': ({ body }) =>
    isObject(body) && !('id' in body) && typeof body.method === 'string' ? 'silence' : undefined,
  'each message of a batch is answered by itself, as JSON-RPC has it': ({ body }) =>
    Array.isArray(body) &&
    body.some((item) => !isMessage(item)) &&
    !body.some((item) => isMessage(item) && claims(item))
      ? 'legacy'
      : undefined,
  'a batch cannot hold initialize, nor come with a modern header': ({ body, headers }) =>
    Array.isArray(body) && (body.some(isInitialize) || (headers.version ?? '') >= '2026-07-28')
      ? { status: 400, code: -32600 }
      : undefined,
  'a legacy request with a version header nobody knows is refused': ({ body, headers: { version } }) =>
    isObject(body) && 'id' in body && version !== undefined && !LEGACY.includes(version) && !(VERSION in metaOf(body))
      ? {
          status: 400,
          code:
            /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= '2026-07-28'
              ? body.method === 'initialize'
                ? -32020
                : -32602
              : -32600,
        }
      : undefined,
  'a progress token of the wrong kind is a fault of the envelope': ({ body }) =>
    isObject(body) && 'id' in body && claims(body) && !isToken(metaOf(body).progressToken)
      ? { status: 400, code: -32602 }
      : undefined,
};

/** Where we look away and the SDK does not: without it both must agree. */
const IGNORED: Record<string, (message: Json) => Json> = {
  'what a message holds beyond JSON-RPC': ({ extra: _, ...message }) => message,
  'a progress token of the wrong kind in a legacy message': (message) => {
    if (!isObject(message.params) || !isObject(message.params._meta) || claims(message)) return message;
    const { progressToken, ..._meta } = message.params._meta;
    return isToken(progressToken) ? message : { ...message, params: { ...message.params, _meta } };
  },
};

const isToken = (value: unknown) => value === undefined || typeof value === 'string' || Number.isInteger(value);
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The names of the differences that explain what we did; undefined when nothing does. */
function explain(sent: Sent, we: Seen): readonly string[] | undefined {
  if (same(we, theirs(sent))) return [];
  for (const [name, instead] of Object.entries(DIFFERENCES)) if (same(instead(sent), we)) return [name];
  for (const [name, ignore] of Object.entries(IGNORED)) {
    const { body } = sent;
    const each = (item: unknown) => (isObject(item) ? ignore(item) : item);
    const changed = Array.isArray(body) ? body.map(each) : each(body);
    const rest = same(changed, body) ? undefined : explain({ ...sent, body: changed }, we);
    if (rest) return [name, ...rest];
  }
  return undefined;
}

const isId = (value: unknown) => typeof value === 'string' || Number.isInteger(value);
const claims = (item: unknown) => VERSION in metaOf(item);

function isMessage(item: unknown): boolean {
  if (!isObject(item) || item.jsonrpc !== '2.0' || ('id' in item && !isId(item.id))) return false;
  if (!('method' in item)) return 'result' in item || 'error' in item;
  const { params } = item;
  const shaped = params === undefined || (isObject(params) && (params._meta === undefined || isObject(params._meta)));
  return typeof item.method === 'string' && shaped;
}

function isInitialize(item: unknown): boolean {
  return isObject(item) && isMessage(item) && item.method === 'initialize' && 'id' in item;
}

function isEnvelope(meta: Json): boolean {
  const info = meta[CLIENT];
  return (
    typeof meta[VERSION] === 'string' &&
    isObject(meta[CAPABILITIES]) &&
    Object.values(meta[CAPABILITIES]).every(isObject) &&
    (info === undefined || (isObject(info) && 'name' in info && 'version' in info)) &&
    (meta[LEVEL] === undefined || meta[LEVEL] === 'info') &&
    (meta.progressToken === undefined || typeof meta.progressToken === 'string')
  );
}

/** The headers of a client that means what its body says. */
function headersFor(body: unknown): Sent['headers'] {
  const named = metaOf(body)[VERSION];
  if (!isObject(body) || typeof body.method !== 'string' || typeof named !== 'string') return {};
  return { version: named, method: body.method };
}

const version = fc.constantFrom('2026-07-28', '2025-11-25', '2025-03-26', '2027-01-01', '2020-01-01');
const envelope = fc.record(
  {
    [VERSION]: fc.oneof({ weight: 4, arbitrary: version }, fc.constantFrom(7, null)),
    [CAPABILITIES]: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom({}, { elicitation: {} }, { elicitation: { form: {} } }) },
      fc.constantFrom(null, [], 'none', { elicitation: 7 }, { roots: null }),
    ),
    [CLIENT]: fc.constantFrom({ name: 'a', version: '1' }, { name: 'a' }, 'a', {}),
    [LEVEL]: fc.constantFrom('info', 'loud'),
    progressToken: fc.constantFrom('p', 1.5, {}),
    other: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const meta = fc.oneof(
  { weight: 6, arbitrary: envelope },
  { weight: 3, arbitrary: fc.constant({ [VERSION]: '2026-07-28', [CAPABILITIES]: {} }) },
  fc.constantFrom(7, [], null, {}),
);
const params = fc.oneof(
  { weight: 8, arbitrary: fc.record({ _meta: meta, protocolVersion: version }, { requiredKeys: [] }) },
  fc.constantFrom({}, 7, [], null),
);
const method = fc.constantFrom(
  'tools/list',
  'server/discover',
  'initialize',
  'ping',
  'no/such',
  'notifications/initialized',
);
const id = fc.constantFrom(1, 'a', 0, '', null, 1.5, {});
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.constantFrom(1, 'a'), method, params },
      { requiredKeys: ['jsonrpc', 'id', 'method'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), method, params }, { requiredKeys: ['jsonrpc', 'method'] }),
  },
  fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id,
      method: fc.oneof(method, fc.constant(7)),
      params,
      extra: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.record({ jsonrpc: fc.constant('2.0'), id: fc.constantFrom(1, 'a'), result: fc.record({ a: fc.jsonValue() }) }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.constantFrom(1, 'a'),
    error: fc.constant({ code: 1, message: 'no' }),
  }),
);
const body = fc.oneof(
  { weight: 12, arbitrary: message },
  fc.array(message, { maxLength: 3 }),
  fc.constantFrom(null, 7, 'text', true),
);
const headers = fc.record({ version: version, method: method }, { requiredKeys: [] });

describe('the era of a message', () => {
  test('is the one the SDK sees, except where we say otherwise', async () => {
    const shown = new Set<string>();
    await fc.assert(
      fc.asyncProperty(body, headers, fc.nat(2), async (given, anyHeaders, agreement) => {
        const agreeing = [{}, headersFor(given), { version: headersFor(given).version }][agreement];
        const sent: Sent = { body: given, headers: { ...anyHeaders, ...agreeing } };
        const we = await ours(sent);
        const why = explain(sent, we);
        if (why === undefined) expect(we, JSON.stringify(sent)).toEqual(theirs(sent));
        for (const name of why ?? []) shown.add(name);
      }),
      { numRuns: 1500, seed: 20260728 },
    );
    expect([...shown].sort()).toEqual([...Object.keys(DIFFERENCES), ...Object.keys(IGNORED)].sort());
  });

  test('is modern whenever envelope and headers agree, whatever the method', async () => {
    await fc.assert(
      fc.asyncProperty(method, async (name) => {
        const sent: Sent = {
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: name,
            params: { _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } },
          },
          headers: { version: '2026-07-28', method: name },
        };
        expect([await ours(sent), theirs(sent)]).toEqual(['modern', 'modern']);
      }),
      { numRuns: 30 },
    );
  });
});

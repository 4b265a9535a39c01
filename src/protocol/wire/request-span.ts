// The span of a request, following OpenTelemetry's conventions for MCP and HTTP servers: one per message, on any transport. Span names
// come from the catalog and the list below, never from a client, so their number is limited.
import { isOwnFault } from '../../errors.ts';
import type { Attributes, CallSpan } from '../../tracing/call-span.ts';
import type { Tracing } from '../../tracing/tracing.ts';
import { claimsModern, MODERN_VERSION, negotiate, versionOf } from '../eras.ts';
import type { Reply, Sender } from '../sender.ts';
import type { RequestMessage } from './jsonrpc.ts';
import { parseTrace } from './trace.ts';

type Answer = (message: RequestMessage, sender: Sender) => Reply | undefined | Promise<Reply | undefined>;

interface RequestSpanOptions {
  readonly tracing: Tracing;
  readonly registry: { readonly tools: { has(name: string): boolean } };
  readonly prompts: { has(name: string): boolean };
  readonly profile: string;
}

const METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
]);

const NETWORK: Readonly<Record<Sender['transport'], Attributes>> = {
  http: { 'network.transport': 'tcp', 'network.protocol.name': 'http', 'http.request.method': 'POST' },
  tcp: { 'network.transport': 'tcp' },
  stdio: { 'network.transport': 'pipe' },
  local: {},
};

const MAX_ID_CHARS = 64;

/** Wraps `answer` so that each request has a span. */
export function traceAnswers(options: RequestSpanOptions, answer: Answer): Answer {
  return (message, sender) => {
    const span = openSpan(options, message, sender);
    const reply = span.run(() => answer({ ...message, span }, sender));
    if (reply instanceof Promise) return reply.then((late) => conclude(span, late, sender));
    return conclude(span, reply, sender);
  };
}

function openSpan(
  { tracing, registry, prompts, profile }: RequestSpanOptions,
  message: RequestMessage,
  sender: Sender,
) {
  const { id, params } = message;
  const { transport, remote, headers } = sender;
  const method = METHODS.has(message.method) ? message.method : '_OTHER';
  const name = typeof params?.name === 'string' ? params.name : '';
  const tool = method === 'tools/call' && registry.tools.has(name) ? name : undefined;
  const prompt = method === 'prompts/get' && prompts.has(name) ? name : undefined;
  const target = tool ?? prompt;
  const attributes: Attributes = {
    'mcp.method.name': method,
    'mcp.protocol.version': versionFor(message, sender),
    'jsonrpc.request.id': String(id).slice(0, MAX_ID_CHARS),
    ...(tool !== undefined && { 'gen_ai.tool.name': tool }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(prompt !== undefined && { 'gen_ai.prompt.name': prompt }),
    ...NETWORK[transport],
    ...(transport === 'http' && { 'http.route': profile === '' ? '/mcp' : `/mcp/${profile}` }),
    ...(remote !== undefined && { 'client.address': remote }),
    ...(profile !== '' && { 'landbridge.profile': profile }),
  };
  return tracing.open(target === undefined ? method : `${method} ${target}`, attributes, {
    meta: parseTrace(params?._meta as Readonly<Record<string, unknown>> | undefined),
    headers: parseTrace(headers),
  });
}

function versionFor({ method, params }: RequestMessage, sender: Sender): string {
  if (claimsModern(params)) return MODERN_VERSION;
  return method === 'initialize' ? negotiate(params?.protocolVersion) : versionOf(sender);
}

function conclude(span: CallSpan, reply: Reply | undefined, { transport }: Sender): Reply | undefined {
  if (transport === 'http') span.set('http.response.status_code', reply?.status ?? 202);
  if (reply?.error !== undefined) {
    const code = String(reply.errorCode);
    span.set('rpc.response.status_code', code);
    if (isOwnFault(reply.error)) span.fail(code);
  }
  span.end();
  return reply;
}

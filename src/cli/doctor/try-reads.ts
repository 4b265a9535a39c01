// doctor --online, the network part: checks that every API can be reached, then calls reads through a gateway that refuses
// everything else.

import { randomBytes } from 'node:crypto';
import { isPerCaller } from '../../credentials/caller-need.ts';
import { isTokenCredential } from '../../credentials/proof.ts';
import { collectSecrets } from '../../credentials/secrets.ts';
import { AccessTokenCache } from '../../credentials/tokens/access-token-cache.ts';
import type { Finding } from '../../doctor/finding.ts';
import { checkReads } from '../../doctor/online/check-reads.ts';
import type { ReadAnswer } from '../../doctor/online/prove-credentials.ts';
import { withFields } from '../../domain/curation/copy-endpoint.ts';
import { originOf } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import { type Args, DEFAULT_ENDPOINT_LIMITS, type Endpoint, type UpstreamConnection } from '../../endpoint/model.ts';
import { createRedactor } from '../../endpoint/redaction/redact.ts';
import { parseJson } from '../../endpoint/untrusted.ts';
import { GatewayError, NoTokenError, ToolError } from '../../errors.ts';
import { createSender, type RawResponse } from '../../executor/send.ts';
import { createTokenClient } from '../../executor/token-client.ts';
import { explainFailure } from '../../executor/unreachable.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../gateway.ts';
import { dial, planRoute } from '../../network/dial.ts';
import type { ProxyRules } from '../../network/proxy-rules.ts';
import { withoutExposure } from '../../service-plan.ts';

export interface OnlineReport {
  readonly findings: readonly Finding[];
  /** Reads that were called. */
  readonly calls: number;
  /** The domains of which no read was called. */
  readonly untestedDomains: readonly string[];
}

const CONNECT_MS = 5_000;
export const MAX_CALLS = 40;
/** Larger answers are not compared. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/** The gateway's settings that decide how an API is called. */
interface CallSettings extends Pick<GatewayOptions, 'assertions'> {
  readonly proxies: ProxyRules;
}

export async function tryReads({ domains }: Gateway, settings: CallSettings): Promise<OnlineReport> {
  const { proxies } = settings;
  const unreachable = await findUnreachable(domains, proxies);
  const reachable = domains.map(withoutExposure).map((domain) => ({
    ...domain,
    endpoints: domain.endpoints.filter((endpoint) => !unreachable.has(wayOf(endpoint))),
  }));
  const reader = createReader(reachable, settings);
  /** Calls with other credentials, through a separate gateway, so that none of them is remembered. */
  const callAs = async (endpoint: Endpoint, args: Args, security: Endpoint['security']) => {
    const domain = reachable.find(({ name }) => name === endpoint.domain)!;
    const copy = withFields(endpoint, { security });
    const alone = { ...domain, endpoints: [copy], pinned: [], prompts: [], resources: [] };
    const other = createReader([alone], settings);
    try {
      return await other.call(endpoint.toolName, args);
    } finally {
      await other.close();
    }
  };
  try {
    const { findings, calls, calledDomains } = await checkReads(reader.operations, {
      call: reader.call,
      callAs,
      issue: (credential, endpoint) => issueToken(credential, endpoint, domains, proxies),
      maxCalls: MAX_CALLS,
    });
    const untestedDomains = domains.map(({ name }) => name).filter((name) => !calledDomains.has(name));
    return { findings: [...unreachable.values(), ...findings], calls, untestedDomains };
  } finally {
    await reader.close();
  }
}

/** A gateway that only allows reads, and shows answers unchanged. */
function createReader(domains: Gateway['domains'], settings: CallSettings) {
  const last: { raw?: RawResponse | undefined; error?: unknown } = {};
  const gateway = createGateway({
    ...settings,
    domains,
    exposure: 'tools',
    policy: { readOnly: true },
    onAnswer: (answer) => {
      last.raw = { ...answer, body: Buffer.from(answer.body) };
      return undefined;
    },
    middleware: [
      async (_context, _args, next) => {
        try {
          return await next();
        } catch (error) {
          last.error = error;
          throw error;
        }
      },
    ],
  });
  // One call at a time: this keeps the load low, and `last` belongs to the call that is running.
  const call = async (name: string, args: Args): Promise<ReadAnswer> => {
    last.raw = undefined;
    last.error = undefined;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const reply = JSON.parse((await gateway.handle(message))?.body ?? '{}') as Reply;
    const text = reply.result?.content?.[0]?.text ?? reply.error?.message ?? '';
    const { raw, error } = last as { readonly raw?: RawResponse; readonly error?: unknown };
    const { tool, failure_mode: mode } = reply.result?.structuredContent ?? {};
    const isUnproven = mode === 'missing_credential' || error instanceof NoTokenError;
    if (raw === undefined) return { status: undefined, text, tool, isUnproven };
    const isOk = raw.status < 300 && raw.cut === undefined;
    return { status: raw.status, text, ...(isOk && valueIn(raw)) };
  };
  return { call, operations: gateway.registry.operations, close: () => gateway.close() };
}

/** Fetches a token without calling the API; returns what went wrong. */
async function issueToken(
  credential: Credential,
  { connection, baseUrl, toolName: tool }: Endpoint,
  domains: Gateway['domains'],
  proxies: ProxyRules,
): Promise<string | undefined> {
  if (!isTokenCredential(credential)) return undefined;
  // A made-up token: if the server refuses it, it has accepted our client first.
  const callerToken = isPerCaller(credential)
    ? { key: '', token: randomBytes(24).toString('hex'), expiresAtMs: undefined }
    : undefined;
  const sender = createSender({ proxies });
  const tokens = new AccessTokenCache(
    createTokenClient(sender.send, createRedactor(collectSecrets(domains)), 'landbridge'),
  );
  try {
    await tokens.fetch({
      credential,
      tool,
      apiOrigin: originOf(baseUrl) ?? '',
      connection,
      ...(callerToken && { callerToken }),
    });
    return undefined;
  } catch (error) {
    const { status, variables } = error instanceof GatewayError ? error.details : {};
    const isAboutSubject =
      callerToken !== undefined && status === 400 && Array.isArray(variables) && variables.length === 0;
    if (isAboutSubject) return undefined;
    return error instanceof ToolError ? error.why : (error as Error).message;
  } finally {
    await sender.close();
  }
}

interface Reply {
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[];
    readonly structuredContent?: { readonly failure_mode?: string; readonly tool?: string };
  };
  readonly error?: { readonly message?: string };
}

function valueIn({ headers, body }: RawResponse): { readonly value?: unknown } {
  if (!/json/i.test(String(headers['content-type'])) || body.length > MAX_COMPARED_BYTES) return {};
  return { value: parseJson(body.toString('utf8')) };
}

/** Origin and connection: each combination is tried once, since an API may refuse one client certificate and accept another. */
function wayOf({ baseUrl, connection }: Pick<Endpoint, 'baseUrl' | 'connection'>): string {
  return `${originOf(baseUrl)} ${JSON.stringify(connection ?? null)}`;
}

/** The APIs that cannot be reached. */
async function findUnreachable(
  domains: Gateway['domains'],
  proxies: ProxyRules,
): Promise<ReadonlyMap<string, Finding>> {
  const ways = new Map<string, { readonly endpoint: Endpoint; readonly where: string }>();
  for (const { name, endpoints } of domains)
    for (const endpoint of endpoints) if (endpoint.baseUrl !== '') ways.set(wayOf(endpoint), { endpoint, where: name });
  const unreachable = new Map<string, Finding>();
  const attempts = [...ways].map(async ([way, { endpoint, where }]) => {
    const origin = originOf(endpoint.baseUrl)!;
    const problem = await tryConnect(origin, endpoint.connection, proxies);
    if (problem === undefined) return;
    const message = `${origin} cannot be reached: ${problem}`;
    const fix = 'check the base URL and the network, tls and proxy in the domain file';
    unreachable.set(way, { severity: 'error', check: 'base_url', where, message, fix });
  });
  await Promise.all(attempts);
  return unreachable;
}

/** Why an origin cannot be reached, in the words of a failed call. */
async function tryConnect(
  origin: string,
  connection: UpstreamConnection | undefined,
  proxies: ProxyRules,
): Promise<string | undefined> {
  const way = planRoute(origin, { connection, proxies, timeoutMs: CONNECT_MS });
  // Plain HTTP goes through the proxy without a tunnel, and the proxy may not allow one. The first read will show whether it
  // works.
  if (way.proxy !== undefined && origin.startsWith('http:')) return undefined;
  try {
    const socket = await dial(way);
    socket.destroy();
    return undefined;
  } catch (error) {
    const request = {
      method: 'GET',
      origin,
      path: '/',
      url: origin,
      headers: {},
      body: null,
      limits: DEFAULT_ENDPOINT_LIMITS,
    };
    const { why } = explainFailure(error as Error, { ...request, isRead: true, connection }, origin, false);
    return why.split('\n', 1)[0];
  }
}

// A gateway over a real API on loopback that lets in only who has a token: put together as `landbridge serve` does it.
import { openIssuers } from '../../src/cli/serve/issuers.ts';
import type { Config } from '../../src/config/read-config.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { createIdentify } from '../../src/identity/identify.ts';
import { createLog } from '../../src/log.ts';
import { createRefusals } from '../../src/transport/refusals.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { type HttpAnswer, headersOf, legacy, modern, post } from './mcp.ts';
import { petsDomain } from './pets.ts';
import { startUpstream, type Upstream } from './upstream.ts';

type OAuth = NonNullable<NonNullable<Config['auth']>['oauth']>;

export interface ProtectedGateway {
  readonly url: string;
  readonly upstream: Upstream;
  /** What the operator reads. */
  readonly lines: string[];
  urlOf(profile: string): string;
  /** A call of both eras with this token; the answers. */
  call(token: string | undefined, options?: CallOptions): Promise<readonly [modern: HttpAnswer, legacy: HttpAnswer]>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly profile?: string;
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

export async function startProtected(
  oauth: OAuth,
  options: Pick<GatewayOptions, 'exposure' | 'profiles' | 'policy'> & {
    readonly env?: Record<string, string>;
    readonly publicUrl?: string;
    readonly allowedOrigins?: readonly string[];
    /** What is served of the API at this address; pets by default. */
    readonly domainOf?: (url: string) => Domain;
  } = {},
): Promise<ProtectedGateway> {
  const { env = {}, publicUrl, allowedOrigins = [], domainOf = petsDomain, ...more } = options;
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const issuers = openIssuers({ host: '127.0.0.1', publicUrl, env }, { oauth }, Object.keys(options.profiles ?? {}));
  const upstream = await startUpstream();
  const gateway = createGateway({
    domains: [domainOf(upstream.url)],
    exposure: 'tools',
    isPrivate: true,
    log,
    ...more,
  });
  const server = await serveHttp(gateway, {
    port: 0,
    allowedOrigins,
    refusals: createRefusals((facts, message) => log.warn(facts, message)),
    identify: createIdentify({
      authorities: [issuers.authority],
      challenge: (profile, error) => issuers.resource.challenge(profile, error && { error }),
    }),
    publicDocument: issuers.resource.documentAt,
  });
  issuers.start(log, `http://127.0.0.1:${server.port}`);
  const base = `http://127.0.0.1:${server.port}/mcp`;
  const urlOf = (profile: string) => (profile === '' ? base : `${base}/${profile}`);
  return {
    url: base,
    upstream,
    lines,
    urlOf,
    async call(token, { profile = '', tool = 'pets_list', args = {}, headers = {} } = {}) {
      const bearer: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const params = { name: tool, arguments: args };
      const message = modern(1, 'tools/call', params);
      const send = (body: unknown, own: Record<string, string>) =>
        post(urlOf(profile), JSON.stringify(body), { ...bearer, ...own, ...headers });
      return [
        await send(message, headersOf(message)),
        await send(legacy(1, 'tools/call', params), { 'mcp-protocol-version': '2025-11-25' }),
      ];
    },
    async close() {
      await server.close(0);
      await issuers.close();
      await gateway.close();
      await upstream.close();
    },
  };
}

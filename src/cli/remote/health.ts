// landbridge health: whether a running gateway is alive and accepts calls, for container engines, scripts and people.

import { request as askHttp } from 'node:http';
import { request as askHttps } from 'node:https';
import { type Config, type Flags, readConfig } from '../../config/read-config.ts';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import { parseJsonObject } from '../../endpoint/untrusted.ts';
import { GatewayError, usageError } from '../../errors.ts';
import { isUnknownAuthority } from '../../executor/tls-failure.ts';
import type { Io } from '../io.ts';
import { readGatewayUrl } from './remote-gateway.ts';

export interface HealthFlags extends Flags {
  readonly url?: string;
  readonly live?: boolean;
}

interface Target {
  readonly url: URL;
  /** Whether it is the gateway of these settings. It is called by its address, although its certificate has its public name. */
  readonly isOwn: boolean;
}

interface Answer {
  readonly isWell: boolean;
  /** `ready`, `draining`, `calls cannot be recorded` … in the gateway's words. */
  readonly status: string;
  readonly state?: unknown;
}

const TIMEOUT_MS = 4_000;
const MAX_BYTES = 64 * 1024;

export async function runHealth({ stdout, env }: Io, flags: HealthFlags): Promise<number> {
  const path = flags.live ? 'healthz' : 'readyz';
  const target = flags.url === undefined ? ownTarget(readConfig(flags, env), path) : toTarget(flags.url, path);
  const answer = await requestHealth(target);
  const { isWell, status, state } = answer;
  if (flags.json) stdout.write(`${JSON.stringify({ url: showUrl(target.url), ...answer })}\n`);
  else stdout.write(`${status}${state === 'degraded' ? ' (shared state is down)' : ''}\n`);
  return isWell ? 0 : 1;
}

/** `https://example.com/tools/mcp` → `https://example.com/tools/readyz` */
function toTarget(text: string, path: string): Target {
  const url = new URL(readGatewayUrl(text, undefined));
  url.pathname = url.pathname.replace(/\/(?:mcp(?:\/[^/]*)?)?$/, '');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  url.search = '';
  return { url, isOwn: false };
}

function ownTarget({ http, port, host, tls }: Config, path: string): Target {
  if (!http || port === 0)
    throw usageError(
      'These settings have no fixed HTTP port. Give the address of the gateway with --url http://127.0.0.1:3333.',
    );
  // The wildcard address cannot be called; the loopback address is called instead.
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return { url: new URL(`http${tls ? 's' : ''}://${address}:${port}/${path}`), isOwn: true };
}

function requestHealth({ url, isOwn }: Target): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(toUnreachable(url, error));
    const options = { agent: false, timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const send = url.protocol === 'https:' ? askHttps : askHttp;
    const request = send(url, { ...options, ...(isOwn && { rejectUnauthorized: false }) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BYTES) response.destroy(new Error('the answer is too long'));
      });
      response.on('error', fail);
      response.on('end', () => {
        const answer = toAnswer(response.statusCode ?? 0, text);
        if (answer) resolve(answer);
        else reject(toForeignAnswer(url, response.statusCode ?? 0));
      });
    });
    request.on('error', fail);
    request.end();
  });
}

/** Undefined if no gateway answers like this. */
function toAnswer(code: number, text: string): Answer | undefined {
  const body = parseJsonObject(text);
  if (typeof body?.status !== 'string') return undefined;
  const status = escapeHiddenCharacters(body.status);
  return { isWell: code === 200, status, ...(body.state !== undefined && { state: body.state }) };
}

function toForeignAnswer(url: URL, code: number): GatewayError {
  return new GatewayError(
    'BAD_CONFIG',
    `${showUrl(url)} answered ${code}, but not as a gateway does. Check which program listens at this address.`,
  );
}

/** Without the password that a URL may hold. */
function showUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function toUnreachable(url: URL, error: Error & { code?: string }): GatewayError {
  if (isUnknownAuthority(error.code ?? ''))
    return new GatewayError(
      'BAD_CONFIG',
      `Cannot reach ${url.origin}: its certificate is not trusted (${error.code}). If it is your own, set NODE_EXTRA_CA_CERTS=ca.pem, a file with the certificate of its authority.`,
      {},
      error,
    );
  const why = error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer in time' : error.code;
  return new GatewayError(
    'BAD_CONFIG',
    `Cannot reach ${url.origin} (${why ?? escapeHiddenCharacters(error.message)}). Check that the gateway is running at this address.`,
    {},
    error,
  );
}

// The two eras of MCP, and which one a message belongs to.
//   modern  2026-07-28: stateless; every request carries its version and capabilities in `_meta`
//   legacy  2025-11-25 and older: `initialize` first
import { isObject } from '../endpoint/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { Sender } from './sender.ts';
import type { MessageParams } from './wire/jsonrpc.ts';

/**
 * The newest revision of MCP that the gateway supports.
 *
 * ```ts
 * console.assert(PROTOCOL_VERSION === '2026-07-28');
 * ```
 */
export const MODERN_VERSION = '2026-07-28';
/** Newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];
export type Version = typeof MODERN_VERSION | LegacyVersion;

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The capabilities of 2026-07-28; a client may declare others. */
const CAPABILITIES = ['elicitation', 'sampling', 'roots', 'experimental', 'extensions'];

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The `_meta` of a modern request. */
export interface Envelope {
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A message with a version in `_meta`, however malformed, is never served as legacy (S:basic/versioning). */
export function claimsModern(params: MessageParams | undefined): boolean {
  const meta = params?._meta;
  return typeof meta === 'object' && meta !== null && META.version in meta;
}

export function parseEnvelope(params: MessageParams | undefined): Envelope {
  const meta = params?._meta as Record<string, unknown>;
  const version = meta[META.version];
  if (typeof version !== 'string') throw malformed(META.version, 'a string');
  const capabilities = meta[META.capabilities];
  if (!isObject(capabilities)) throw malformed(META.capabilities, 'an object (it may be empty)');
  for (const name of CAPABILITIES) {
    const capability = capabilities[name];
    if (capability !== undefined && !isObject(capability))
      throw malformed(META.capabilities, `an object whose ${name} is one`);
  }
  const info = meta[META.clientInfo];
  if (info !== undefined && !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')) {
    throw malformed(META.clientInfo, 'an object with name and version');
  }
  const level = meta[META.logLevel];
  if (level !== undefined && !LOG_LEVELS.includes(level as string)) {
    throw malformed(META.logLevel, `one of ${LOG_LEVELS.join(', ')}`);
  }
  const token = meta.progressToken;
  if (token !== undefined && typeof token !== 'string' && !Number.isInteger(token)) {
    throw malformed('progressToken', 'a string or an integer');
  }
  return { version, capabilities, meta };
}

/** The name and version of a client, limited in length for log lines. */
export function clientInfoOf(info: unknown): { readonly name: string; readonly version: string } | undefined {
  if (!isObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return undefined;
  return { name: info.name.slice(0, 100), version: info.version.slice(0, 100) };
}

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return (LEGACY_VERSIONS as readonly unknown[]).includes(version);
}

/** The requested version if it is supported; else the newest one that has `initialize`. */
export function negotiate(version: unknown): LegacyVersion {
  return isLegacyVersion(version) ? version : LEGACY_VERSIONS[0];
}

/** The revision of a legacy message. HTTP clients without the header are treated as 2025-03-26 (2025-11-25, basic/transports). */
export function versionOf({ session, headers }: Pick<Sender, 'session' | 'headers'>): LegacyVersion {
  if (session) return session.version ?? LEGACY_VERSIONS[0];
  const header = headers?.['mcp-protocol-version'];
  return isLegacyVersion(header) ? header : headers ? '2025-03-26' : LEGACY_VERSIONS[0];
}

const DATED = /^\d{4}-\d{2}-\d{2}$/;

/** Whether an MCP-Protocol-Version header names a revision of the stateless era, known or not. */
export function isModernHeader(version: unknown): version is string {
  return typeof version === 'string' && DATED.test(version) && version >= MODERN_VERSION;
}

export function isLogLevel(level: unknown): level is string {
  return LOG_LEVELS.includes(level as string);
}

/** Whether a log level is at least as severe as another. */
export function isAtLeast(level: string, minLevel: string): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minLevel);
}

function malformed(key: string, expectation: string): GatewayError {
  return new GatewayError('INVALID_ENVELOPE', `Invalid _meta: "${key}" must be ${expectation}.`);
}

// Where MCP is served: /mcp, and /mcp/<name> for every profile, below the base path under which clients reach the gateway behind a
// proxy, such as `/tools` of https://example.com/tools/mcp. Some proxies strip the base path from the requests they forward, others
// keep it: both are accepted.
import type { IncomingMessage } from 'node:http';
import { trimEnd } from '../endpoint/plain-text.ts';

/** '' for /mcp, the name for /mcp/<name>, undefined for any other path. */
export type ProfileName = string | undefined;

export function profileOf(url: string): ProfileName {
  const path = pathOf(url);
  if (path === '/mcp' || path === '/mcp/') return '';
  if (!path.startsWith('/mcp/')) return undefined;
  const name = path.slice(5);
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name) ? name : undefined;
}

/** For logs: the path if it could be one of ours, so that no other text of a client gets there. */
export function mcpPathOf(url: string): string | undefined {
  const profile = profileOf(url);
  return profile === undefined ? undefined : pathOfProfile(profile);
}

function pathOfProfile(profile: string): string {
  return profile === '' ? '/mcp' : `/mcp/${profile}`;
}

/** Whether the path is /mcp or below it, even if there is no such profile. */
export function isMcp(url: string): boolean {
  const path = pathOf(url);
  return path === '/mcp' || path.startsWith('/mcp/');
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The message for a path where nothing is served. `profiles`: those that the caller may use, if not all. */
export function nothingAt(url: string, basePath: string, profiles: readonly string[] = ['']): string {
  const paths = profiles.map((profile) => basePath + pathOfProfile(profile)).join(', ');
  const where = paths === '' ? '' : ` MCP is served at POST ${paths}.`;
  return `There is nothing at ${pathOf(url).slice(0, 200)}.${where}`;
}

export interface BasePathOptions {
  /** The path that a proxy leaves at the beginning of the URLs of requests. Default: the path of `publicUrl`. */
  readonly basePath?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/** A request whose base path may have been stripped; express uses `originalUrl` as well. */
interface StrippedRequest extends IncomingMessage {
  /** The URL as it was sent, if it was changed. */
  originalUrl?: string;
}

/** The prefix of the paths that clients see: '' or `/tools`. */
export function publicBasePath({ basePath, publicUrl }: BasePathOptions): string {
  return trimEnd(publicUrl === undefined ? (basePath ?? '') : new URL(publicUrl).pathname, '/');
}

/** Strips the base path from the URL of a request. Only once: /tools/tools/mcp is not served. */
export function createBasePathStripper(options: BasePathOptions): ((request: StrippedRequest) => void) | undefined {
  const paths = [...new Set([trimEnd(options.basePath ?? '', '/'), publicBasePath(options)])].filter(
    (path) => path !== '',
  );
  if (paths.length === 0) return undefined;
  return (request) => {
    const { url = '' } = request;
    // A path that is served stays unchanged, whatever the base path is.
    if (profileOf(url) !== undefined) return;
    for (const path of paths) {
      if (!url.startsWith(path)) continue;
      const rest = url.slice(path.length);
      if (rest !== '' && !rest.startsWith('/') && !rest.startsWith('?')) continue;
      request.originalUrl = url;
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
      return;
    }
  };
}

/** The URL as the client sent it. */
export function originalUrlOf({ originalUrl, url = '' }: StrippedRequest): string {
  return originalUrl ?? url;
}

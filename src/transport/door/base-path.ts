// The path under which clients reach the gateway behind a proxy: `/tools` of https://example.com/tools/mcp. Some proxies strip it
// from the requests they forward, others keep it: both are accepted here.
import type { IncomingMessage } from 'node:http';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { profileOf } from '../mcp-path.ts';

export interface BasePathOptions {
  /** What a proxy leaves in front of the paths of requests. Default: the path of `publicUrl`. */
  readonly basePath?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/** A request whose URL may have lost its beginning; express knows the name as well. */
export interface ArrivedRequest extends IncomingMessage {
  /** As it was sent, where that is another. */
  originalUrl?: string;
}

/** What stands in front of the paths that clients are told: '' or `/tools`. */
export function basePathOf({ basePath, publicUrl }: BasePathOptions): string {
  return trimEnd(publicUrl === undefined ? (basePath ?? '') : new URL(publicUrl).pathname, '/');
}

/** Strips the base path from the URL of a request, if it has it. Only once: /tools/tools/mcp is not served. */
export function createBasePathStripper(options: BasePathOptions): ((request: ArrivedRequest) => void) | undefined {
  const paths = [...new Set([trimEnd(options.basePath ?? '', '/'), basePathOf(options)])].filter((path) => path !== '');
  if (paths.length === 0) return undefined;
  return (request) => {
    const { url = '' } = request;
    // A path that is served as it is stays unchanged, whatever the base path is.
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

/** As the client wrote it. */
export function sentUrlOf({ originalUrl, url = '' }: ArrivedRequest): string {
  return originalUrl ?? url;
}

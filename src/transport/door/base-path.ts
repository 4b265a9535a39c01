// The path under which clients reach the gateway behind a proxy: `/tools` of https://example.com/tools/mcp. Some proxies take it
// off before they pass a request on, others keep it: both spellings are the same here.
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

/** Takes the beginning off the URL of a request, where it has it. Once: /tools/tools/mcp is no place of ours. */
export function createBasePathStripper(options: BasePathOptions): ((request: ArrivedRequest) => void) | undefined {
  const paths = [...new Set([trimEnd(options.basePath ?? '', '/'), basePathOf(options)])].filter((path) => path !== '');
  if (paths.length === 0) return undefined;
  return (request) => {
    const { url = '' } = request;
    // What is ours as it is stays so, whatever the beginning is called.
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

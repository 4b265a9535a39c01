// Where MCP is served: /mcp, and /mcp/<name> for every profile.

/** '' for /mcp, the name for /mcp/<name>, undefined for any other path. */
export type ProfileName = string | undefined;

export function profileOf(url: string): ProfileName {
  const path = pathOf(url);
  if (path === '/mcp' || path === '/mcp/') return '';
  if (!path.startsWith('/mcp/')) return undefined;
  const name = path.slice(5);
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name) ? name : undefined;
}

/** Whether this is at /mcp or below it, be there a profile or not. */
export function isMcp(url: string): boolean {
  const path = pathOf(url);
  return path === '/mcp' || path.startsWith('/mcp/');
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

export function nothingAt(url: string): string {
  return `There is nothing at ${pathOf(url).slice(0, 200)}. MCP is served at POST /mcp.`;
}

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

/** For logs: a path that could be one of ours, and nothing else that a client wrote. */
export function mcpPathOf(url: string): string | undefined {
  const profile = profileOf(url);
  return profile === undefined ? undefined : endpointOf(profile);
}

function endpointOf(profile: string): string {
  return profile === '' ? '/mcp' : `/mcp/${profile}`;
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

/** `base`: what clients write before it. `profiles`: those that the caller may use, where these are not all. */
export function nothingAt(url: string, base: string, profiles: readonly string[] = ['']): string {
  const paths = profiles.map((profile) => base + endpointOf(profile)).join(', ');
  const where = paths === '' ? '' : ` MCP is served at POST ${paths}.`;
  return `There is nothing at ${pathOf(url).slice(0, 200)}.${where}`;
}

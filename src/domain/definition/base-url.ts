// The base URL of a domain or endpoint: the operator's, the endpoint's own, or the file's; embedded APIs by their address.
import {
  type BaseUrl,
  type Environment,
  embeddedName,
  type ResolvedUrl,
  resolveBaseUrl,
} from '../../endpoint/environment.ts';

export interface BaseUrlOptions {
  readonly env: Environment;
  /** Replaces the base URLs of the file (`--base-url`). */
  readonly baseUrl?: string;
  /** URL of an API that runs inside this process, by the name in `embedded:name`. */
  readonly embedded?: (name: string) => string | undefined;
}

/** The first of these base URLs that is set, or what is wrong with it; undefined if none is. */
export function readBaseUrl(
  bases: readonly (BaseUrl | undefined)[],
  { env, baseUrl, embedded }: BaseUrlOptions,
): ResolvedUrl | { problem: string } | undefined {
  const base = [baseUrl, ...bases].find((candidate) => candidate !== undefined);
  if (base === undefined) return undefined;
  const resolution = resolveBaseUrl(base, env);
  const name = 'url' in resolution ? embeddedName(resolution.url) : undefined;
  if (name === undefined) return resolution;
  const url = embedded?.(name);
  if (url !== undefined) return { url: url.replace(/\/$/, ''), isRoot: true };
  const fix = typeof base === 'object' ? `set ${base.env}` : 'give a real URL';
  return { problem: `names the embedded API "${name}", which is not running here; ${fix}` };
}

// Subsets of a catalog: what a profile serves.
import type { Domain, Effect, Endpoint } from '../endpoint/model.ts';
import { toToolName } from '../endpoint/names.ts';

export interface Selection {
  /** Only these domains. */
  readonly domains?: readonly string[] | undefined;
  /** Only endpoints with one of these tags: `issues` of any domain, or `github.issues` of one. */
  readonly tags?: readonly string[] | undefined;
  /** None with one of these tags; stronger than `tags`. */
  readonly excludeTags?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
}

/** Domains that keep nothing are left out, with their prompts and resources. */
export function selectEndpoints(domains: readonly Domain[], selection: Selection): readonly Domain[] {
  const { domains: names, tags, excludeTags, effects } = selection;
  const keep = (endpoint: Endpoint) =>
    (effects?.includes(endpoint.effect) ?? true) &&
    (tags?.some((tag) => hasTag(endpoint, tag)) ?? true) &&
    !excludeTags?.some((tag) => hasTag(endpoint, tag));
  return domains
    .filter(({ name }) => names?.includes(name) ?? true)
    .map((domain) => Object.freeze({ ...domain, endpoints: Object.freeze(domain.endpoints.filter(keep)) }))
    .filter(({ endpoints }) => endpoints.length > 0);
}

/** A tag as the document spells it, as its group is called, or with its domain in front. */
function hasTag({ domain, tags }: Endpoint, wanted: string): boolean {
  return tags.some((tag) => {
    const group = toToolName(tag);
    return [tag, group, `${domain}.${tag}`, `${domain}.${group}`].includes(wanted);
  });
}

// Which prompts remain if only a part of a catalog is served: those that refer to nothing outside of that part.
import type { Domain, PromptSpec } from '../../endpoint/model.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import type { Registry } from '../registry.ts';
import type { CatalogOperation } from '../tree.ts';
import { fill } from './prompt-text.ts';
import { findResource, type ResourceTable } from './resources.ts';

interface Catalog {
  readonly registry: Pick<Registry, 'operations'>;
  readonly resources: ResourceTable;
}

/** The domains of a part, without prompts that embed a resource or name an operation which only the whole catalog has. */
export function selectPrompts(domains: readonly Domain[], part: Catalog, whole: Catalog): readonly Domain[] {
  if (domains.every(({ prompts }) => prompts.length === 0)) return domains;
  const partNames = new Set(part.registry.operations.flatMap(distinctNamesOf));
  const hidden = new Set(whole.registry.operations.flatMap(distinctNamesOf).filter((name) => !partNames.has(name)));
  const isLost = (uri: string) =>
    findResource(part.resources, uri) === undefined && findResource(whole.resources, uri) !== undefined;
  return domains.map((domain) => {
    const prompts = domain.prompts.filter((prompt) => !urisOf(prompt).some(isLost) && !names(prompt, hidden));
    return prompts.length === domain.prompts.length ? domain : Object.freeze({ ...domain, prompts });
  });
}

/** Names that do not occur in a text by chance: `shop_delete_order`, `shop.orders.delete`, `deleteOrder`, but not `delete`. */
function distinctNamesOf({ name, endpoint, qualifiedNames }: CatalogOperation): string[] {
  const names = [name, endpoint.id, ...qualifiedNames, endpoint.source.operationId ?? ''];
  return names.filter((one) => /[a-z0-9](?:[_.]|(?=[A-Z]))/.test(one));
}

/** The URIs that a prompt embeds. Arguments in them get any value: it only matters which template matches. */
function urisOf({ messages, arguments: args }: PromptSpec): string[] {
  const values = Object.fromEntries(args.map(({ name, values: [first = '1'] = [] }) => [name, first]));
  return messages.flatMap(({ resource }) => (resource === undefined ? [] : [fill(resource, values)]));
}

function names(prompt: PromptSpec, hidden: ReadonlySet<string>): boolean {
  if (hidden.size === 0) return false;
  const { title = '', description = '', messages, arguments: args } = prompt;
  const texts = [title, description, ...messages.map(({ text = '' }) => text)];
  const words = [...texts, ...args.map((one) => one.description ?? '')].flatMap((text) => text.match(/[\w.]+/g) ?? []);
  return words.some((word) => hidden.has(trimEnd(word, '.')));
}

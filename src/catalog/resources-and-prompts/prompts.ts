// Prompts: templates in domain files, in which `{{argument}}` is replaced and resources are embedded, or native functions; and which
// prompts a part of a catalog has.
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Content, Outcome } from '../../call/outcome.ts';
import type { Args, Domain, PromptSpec } from '../../endpoint/model.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { didYouMean } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import { PromptConverter } from '../../model/converters.ts';
import { Prompt, PromptArgument } from '../../model/prompt.ts';
import type { WirePrompt } from '../../model/wire.ts';
import { indexEntries } from '../maps.ts';
import type { Registry } from '../registry.ts';
import type { CatalogOperation } from '../tree.ts';
import { fillPlaceholders, fillPrompt } from './prompt-text.ts';
import { findResource, type ReadOutcome, type ResourceTable } from './resources.ts';

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Content;
}

/** The result of `prompts/get`. */
export interface PromptOutcome {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly inputRequired?: Outcome['inputRequired'];
}

/** A prompt as code registers it, defined as MCP 2026-07-28 lists it; a gateway serves the same with the model's Prompt. */
export interface PromptEntry<Definition = WirePrompt> {
  readonly definition: Definition;
  readonly get: (context: ExecutionContext, args: Args) => Promise<PromptOutcome>;
  /** Values to complete an argument with. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

export type PromptTable = ReadonlyMap<string, PromptEntry<Prompt>>;

/** Reads a resource by URI, so that a prompt can embed it. */
export type ReadResource = (context: ExecutionContext, uri: string) => Promise<ReadOutcome>;

export function buildPromptTable(
  domains: readonly Domain[],
  readResource: ReadResource,
  native: readonly PromptEntry[] = [],
): PromptTable {
  const ofDomains = domains.flatMap(({ prompts }) => prompts.map((spec) => toEntry(spec, readResource)));
  return indexEntries(
    [...ofDomains, ...native.map(toModelPrompt)],
    ({ definition }) => definition.name,
    (name) => new GatewayError('BAD_CONFIG', `Two prompts are called "${name}"; rename one of them.`),
  );
}

/** Resources that prompts of these domains embed and that do not exist: using such a prompt would fail. */
export function listMissingResources(domains: readonly Domain[], table: ResourceTable): string[] {
  const uris = [...table.resources.keys()];
  const messages = domains.flatMap(({ prompts }) => prompts.flatMap((prompt) => prompt.messages));
  return messages.flatMap(({ resource, place = 'prompts' }) => {
    if (resource === undefined || resource.includes('{{') || findResource(table, resource)) return [];
    const fix = didYouMean(resource, uris, 'declare it under resources, or write text');
    return [`${place}: there is no resource "${resource}"; ${fix}`];
  });
}

function toModelPrompt(entry: PromptEntry): PromptEntry<Prompt> {
  return Object.freeze({
    definition: new PromptConverter().convertTo(entry.definition).freeze(),
    values: entry.values,
    get: (context: ExecutionContext, args: Args) => entry.get(context, args),
  });
}

function toEntry(spec: PromptSpec, readResource: ReadResource): PromptEntry<Prompt> {
  const { description } = spec;
  return Object.freeze({
    definition: new Prompt({ ...spec, arguments: spec.arguments.map((one) => new PromptArgument(one)) }).freeze(),
    values: Object.fromEntries(spec.arguments.flatMap(({ name, values }) => (values ? [[name, values]] : []))),
    get: async (context: ExecutionContext, args: Args) => {
      checkArguments(spec, args);
      const messages: PromptMessage[] = [];
      for (const { role, text, resource } of spec.messages) {
        if (text !== undefined) messages.push({ role, content: { type: 'text', text: fillPrompt(text, args) } });
        if (resource === undefined) continue;
        const { contents } = await readResource(context, fillPlaceholders(resource, args));
        for (const item of contents) messages.push({ role, content: { type: 'resource', resource: item } });
      }
      return { ...(description !== undefined && { description }), messages };
    },
  });
}

/** Limits of an error message: the number of problems, and the length of an undeclared name. */
const MAX_PROBLEMS = 12;
const MAX_NAME_CHARS = 100;

function checkArguments(spec: PromptSpec, args: Args): void {
  const specs = new Map(spec.arguments.map((argument) => [argument.name, argument]));
  const missing = spec.arguments.filter(
    ({ name, required }) => required && (args[name] === undefined || args[name] === ''),
  );
  const problems = [
    ...missing.map(({ name }) => `missing \`${name}\``),
    ...Object.entries(args).flatMap(([key, value]) => {
      const argument = specs.get(key);
      if (!argument) return [`unknown \`${key.slice(0, MAX_NAME_CHARS)}\``];
      if (typeof value !== 'string') return [`\`${key}\` must be a string`];
      const isAllowed = argument.values?.includes(value) ?? true;
      return isAllowed ? [] : [`\`${key}\` must be one of ${argument.values?.join(', ')}`];
    }),
  ];
  if (problems.length === 0) return;
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) problems.splice(MAX_PROBLEMS, more, `and ${more} more`);
  const names = [...specs.keys()].join(', ') || 'none';
  throw new GatewayError(
    'INVALID_PARAMS',
    `Invalid arguments for the prompt ${spec.name}: ${problems.join('; ')}. Its arguments: ${names}.`,
    { prompt: spec.name, errors: problems },
  );
}

interface Catalog {
  readonly registry: Pick<Registry, 'operations'>;
  readonly resources: ResourceTable;
}

/** The domains of a part of a catalog, without prompts that embed a resource or name an operation which only the whole catalog has. */
export function selectPrompts(domains: readonly Domain[], part: Catalog, whole: Catalog): readonly Domain[] {
  if (domains.every(({ prompts }) => prompts.length === 0)) return domains;
  const partNames = new Set(part.registry.operations.flatMap(distinctNamesOf));
  const hidden = new Set(whole.registry.operations.flatMap(distinctNamesOf).filter((name) => !partNames.has(name)));
  const isMissing = (uri: string) =>
    findResource(part.resources, uri) === undefined && findResource(whole.resources, uri) !== undefined;
  return domains.map((domain) => {
    const prompts = domain.prompts.filter((prompt) => !urisOf(prompt).some(isMissing) && !namesHidden(prompt, hidden));
    return prompts.length === domain.prompts.length ? domain : Object.freeze({ ...domain, prompts });
  });
}

/** Names that do not occur in a text by chance: `shop_delete_order`, `shop.orders.delete`, `deleteOrder`, but not `delete`. */
function distinctNamesOf({ name, endpoint, qualifiedNames }: CatalogOperation): string[] {
  const names = [name, endpoint.id, ...qualifiedNames, endpoint.source.operationId ?? ''];
  return names.filter((one) => /[a-z0-9](?:[_.]|(?=[A-Z]))/.test(one));
}

/** The URIs that a prompt embeds. Their arguments get any value, because it only matters which template matches. */
function urisOf({ messages, arguments: args }: PromptSpec): string[] {
  const values = Object.fromEntries(args.map(({ name, values: [first = '1'] = [] }) => [name, first]));
  return messages.flatMap(({ resource }) => (resource === undefined ? [] : [fillPlaceholders(resource, values)]));
}

function namesHidden(prompt: PromptSpec, hidden: ReadonlySet<string>): boolean {
  if (hidden.size === 0) return false;
  const { title = '', description = '', messages, arguments: args } = prompt;
  const texts = [title, description, ...messages.map(({ text = '' }) => text)];
  const words = [...texts, ...args.map((one) => one.description ?? '')].flatMap((text) => text.match(/[\w.]+/g) ?? []);
  return words.some((word) => hidden.has(trimEnd(word, '.')));
}

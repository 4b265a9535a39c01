// The part of a catalog that a profile serves.
import { compileGlob } from '../endpoint/glob.ts';
import type { Domain, Effect, Endpoint } from '../endpoint/model.ts';
import { groupNamesOf, qualifiedNamesOf } from '../endpoint/names.ts';
import type { Problem } from '../endpoint/problems.ts';
import { didYouMean } from '../endpoint/suggest.ts';
import { effectOfHints } from '../orchestration/native-operation.ts';
import type { PromptEntry } from './resources-and-prompts/prompts.ts';
import type { ResourceEntry, TemplateEntry } from './resources-and-prompts/resources.ts';
import type { ToolEntry } from './tool-entry.ts';

/** Names match as a whole; `*` matches any run of characters. */
export interface Selection {
  /** Only these domains. */
  readonly domains?: readonly string[] | undefined;
  /** Only operations of these fully-qualified names: `platform.users.list`, `platform.users.*`, `platform.users`. */
  readonly include?: readonly string[] | undefined;
  /** None of these; overrides every other choice. */
  readonly exclude?: readonly string[] | undefined;
  /** Only endpoints with one of these tags: `issues` of any domain, or `github.issues` of one. */
  readonly tags?: readonly string[] | undefined;
  /** None with one of these tags; overrides `tags`. */
  readonly excludeTags?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
  /** Tools, resources and prompts registered in code: all of them, or those of these names or URIs. Default: none. */
  readonly native?: boolean | readonly string[] | undefined;
}

/** Domains without a selected endpoint are left out, with their prompts and resources. */
export function selectEndpoints(domains: readonly Domain[], selection: Selection): readonly Domain[] {
  const { effects } = selection;
  const isServed = compileNames(selection.domains);
  const isIncluded = compileNames(selection.include?.flatMap(withBelow));
  const isExcluded = compileNames((selection.exclude ?? []).flatMap(withBelow));
  const isTagged = compileNames(selection.tags);
  const hasExcludedTag = compileNames(selection.excludeTags ?? []);
  const isSelected = (endpoint: Endpoint) => {
    const names = [endpoint.id, ...qualifiedNamesOf(endpoint)];
    const tags = [...tagsOf(endpoint), ...names];
    return (
      (effects?.includes(endpoint.effect) ?? true) &&
      names.some(isIncluded) &&
      !names.some(isExcluded) &&
      tags.some(isTagged) &&
      !tags.some(hasExcludedTag)
    );
  };
  return domains
    .filter(({ name }) => isServed(name))
    .map((domain) => withEndpoints(domain, domain.endpoints.filter(isSelected)))
    .filter(({ endpoints }) => endpoints.length > 0);
}

/**
 * A domain's own document describes all of its endpoints. If only some are served, it is dropped, and one is generated from them.
 */
function withEndpoints(domain: Domain, endpoints: readonly Endpoint[]): Domain {
  if (endpoints.length === domain.endpoints.length) return domain;
  const { document: _, ...rest } = domain;
  return Object.freeze({ ...rest, endpoints: Object.freeze(endpoints) });
}

/** A tag as the document spells it, as its group is called, or with its domain in front. */
function tagsOf({ domain, tags }: Endpoint): string[] {
  const all = [...tags, ...groupNamesOf({ tags })];
  return [...all, ...all.map((tag) => `${domain}.${tag}`)];
}

/** A fully-qualified name also stands for everything below it. */
function withBelow(pattern: string): string[] {
  return [pattern, `${pattern}.**`];
}

/** Accepts what one of the patterns matches; everything if `patterns` is undefined. */
function compileNames(patterns: readonly string[] | undefined): (name: string) => boolean {
  const tests = patterns?.map((pattern) => compileGlob(pattern));
  return (name) => tests?.some((test) => test(name)) ?? true;
}

/** What a gateway serves beside its domains. */
export interface NativeCatalog {
  readonly tools?: readonly ToolEntry[];
  readonly resources?: readonly ResourceEntry[];
  readonly templates?: readonly TemplateEntry[];
  readonly prompts?: readonly PromptEntry[];
}

/** The part of what is registered in code that a profile serves; other settings stay as they are. */
export function selectNative<Parts extends NativeCatalog>(
  parts: Parts,
  { native = false, effects }: Selection,
): Partial<Parts> {
  if (native === false) return {};
  const isNamed = compileNames(native === true ? undefined : native);
  const { tools = [], resources = [], templates = [], prompts = [] } = parts;
  // A function for a resource or a prompt counts as a read.
  const mayRead = effects?.includes('read') ?? true;
  const isSelected = (entry: ResourceEntry | TemplateEntry | PromptEntry) => mayRead && namesOf(entry).some(isNamed);
  return {
    ...parts,
    tools: tools.filter(({ tool }) => isNamed(tool.name)).flatMap((entry) => selectEffects(entry, effects) ?? []),
    resources: resources.filter(isSelected),
    templates: templates.filter(isSelected),
    prompts: prompts.filter(isSelected),
  };
}

function selectEffects(entry: ToolEntry, effects: readonly Effect[] | undefined): ToolEntry | undefined {
  if (effects === undefined) return entry;
  if (entry.part) return entry.part(effects);
  const { annotations } = entry.tool;
  const effect = effectOfHints({ readOnly: annotations?.readOnlyHint, destructive: annotations?.destructiveHint });
  return [effect, ...entry.operations.map(({ endpoint }) => endpoint.effect)].every((one) => effects.includes(one))
    ? entry
    : undefined;
}

function namesOf({ definition }: ResourceEntry | TemplateEntry | PromptEntry): string[] {
  if ('uri' in definition) return [definition.name, definition.uri];
  return 'uriTemplate' in definition ? [definition.name, definition.uriTemplate] : [definition.name];
}

interface Catalog {
  readonly domains: readonly Domain[];
  readonly native: NativeCatalog;
}

/** Reports names that match nothing (they would silently serve or exclude nothing) and profiles that would be empty. */
export function checkSelection(selection: Selection, catalog: Catalog): Problem[] {
  const { native } = selection;
  const endpoints = catalog.domains.flatMap((domain) => domain.endpoints);
  // In a domain without groups, an operation's id is also its qualified name.
  const operations = [...new Set(endpoints.flatMap((endpoint) => [endpoint.id, ...qualifiedNamesOf(endpoint)]))];
  const tags = [...new Set(endpoints.flatMap((endpoint) => tagsOf(endpoint)))];
  const { tools = [], resources = [], templates = [], prompts = [] } = catalog.native;
  const entries = [...tools.map(({ tool }) => tool.name), ...[...resources, ...templates, ...prompts].flatMap(namesOf)];
  const groups = {
    domains: { what: 'domain', names: catalog.domains.map(({ name }) => name) },
    include: { what: 'operation', names: operations, isTree: true },
    exclude: { what: 'operation', names: operations, isTree: true },
    tags: { what: 'tag', names: tags, others: operations },
    excludeTags: { what: 'tag', names: tags, others: operations },
    native: { what: 'tool, resource or prompt registered in code', names: entries },
  };
  const problems = Object.entries(groups).flatMap(([key, { what, names, ...more }]) => {
    const values = key === 'native' ? (typeof native === 'object' ? native : []) : selection[key as 'tags'];
    return (values ?? []).flatMap((value, index): Problem[] => {
      const isNamed = compileNames('isTree' in more ? withBelow(value) : [value]);
      if (names.some(isNamed) || ('others' in more && more.others.some(isNamed))) return [];
      return [{ path: [key, index], message: `there is no ${what} "${value}"; ${listNames(value, what, names)}` }];
    });
  });
  return problems.length > 0 ? problems : refuseEmpty(selection, catalog);
}

const SHOWN_NAMES = 20;

function listNames(value: string, what: string, names: readonly string[]): string {
  if (names.length === 0) return `no ${what} is loaded`;
  const question = didYouMean(value, names, '');
  // The short form of a tag is enough: with its domain in front it is the same tag.
  const short = what === 'tag' ? names.filter((name) => !name.includes('.')) : names;
  const list = short.slice(0, SHOWN_NAMES).join(', ');
  const more = short.length > SHOWN_NAMES ? ` and ${short.length - SHOWN_NAMES} more` : '';
  return `${question}${question === '' ? '' : ' '}(${list}${more})`;
}

function refuseEmpty(selection: Selection, { domains, native }: Catalog): Problem[] {
  if (domains.length === 0 || selectEndpoints(domains, selection).length > 0) return [];
  if (Object.values(selectNative(native, selection)).some((part) => Array.isArray(part) && part.length > 0)) return [];
  const keys = ['domains', 'include', 'exclude', 'tags', 'excludeTags', 'effects'] as const;
  const choices = keys.filter((key) => selection[key] !== undefined).join(', ');
  return [{ path: [], message: `serves nothing: no operation matches ${choices} together; relax one of them` }];
}

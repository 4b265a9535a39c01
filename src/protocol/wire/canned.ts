// Answers that never change, serialised once per revision of MCP: discover, initialize and the pages of lists. A
// request costs one look-up and one insertion of its id.
import { createHash } from 'node:crypto';
import type { Registry } from '../../catalog/registry.ts';
import type { PromptTable } from '../../catalog/resources-and-prompts/prompts.ts';
import type { ResourceTable } from '../../catalog/resources-and-prompts/resources.ts';
import { once } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { PromptConverter, ResourceConverter } from '../../model/converters.ts';
import { LEGACY_VERSIONS, type LegacyVersion, MODERN_VERSION, type Version } from '../eras.ts';
import { type Caching, type ResultWriter, SharedResult } from './results.ts';

interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

export interface CannedOptions {
  readonly info: ServerInfo;
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
  readonly writer: ResultWriter;
  readonly caching: Caching;
  readonly pageSize: number;
  /** Legacy push features that only native handlers use. */
  readonly logging: boolean;
  readonly subscribe: boolean;
}

export interface Canned {
  readonly discover: string;
  initialize(version: LegacyVersion): string;
  list(method: ListMethod, version: Version, cursor: unknown): SharedResult;
}

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** By cursor. */
type Pages = ReadonlyMap<string | undefined, () => SharedResult>;

export function createCanned(options: CannedOptions): Canned {
  const { registry, resources, prompts, writer, caching, info } = options;

  const lists: Record<ListMethod, { readonly key: string; readonly items: (version: Version) => readonly unknown[] }> =
    {
      'tools/list': { key: 'tools', items: (version) => registry.definitionsFor(version) },
      'resources/list': {
        key: 'resources',
        items: (version) => new ResourceConverter(version).convertFromResources(definitionsOf(resources.resources)),
      },
      'resources/templates/list': {
        key: 'resourceTemplates',
        items: (version) =>
          new ResourceConverter(version)
            .convertFromResources(resources.templates.map(({ definition }) => definition))
            .map(({ uri, ...wire }) => ({ uriTemplate: uri, ...wire })),
      },
      'prompts/list': {
        key: 'prompts',
        items: (version) => new PromptConverter(version).convertFromPrompts(definitionsOf(prompts)),
      },
    };

  // A page is written when it is first requested: five pages of a thousand tools take 50 ms, and most clients stop at the first.
  const buildPages = (method: ListMethod, version: Version): Pages => {
    const pages = new Map<string | undefined, () => SharedResult>();
    const { key, items: list } = lists[method];
    for (const [cursor, { items, nextCursor }] of paginate(method, list(version), options.pageSize)) {
      const result = { [key]: items, ...(nextCursor !== undefined && { nextCursor }) };
      pages.set(
        cursor,
        once(() => new SharedResult(writer.writeObject(result, version, caching))),
      );
    }
    return pages;
  };

  const pagesByVersion = new Map<Version, Map<ListMethod, Pages>>();
  const pagesOf = (method: ListMethod, version: Version) => {
    let pagesByList = pagesByVersion.get(version);
    if (!pagesByList) {
      pagesByList = new Map();
      pagesByVersion.set(version, pagesByList);
    }
    let pages = pagesByList.get(method);
    if (!pages) {
      pages = buildPages(method, version);
      pagesByList.set(method, pages);
    }
    return pages;
  };
  // The list that nearly every client requests first is ready before the first request.
  for (const write of pagesOf('tools/list', MODERN_VERSION).values()) write();

  const offers = { resources: resources.resources.size + resources.templates.length > 0, prompts: prompts.size > 0 };
  const base = {
    tools: {},
    ...(offers.resources && { resources: {} }),
    ...(offers.prompts && { prompts: {} }),
    ...((offers.prompts || resources.templates.length > 0) && { completions: {} }),
  };
  const legacyCapabilities = {
    ...base,
    ...(options.logging && { logging: {} }),
    ...(offers.resources && options.subscribe && { resources: { subscribe: true } }),
  };

  const writeInitialize = (version: LegacyVersion) =>
    writer.writeObject(
      {
        protocolVersion: version,
        capabilities: legacyCapabilities,
        // Titles came with 2025-06-18.
        serverInfo: version < '2025-06-18' ? { name: info.name, version: info.version } : info,
        instructions: registry.instructions,
      },
      version,
    );
  const initializeResults = new Map(LEGACY_VERSIONS.map((version) => [version, writeInitialize(version)]));

  return {
    discover: writer.writeObject(
      { supportedVersions: [MODERN_VERSION], capabilities: base, instructions: registry.instructions },
      MODERN_VERSION,
      caching,
    ),
    initialize: (version) => initializeResults.get(version)!,
    list: (method, version, cursor) => findPage(pagesOf(method, version), cursor)(),
  };
}

function definitionsOf<Definition>(table: ReadonlyMap<string, { readonly definition: Definition }>): Definition[] {
  return [...table.values()].map(({ definition }) => definition);
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** Splits a list into pages, by cursor. The first page has none. */
function paginate<Item>(
  kind: string,
  items: readonly Item[],
  pageSize: number,
): ReadonlyMap<string | undefined, Page<Item>> {
  const pages = new Map<string | undefined, Page<Item>>();
  let cursor: string | undefined;
  for (let start = 0; start === 0 || start < items.length; start += pageSize) {
    const end = start + pageSize;
    const nextCursor = end < items.length ? toCursor(kind, end, items.length) : undefined;
    pages.set(cursor, { items: items.slice(start, end), nextCursor });
    cursor = nextCursor;
  }
  return pages;
}

/** Cursors are opaque to clients; one that this list does not have is refused. */
function findPage<Entry>(pages: ReadonlyMap<string | undefined, Entry>, cursor: unknown): Entry {
  const page = pages.get(cursor as string | undefined);
  if (page === undefined) {
    throw new GatewayError('INVALID_PARAMS', 'Invalid cursor. Start again without one and follow nextCursor.');
  }
  return page;
}

/** Depends on the kind and length of the list, so that a cursor from before a restart with other tools is refused. */
function toCursor(kind: string, offset: number, length: number): string {
  const text = `${kind}:${offset}:${length}`;
  return `${Buffer.from(text).toString('base64url')}.${createHash('sha256').update(text).digest('base64url').slice(0, 8)}`;
}

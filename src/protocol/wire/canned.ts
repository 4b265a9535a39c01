// Answers that never change, serialised once per revision of MCP: discover, initialize and the lists. A request costs
// one look-up and splicing in its id.

import type { Registry } from '../../catalog/registry.ts';
import type { PromptTable } from '../../catalog/resources-and-prompts/prompts.ts';
import type { ResourceTable } from '../../catalog/resources-and-prompts/resources.ts';
import { once } from '../../endpoint/untrusted.ts';
import { PromptConverter, ResourceConverter } from '../../model/converters.ts';
import { LEGACY_VERSIONS, type LegacyVersion, MODERN_VERSION, type Version } from '../eras.ts';
import { findPage, paginate } from './cursor.ts';
import type { Caching, ResultWriter } from './results.ts';
import { SharedResult } from './shared-result.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

export interface CannedParts {
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

export function createCanned(parts: CannedParts): Canned {
  const { registry, resources, prompts, writer, caching, info } = parts;

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

  // A page is written when it is asked for: five of a thousand tools take 50 ms, and most clients stop at the first.
  const buildPages = (method: ListMethod, version: Version): Pages => {
    const pages = new Map<string | undefined, () => SharedResult>();
    const { key, items: list } = lists[method];
    for (const [cursor, { items, nextCursor }] of paginate(method, list(version), parts.pageSize)) {
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
  // What nearly every client asks for first is ready before the first request.
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
    ...(parts.logging && { logging: {} }),
    ...(offers.resources && parts.subscribe && { resources: { subscribe: true } }),
  };

  const writeHello = (version: LegacyVersion) =>
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
  const hellos = new Map(LEGACY_VERSIONS.map((version) => [version, writeHello(version)]));

  return {
    discover: writer.writeObject(
      { supportedVersions: [MODERN_VERSION], capabilities: base, instructions: registry.instructions },
      MODERN_VERSION,
      caching,
    ),
    initialize: (version) => hellos.get(version)!,
    list: (method, version, cursor) => findPage(pagesOf(method, version), cursor)(),
  };
}

function definitionsOf<Definition>(table: ReadonlyMap<string, { readonly definition: Definition }>): Definition[] {
  return [...table.values()].map(({ definition }) => definition);
}

// The frozen result of the build: every tool by its name. At run time, a call is one look-up here and one function.
import type { Domain } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { ToolConverter } from '../model/converters.ts';
import type { WireTool, WireVersion } from '../model/wire.ts';
import type { Operation } from '../orchestration/operation.ts';
import { type Exposure, expose } from './exposure.ts';
import type { Strategies } from './grouped/strategies.ts';
import { buildInstructions } from './instructions.ts';
import { freezeMap, indexEntries } from './maps.ts';
import { SEARCH_TOOLS } from './search/search-mode.ts';
import type { ToolEntry } from './tool-entry.ts';
import { buildTree, type CatalogOperation, isCallable, isReadable, toCatalogOperations } from './tree.ts';

export type { Exposure } from './exposure.ts';
export type { ToolDefinition, ToolEntry } from './tool-entry.ts';

export interface RegistryInput {
  readonly domains: readonly Domain[];
  readonly operations: readonly Operation[];
  /** Tools that are not REST endpoints, listed as they are. */
  readonly native?: readonly ToolEntry[];
  readonly exposure: Exposure | 'auto';
  /** Tokens that tools/list may cost. Above that, grouped tools are shortened, and `auto` chooses a smaller mode. */
  readonly tokenBudget: number;
  /** Replaces how grouped tools are written. */
  readonly strategies?: Partial<Strategies> | undefined;
}

/** The tools of a service, by name. */
export interface Registry {
  /** In the order they are listed. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly exposure: Exposure | 'mixed';
  /** The mode of each domain. */
  readonly modes: ReadonlyMap<string, Exposure>;
  /** The budget for tools/list. Grouped tools are as detailed as it allows. */
  readonly tokenBudget: number;
  /** The server's instructions: at most 2,048 characters. */
  readonly instructions: string;
  /** What can be called, in every mode, under its public and its fully-qualified names. */
  readonly operations: readonly CatalogOperation[];
  /** What can be read as a resource. */
  readonly readable: readonly CatalogOperation[];
  /** The tools as that revision of MCP lists them. */
  readonly definitionsFor: (version: WireVersion) => readonly WireTool[];
}

export function buildRegistry(input: RegistryInput): Registry {
  const { domains, native = [] } = input;
  const all = toCatalogOperations(input.operations, [...SEARCH_TOOLS, ...native.map(({ tool }) => tool.name)]);
  const operations = all.filter(isCallable);
  const { entries, exposure, modes } = expose({ ...input, native, domains: buildTree(domains, operations) });
  return Object.freeze({
    tools: indexEntries(entries, ({ tool }) => tool.name, refuseDuplicates),
    exposure,
    modes: freezeMap(modes),
    tokenBudget: input.tokenBudget,
    instructions: buildInstructions(domains, entries),
    operations: Object.freeze(operations),
    readable: Object.freeze(all.filter(isReadable)),
    definitionsFor: (version: WireVersion) =>
      Object.freeze(new ToolConverter(version).convertFromTools(entries.map(({ tool }) => tool))),
  });
}

function refuseDuplicates(name: string): GatewayError {
  return new GatewayError('BAD_CONFIG', `Two tools are called "${name}"; rename one of them.`, { tool: name });
}

// The frozen result of building: every tool on offer by name. At run time a call is one look-up here and one function.
import type { Domain } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { ToolConverter } from '../model/converters.ts';
import type { Group } from '../model/group.ts';
import type { WireTool, WireVersion } from '../model/wire.ts';
import type { Operation } from '../orchestration/operation.ts';
import { type Exposure, expose } from './exposure.ts';
import { buildInstructions } from './instructions.ts';
import { SEARCH_TOOLS } from './search/search-mode.ts';
import type { ToolEntry } from './tool-entry.ts';
import { settleNames } from './tool-names.ts';
import { buildTree } from './tree.ts';

export type { Exposure } from './exposure.ts';
export type { ToolDefinition, ToolEntry } from './tool-entry.ts';

export interface RegistryInput {
  readonly domains: readonly Domain[];
  readonly operations: readonly Operation[];
  /** Tools that are not REST endpoints, listed as they are. */
  readonly native?: readonly ToolEntry[];
  readonly exposure: Exposure | 'auto';
  /** Tokens tools/list may cost before `auto` takes a smaller mode. */
  readonly tokenBudget: number;
  readonly serverName: string;
}

export interface Registry {
  /** In the order they are listed. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly exposure: Exposure | 'mixed';
  /** The mode of each domain. */
  readonly modes: ReadonlyMap<string, Exposure>;
  /** What the server says about itself: at most 2,048 characters. */
  readonly instructions: string;
  readonly operations: readonly Operation[];
  /** Endpoint id → public name of the operation. */
  readonly names: ReadonlyMap<string, string>;
  /** The model: domains, their groups, tools, prompts and resources. */
  readonly root: Group;
  /** The tools as that revision of MCP lists them. */
  readonly definitionsFor: (version: WireVersion) => readonly WireTool[];
}

export function buildRegistry(input: RegistryInput): Registry {
  const operations = input.operations.filter((operation) => operation.endpoint.expose !== 'resource');
  const native = input.native ?? [];
  const names = settleNames(
    operations.map((operation) => operation.endpoint),
    [...SEARCH_TOOLS, ...native.map((entry) => entry.definition.name)],
  );
  const tree = buildTree(input.serverName, input.domains, operations, names);
  const { entries, exposure, modes } = expose({ ...input, tree, names, native });
  return Object.freeze({
    tools: toMap(entries),
    exposure,
    modes,
    instructions: buildInstructions(input.domains, entries),
    operations: Object.freeze([...operations]),
    names,
    root: tree.root,
    definitionsFor: (version: WireVersion) => toWire(entries, version),
  });
}

function toMap(entries: readonly ToolEntry[]): ReadonlyMap<string, ToolEntry> {
  const tools = new Map<string, ToolEntry>();
  for (const entry of entries) {
    const { name } = entry.definition;
    if (tools.has(name)) {
      throw new GatewayError('BAD_CONFIG', `Two tools are called "${name}"; rename one of them.`, { tool: name });
    }
    tools.set(name, entry);
  }
  return freezeMap(tools);
}

/** Object.freeze does not reach what a Map holds. */
function freezeMap<Value>(map: Map<string, Value>): ReadonlyMap<string, Value> {
  const refuse = () => {
    throw new TypeError('The registry is frozen; build a new one to change its tools.');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

function toWire(entries: readonly ToolEntry[], version: WireVersion): readonly WireTool[] {
  const reader = new ToolConverter('2026-07-28');
  const writer = new ToolConverter(version);
  return writer.convertFromBatch(reader.convertToBatch(entries.map((entry) => entry.definition)));
}

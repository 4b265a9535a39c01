// A tool of a registry: its definition, and the one function that a call of it runs.

import type { Handler } from '../call/handler.ts';
import { freeze } from '../endpoint/freeze.ts';
import type { Args, Effect } from '../endpoint/model.ts';
import { ToolConverter } from '../model/converters.ts';
import type { Tool } from '../model/tool.ts';
import type { WireTool } from '../model/wire.ts';
import type { GuardSettings } from '../orchestration/native-operation.ts';
import type { Operation } from '../orchestration/operation.ts';

/** A tool, with the function that runs it. */
export interface ToolEntry {
  /** The converters of model/ write the list of each MCP revision from it. */
  readonly tool: Tool;
  readonly run: Handler;
  /** The domain it belongs to; empty for tools of no single domain. */
  readonly domain: string;
  /** The operations that it calls. */
  readonly operations: readonly Operation[];
  /** The gateway's own arguments that it lists, by the names they have there. */
  readonly controls?: readonly string[] | undefined;
  /** A tool over several operations: the arguments that pick one of them, e.g. `{ action: "list" }`. */
  readonly pickOf?: ((operation: Operation) => Args | undefined) | undefined;
  /** Builds in advance what the first call would otherwise build, yielding to other work. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
  /** Of native tools: the same tool under a gateway's policy, with its guard, dry run and read-only switch. */
  readonly govern?: Govern | undefined;
  /** Of native tools: the same tool with only the actions that have one of these effects; undefined if none is left. */
  readonly part?: TakePart | undefined;
}

export type Govern = (guardSettings: GuardSettings) => ToolEntry;
export type TakePart = (effects: readonly Effect[]) => ToolEntry | undefined;

/** `controls`, if they are not those of its operations. */
export function createEntry(
  tool: Tool,
  run: Handler,
  domain: string,
  operations: readonly Operation[],
  {
    govern,
    part,
    pickOf,
    prepare,
    controls,
  }: Partial<Pick<ToolEntry, 'govern' | 'part' | 'pickOf' | 'prepare' | 'controls'>> = {},
): ToolEntry {
  return Object.freeze({
    tool: tool.freeze(),
    run,
    domain,
    operations: Object.freeze([...operations]),
    // A getter, because only the instructions read it, and not in every mode.
    get controls() {
      return controls ?? [...new Set(operations.flatMap((operation) => Object.keys(operation.controls)))];
    },
    govern,
    part,
    pickOf,
    prepare,
  });
}

/** A tool as MCP 2026-07-28 lists it. */
export type ToolDefinition = WireTool & { readonly description: string };

const newest = new ToolConverter();

export function toDefinition(tool: Tool): ToolDefinition {
  const wire = newest.convertFrom(tool);
  return freeze({ ...wire, description: wire.description ?? tool.name });
}

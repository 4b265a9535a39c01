// A tool on offer: its definition on the wire, and the one function a call of it runs.

import type { Handler } from '../call/handler.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import type { Icon, Meta } from '../model/base.ts';
import { ToolConverter } from '../model/converters.ts';
import type { Tool } from '../model/tool.ts';
import type { WireHints } from '../model/wire.ts';
import type { Operation } from '../orchestration/operation.ts';

/** A tool as MCP 2026-07-28 lists it; the model's converters derive the older shapes. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: WireHints;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

export interface ToolEntry {
  readonly definition: ToolDefinition;
  readonly run: Handler;
  /** The domain it belongs to; empty for tools over all of them. */
  readonly domain: string;
  /** What can be reached through it. */
  readonly operations: readonly Operation[];
}

const modern = new ToolConverter('2026-07-28');

export function toEntry(tool: Tool, run: Handler, domain: string, operations: readonly Operation[]): ToolEntry {
  const wire = modern.convertFrom(tool);
  return Object.freeze({
    definition: deepFreeze({ ...wire, description: wire.description ?? tool.name }),
    run,
    domain,
    operations: Object.freeze([...operations]),
  });
}

/** Definitions are shared by every request and serialised once: nothing may change them. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

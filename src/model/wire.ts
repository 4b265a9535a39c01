// The wire formats of the primitives, and which revision of MCP has which part of them.
import type { JsonSchema } from '../endpoint/model.ts';
import type { ToolHints } from './annotations.ts';
import type { Icon, Meta } from './base.ts';
import type { ResourceAnnotations } from './resource.ts';

/** A revision of MCP. */
export type WireVersion = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';

export interface WireFeatures {
  /** Tool annotations: since 2025-03-26. */
  readonly annotations: boolean;
  /** `title` and `_meta` on every primitive, `lastModified` on resources: since 2025-06-18. */
  readonly title: boolean;
  /** `outputSchema`: objects only since 2025-06-18, any schema since 2026-07-28 (SEP-2106). */
  readonly outputSchema: 'none' | 'object' | 'any';
  /** Since 2025-11-25. */
  readonly icons: boolean;
}

export const WIRE_FEATURES: Readonly<Record<WireVersion, WireFeatures>> = Object.freeze({
  '2026-07-28': { annotations: true, title: true, outputSchema: 'any', icons: true },
  '2025-11-25': { annotations: true, title: true, outputSchema: 'object', icons: true },
  '2025-06-18': { annotations: true, title: true, outputSchema: 'object', icons: false },
  '2025-03-26': { annotations: true, title: false, outputSchema: 'none', icons: false },
  '2024-11-05': { annotations: false, title: false, outputSchema: 'none', icons: false },
});

export interface WireBase {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** A tool on the wire. */
export interface WireTool extends WireBase {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: WireHints;
}

/** Tool annotations on the wire: only those with a value. */
export type WireHints = { readonly [Hint in keyof ToolHints]?: NonNullable<ToolHints[Hint]> };

export interface WirePromptArgument extends Omit<WireBase, 'icons' | '_meta'> {
  readonly required?: boolean;
}

/** A prompt on the wire. */
export interface WirePrompt extends WireBase {
  readonly arguments?: readonly WirePromptArgument[];
}

/** A resource on the wire. */
export interface WireResource extends WireBase {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: ResourceAnnotations;
}

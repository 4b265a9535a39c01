// Hints about the effects of a tool (MCP, server/tools). Unset means unknown, and clients then assume the worst.

export interface ToolHints {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  /** Not part of MCP: the result may be shown to the person as it is, without another turn of the model. */
  readonly returnDirect?: boolean | undefined;
}

/**
 * The hints of a tool about its effects.
 *
 * ```ts
 * const hints = new ToolAnnotations({ readOnlyHint: true });
 * console.assert(!hints.empty);
 * ```
 */
export class ToolAnnotations implements ToolHints {
  readonly title: string | undefined;
  readonly readOnlyHint: boolean | undefined;
  readonly destructiveHint: boolean | undefined;
  readonly idempotentHint: boolean | undefined;
  readonly openWorldHint: boolean | undefined;
  readonly returnDirect: boolean | undefined;

  constructor(hints: ToolHints = {}) {
    this.title = hints.title;
    this.readOnlyHint = hints.readOnlyHint;
    this.destructiveHint = hints.destructiveHint;
    this.idempotentHint = hints.idempotentHint;
    this.openWorldHint = hints.openWorldHint;
    this.returnDirect = hints.returnDirect;
    Object.freeze(this);
  }

  /** True if there are no hints at all. */
  get empty(): boolean {
    return Object.values(this).every((hint) => hint === undefined);
  }
}

// The hints of a tool: whether it reads, overwrites or destroys. A tool with several actions has the hints of its most dangerous
// action, because clients decide by them which calls a person has to approve.
import { overwrites } from '../endpoint/conventions/effect.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { ToolAnnotations, type ToolHints } from '../model/annotations.ts';

/** The hints of one action. A missing hint means: not read-only, not destructive, not idempotent. */
export interface ActionHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  /** It replaces values. That needs no confirmation, but MCP's `destructiveHint: false` is for tools that only add. */
  readonly overwrites?: boolean | undefined;
}

export function toActionHints(endpoint: Endpoint): ActionHints {
  const { effect, idempotent } = endpoint;
  const readOnly = effect === 'read';
  return {
    readOnly,
    destructive: effect === 'destructive',
    idempotent: readOnly || idempotent,
    overwrites: effect === 'write' && overwrites(endpoint),
  };
}

/**
 * Destructive if any action is destructive or overwrites, read-only only if all are, idempotent only if all are. Explicit hints are
 * kept as they are.
 *
 * ```ts
 * const { destructiveHint } = aggregateAnnotations([{ readOnly: true }, { destructive: true }]);
 * console.assert(destructiveHint === true);
 * ```
 */
export function aggregateAnnotations(actions: readonly ActionHints[], explicit: ToolHints = {}): ToolAnnotations {
  const all = (hint: keyof ActionHints) => actions.length > 0 && actions.every((action) => action[hint] === true);
  return new ToolAnnotations({
    ...explicit,
    readOnlyHint: explicit.readOnlyHint ?? all('readOnly'),
    destructiveHint: explicit.destructiveHint ?? actions.some((action) => action.destructive || action.overwrites),
    idempotentHint: explicit.idempotentHint ?? all('idempotent'),
  });
}

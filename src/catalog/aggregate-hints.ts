// What a tool does to the world, as hints. The hints of a tool with several actions are those of its worst action, because
// clients approve calls by them.
import { overwrites } from '../endpoint/conventions/effect.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { ToolAnnotations, type ToolHints } from '../model/annotations.ts';

/** What one action says about itself. Unsaid means: not read-only, not destructive, not idempotent. */
export interface ActionHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  /** It replaces values: no guard asks, but MCP's `destructiveHint: false` is for what only adds. */
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
 * Destructive if any action is or overwrites, read-only only if all are, idempotent only if all are. Explicit hints are kept as
 * they are.
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

// What a tool does to the world, as hints. For several actions in one tool the hints are conservative: a client that
// approves calls by them must never be told better than the worst action.
import type { Effect } from '../endpoint/model.ts';
import { ToolAnnotations, type ToolHints } from '../model/annotations.ts';

/** What one action says about itself. Unsaid means: not read-only, not destructive, not idempotent. */
export interface ActionHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
}

export function toActionHints(endpoint: { readonly effect: Effect; readonly idempotent: boolean }): ActionHints {
  const readOnly = endpoint.effect === 'read';
  return { readOnly, destructive: endpoint.effect === 'destructive', idempotent: readOnly || endpoint.idempotent };
}

/**
 * Destructive if any action is, read-only only if all are, idempotent only if all are. What is said explicitly is
 * kept as it is.
 */
export function aggregateAnnotations(actions: readonly ActionHints[], explicit: ToolHints = {}): ToolAnnotations {
  const all = (hint: keyof ActionHints) => actions.length > 0 && actions.every((action) => action[hint] === true);
  return new ToolAnnotations({
    ...explicit,
    readOnlyHint: explicit.readOnlyHint ?? all('readOnly'),
    destructiveHint: explicit.destructiveHint ?? actions.some((action) => action.destructive === true),
    idempotentHint: explicit.idempotentHint ?? all('idempotent'),
  });
}

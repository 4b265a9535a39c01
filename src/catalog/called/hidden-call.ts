// Calls of operations that exist for other callers only. The caller gets the answer for an unknown name; the log and the audit
// trail say which operation it was, and why the caller may not use it.
import type { OperationFacts } from '../../call/execution-context.ts';
import type { Args } from '../../endpoint/model.ts';
import { qualifiedNamesOf } from '../../endpoint/names.ts';
import type { Registry } from '../registry.ts';
import type { PromptTable } from '../resources-and-prompts/prompts.ts';
import { findResource, type ResourceTable } from '../resources-and-prompts/resources.ts';
import { findCalledIn } from './called-operation.ts';

/** A Service is one. */
export interface Offer {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
}

export interface Wider {
  readonly offer: Offer;
  /** Why the caller is not offered all of it. */
  readonly because: string;
}

export type HiddenFacts = Omit<OperationFacts, 'argumentsDigest'>;
export type FindHidden = (method: string, name: string, args: Args) => HiddenFacts | undefined;

/** `own` is what the caller sees; the first of the wider offers that has what was called says why it is hidden. */
export function createFindHidden(own: Offer, wider: readonly Wider[]): FindHidden {
  return (method, name, args) => {
    if (find(own, method, name, args) !== undefined) return undefined;
    for (const { offer, because } of wider) {
      const facts = find(offer, method, name, args);
      if (facts !== undefined) return { ...facts, permission: Object.freeze({ policy: 'deny', because }) };
    }
    return undefined;
  };
}

function find(
  { registry, resources, prompts }: Offer,
  method: string,
  name: string,
  args: Args,
): HiddenFacts | undefined {
  if (method === 'resources/read') return findResource(resources, name) && {};
  if (method === 'prompts/get') return prompts.has(name) ? {} : undefined;
  const endpoint = findCalledIn(registry)(name, args)?.endpoint;
  if (endpoint) return { operation: qualifiedNamesOf(endpoint)[0], effect: endpoint.effect };
  // Tools registered in code have no endpoint. For a tool with several operations, the arguments must say which one was meant.
  return registry.tools.get(name)?.operations.length === 0 ? {} : undefined;
}

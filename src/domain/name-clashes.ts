// Two operations of a domain file with the same name: which they are, and where the file names them.

import type { Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { keysOf, toOperationKey } from './curation/curate-operations.ts';
import type { DomainDefinition } from './definition/definition-types.ts';

/** An operation and the place in the file that names it; undefined where the document does. */
interface Named {
  readonly endpoint: Endpoint;
  readonly path: readonly string[] | undefined;
}

/** `variants` are the operations of the document in the order of `originals`, `own` those written by hand. */
export function listClashes(
  variants: readonly Endpoint[],
  originals: readonly Endpoint[],
  own: readonly Endpoint[],
  { operations = {} }: DomainDefinition,
): Problem[] {
  const keys = new Map(Object.keys(operations).map((key) => [toOperationKey(key), key]));
  const all: Named[] = [
    ...variants.map((endpoint, position) => {
      const original = originals[position] ?? endpoint;
      const key = endpoint.action === original.action ? undefined : keysOf(original).find((name) => keys.has(name));
      return { endpoint, path: key === undefined ? undefined : ['operations', keys.get(key)!, 'name'] };
    }),
    ...own.map((endpoint) => ({ endpoint, path: ['endpoints', endpoint.action] })),
  ];
  const byAction = new Map<string, Named>();
  return all.flatMap((later) => {
    const { action } = later.endpoint;
    const earlier = byAction.get(action);
    byAction.set(action, earlier ?? later);
    return earlier === undefined ? [] : [toProblem(action, earlier, later)];
  });
}

/** Reported at the operation that the file names; at the later one if it names both. */
function toProblem(action: string, earlier: Named, later: Named): Problem {
  const [one, other] = later.path === undefined ? [earlier, later] : [later, earlier];
  const fix =
    other.path === undefined
      ? `choose another name, or name the other operation too: operations: { ${JSON.stringify(keysOf(other.endpoint)[0])}: { name: … } }`
      : 'choose another name for one of them';
  return {
    path: one.path ?? ['operations', keysOf(one.endpoint)[0]!],
    message: `gives ${describe(one)} the name "${action}", which ${describe(other)} also has; ${fix}`,
    ...(other.path !== undefined && { other: other.path }),
  };
}

function describe({ endpoint: { method, path, source } }: Named): string {
  return `${method} ${path}${source.operationId === undefined ? '' : ` (${source.operationId})`}`;
}

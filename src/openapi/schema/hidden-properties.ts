// readOnly properties are in no request, writeOnly ones in no answer.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node } from '../../endpoint/untrusted.ts';
import type { SourceDocument } from '../source/documents.ts';
import type { Follow } from '../source/resolve.ts';
import { behindRef } from './schema-refs.ts';

/** Requests lose readOnly properties, responses lose writeOnly ones. */
export type Direction = 'request' | 'response';

/** Whether the direction leaves this property out. */
export function isHidden(document: SourceDocument, schema: unknown, direction: Direction, follow: Follow): boolean {
  if (!isObject(schema)) return false;
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  return schema[keyword] === true || behindRef(document, schema, follow)?.node[keyword] === true;
}

/** Property names this schema, or a branch of its allOf, hides, and those hidden around it: none can be required. */
export function hiddenNames(
  document: SourceDocument,
  schema: Node,
  direction: Direction,
  around: ReadonlySet<string> | undefined,
  follow: Follow,
): ReadonlySet<string> | undefined {
  const names = new Set(around);
  const collect = (owner: SourceDocument, { properties }: Node) => {
    if (!isObject(properties)) return;
    for (const key of Object.keys(properties)) if (isHidden(owner, properties[key], direction, follow)) names.add(key);
  };
  collect(document, schema);
  for (const branch of listAt(schema, 'allOf')) {
    const target = behindRef(document, branch, follow);
    if (target) collect(target.document, target.node);
  }
  return names.size === 0 ? undefined : names;
}

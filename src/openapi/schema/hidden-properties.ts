// readOnly properties are in no request, writeOnly ones in no answer.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node } from '../../endpoint/untrusted.ts';
import type { SourceDocument } from '../source/documents.ts';
import { orNothing } from '../source/resolve.ts';
import type { Follow } from './in-place-cycles.ts';
import { refOf } from './schema-parts.ts';

/** Requests lose readOnly properties, responses lose writeOnly ones. */
export type Direction = 'request' | 'response';

/** Whether the direction leaves this property out. */
export function isHidden(document: SourceDocument, schema: unknown, direction: Direction, follow: Follow): boolean {
  if (!isObject(schema)) return false;
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  return schema[keyword] === true || behindRef(document, schema, follow)?.node[keyword] === true;
}

/** A schema, or what its `$ref` names; undefined where that leads nowhere. */
export function behindRef(
  document: SourceDocument,
  schema: unknown,
  follow: Follow,
): { readonly document: SourceDocument; readonly node: Node } | undefined {
  if (!isObject(schema)) return undefined;
  const ref = refOf(schema);
  if (ref === undefined) return { document, node: schema };
  const target = orNothing(() => follow(document, ref));
  return isObject(target?.value) ? { document: target.document, node: target.value } : undefined;
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

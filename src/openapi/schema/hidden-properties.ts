// readOnly properties are in no request, writeOnly ones in no answer.
import { isNode, listAt, type Node } from '../../endpoint/untrusted.ts';
import type { SourceDocument } from '../source/documents.ts';
import { orNothing } from '../source/resolve.ts';
import type { Follow } from './in-place-cycles.ts';
import { refOf } from './schema-parts.ts';

/** Requests lose readOnly properties, responses lose writeOnly ones. */
export type Direction = 'request' | 'response';

/** Whether the direction leaves this property out. */
export function isHidden(document: SourceDocument, schema: unknown, direction: Direction, follow: Follow): boolean {
  if (!isNode(schema)) return false;
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  if (schema[keyword] === true) return true;
  const ref = refOf(schema);
  if (ref === undefined) return false;
  const target = orNothing(() => follow(document, ref));
  return isNode(target?.value) && target.value[keyword] === true;
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
    if (!isNode(properties)) return;
    for (const key of Object.keys(properties)) if (isHidden(owner, properties[key], direction, follow)) names.add(key);
  };
  collect(document, schema);
  for (const branch of listAt(schema, 'allOf')) {
    if (!isNode(branch)) continue;
    const ref = refOf(branch);
    const place = ref === undefined ? { document, value: branch } : orNothing(() => follow(document, ref));
    if (isNode(place?.value)) collect(place.document, place.value);
  }
  return names.size === 0 ? undefined : names;
}

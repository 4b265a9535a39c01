// What is known of all schemas of a document before any of them is looked at, from its census alone.
import { isObject } from '../../endpoint/is-object.ts';
import { nodeAt, own } from '../../endpoint/untrusted.ts';
import type { DocumentSet } from '../source/documents.ts';
import type { Limits } from '../source/limits.ts';
import { orNothing, type Resolver } from '../source/resolve.ts';

/**
 * `sound`: no request can be made of too many schemas, or of one that leads nowhere. `large`: every reference leads somewhere, but
 * the schemas of a request have to be counted. `doubtful`: nothing is certain.
 */
export type SchemaVerdict = 'sound' | 'large' | 'doubtful';

export function judgeSchemas({ root, census }: DocumentSet, resolver: Resolver, limits: Limits): SchemaVerdict {
  if (!census.isTree || census.depth > limits.maxSchemaDepth) return 'doubtful';
  const sections = new Map<string, unknown>();
  const leads = (ref: string): boolean => {
    const end = ref.lastIndexOf('/');
    const front = ref.slice(0, Math.max(end, 0));
    if (!sections.has(front)) sections.set(front, sectionAt(root.value, front));
    const name = ref.slice(end + 1);
    const part = name.includes('~') ? undefined : own(sections.get(front), name);
    const isPlain = part !== undefined && !(isObject(part) && typeof part.$ref === 'string');
    // What is escaped or percent-encoded, or a reference again, the resolver reads as it does later.
    return isPlain || (isSection(front) && orNothing(() => resolver.followAll(root, ref)) !== undefined);
  };
  for (const ref of census.refs) if (!leads(ref)) return 'doubtful';
  return census.objects > limits.maxSchemas ? 'large' : 'sound';
}

/**
 * `#/components/schemas`, `#/definitions`: no part of one stands inside of a part of another, so all that a request reaches by
 * references is counted once, and is no more than the document has.
 */
const SECTION = /^#\/(?:components\/[A-Za-z]+|definitions|parameters|responses)$/;

function isSection(front: string): boolean {
  return SECTION.test(front);
}

function sectionAt(document: unknown, front: string): unknown {
  if (!isSection(front)) return undefined;
  const [, first = '', second] = front.split('/');
  const section = nodeAt(document, first);
  return second === undefined ? section : nodeAt(section, second);
}

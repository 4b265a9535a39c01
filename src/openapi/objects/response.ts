// What comes back: the Accept header, the schema of the answer, and how to ask for the next page.
import { NEXT_FIELD, PAGING_OBJECT, type PagingRole, pagingRole } from '../../endpoint/conventions/pagination-words.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import { DEFAULT_RESPONSE, type Pagination, type ResponsePlan } from '../../endpoint/model.ts';
import { isNode, type Node, nodeAt, own, step, textsAt } from '../../endpoint/untrusted.ts';
import { settledNode } from '../schema/schema-shape.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import { isJson, kindOf } from './media-type-object.ts';

export interface Answer {
  readonly mediaTypes: readonly string[];
  /** Schema of the first successful JSON answer. */
  readonly schema?: Place;
}

/** Success first: 2xx in order, then `2XX`, then `default`. Dangling refs only cost the schema. */
export function readAnswer(operation: Place, produces: readonly string[], resolver: Resolver): Answer {
  const responses = nodeAt(operation.value, 'responses');
  if (!responses) return { mediaTypes: [] };
  const codes = Object.keys(responses).filter((code) => /^2/i.test(code));
  const mediaTypes = new Set<string>();
  let schema: Place | undefined;
  for (const code of codes.length > 0 ? codes : Object.keys(responses).filter((code) => code === 'default')) {
    const response = tolerant(resolver, {
      document: operation.document,
      pointer: `${operation.pointer}/responses${step(code)}`,
      value: responses[code],
    });
    if (!response || !isNode(response.value)) continue;
    if (operation.document.dialect.major === 2) {
      const value = own(response.value, 'schema');
      if (value === undefined) continue;
      for (const type of produces) mediaTypes.add(type);
      if (produces.length === 0 || produces.some(isJson))
        schema ??= { document: response.document, pointer: `${response.pointer}/schema`, value };
      continue;
    }
    const content = nodeAt(response.value, 'content') ?? {};
    for (const type of Object.keys(content)) {
      mediaTypes.add(type);
      if (schema || !(isJson(type) || kindOf(type) === 'any')) continue;
      const media = tolerant(resolver, {
        document: response.document,
        pointer: `${response.pointer}/content${step(type)}`,
        value: content[type],
      });
      const value = own(media?.value, 'schema');
      if (media && value !== undefined)
        schema = { document: media.document, pointer: `${media.pointer}/schema`, value };
    }
  }
  return schema ? { mediaTypes: [...mediaTypes], schema } : { mediaTypes: [...mediaTypes] };
}

function tolerant(resolver: Resolver, place: Place): Place | undefined {
  try {
    return resolver.settle(place);
  } catch {
    return undefined;
  }
}

/** JSON where it is offered; otherwise what the document lists, with anything else as second best. */
export function createResponsePlans(): (mediaTypes: readonly string[]) => ResponsePlan {
  const plans = new Map<string, ResponsePlan>();
  return (mediaTypes) => {
    const key = mediaTypes.join('\n');
    let plan = plans.get(key);
    if (!plan) {
      const accept = acceptOf(mediaTypes);
      plan = accept === undefined ? DEFAULT_RESPONSE : Object.freeze({ ...DEFAULT_RESPONSE, accept });
      plans.set(key, plan);
    }
    return plan;
  };
}

function acceptOf(mediaTypes: readonly string[]): string | undefined {
  const named = mediaTypes.filter((type) => !type.includes('*') && /^[\x20-\x7e]{3,200}$/.test(type));
  const json = named.filter(isJson);
  const best = json.find((type) => toEssence(type) === 'application/json') ?? json[0];
  const offered = best !== undefined ? [best] : named.slice(0, 4);
  if (offered.length === 0 || toEssence(offered[0]!) === 'application/json') return undefined;
  return [...offered, '*/*;q=0.5'].join(', ');
}

/** `keys`: public arguments. `reads`: the method reads; others page only by a cursor, as searches by POST do. */
export type DetectPagination = (
  keys: readonly string[],
  reads: boolean,
  answer: Place | undefined,
) => Pagination | undefined;

/** Which argument moves on, which sets the size, and where the answer holds the next cursor. */
export function createPagination(resolver: Resolver): DetectPagination {
  const roles = new Map<string, PagingRole | undefined>();
  const cursors = new Map<unknown, string | undefined>();
  const nextOf = (answer: Place | undefined): string | undefined => {
    if (!answer) return undefined;
    if (!cursors.has(answer.value)) cursors.set(answer.value, nextCursor(answer, resolver));
    return cursors.get(answer.value);
  };
  return (keys, reads, answer) => {
    const first: Partial<Record<PagingRole, string>> = {};
    for (const key of keys) {
      if (!roles.has(key)) roles.set(key, pagingRole(key));
      const role = roles.get(key);
      if (role !== undefined) first[role] ??= key;
    }
    const { cursor, page, offset, size } = first;
    if (cursor === undefined && page === undefined && offset === undefined) return undefined;
    if (!reads && (cursor === undefined || size === undefined)) return undefined;
    const sized = size === undefined ? {} : { sizeArg: size };
    // GitHub has `after` beside `page`: a cursor is the better way, but only where the answer really names the next one.
    const next = cursor === undefined ? undefined : nextOf(answer);
    if (cursor !== undefined && (next !== undefined || (page === undefined && offset === undefined))) {
      return { kind: 'cursor', arg: cursor, ...sized, ...(next === undefined ? {} : { nextFrom: next }) };
    }
    if (page !== undefined) return { kind: 'page', arg: page, ...sized };
    return offset === undefined ? undefined : { kind: 'offset', arg: offset, ...sized };
  };
}

function nextCursor(answer: Place, resolver: Resolver): string | undefined {
  const root = settledNode(answer.document, answer.value, resolver);
  if (!root) return undefined;
  const top = propertiesOf(root, resolver);
  for (const [name] of top) if (NEXT_FIELD.test(name)) return name;
  for (const [name, inner] of top) {
    if (!PAGING_OBJECT.test(name)) continue;
    const holder = settledNode(inner.document, inner.value, resolver);
    if (!holder) continue;
    for (const [below] of propertiesOf(holder, resolver)) if (NEXT_FIELD.test(below)) return `${name}.${below}`;
  }
  return undefined;
}

/** Own properties and those of the branches of an allOf, each schema once. */
function propertiesOf(
  { document, node }: { document: Place['document']; node: Node },
  resolver: Resolver,
  visits = new Set<Node>(),
): [string, Place][] {
  if (visits.has(node) || visits.size > 50) return [];
  visits.add(node);
  const entries: [string, Place][] = [];
  const properties = nodeAt(node, 'properties') ?? {};
  for (const name of Object.keys(properties)) entries.push([name, { document, pointer: '', value: properties[name] }]);
  for (const branch of Array.isArray(node.allOf) ? node.allOf : []) {
    const inner = settledNode(document, branch, resolver);
    if (inner) entries.push(...propertiesOf(inner, resolver, visits));
  }
  return entries;
}

/** 2.0 `produces` and `consumes`: the operation's own, else the document's. */
export function mediaTypesOf(root: unknown, operation: unknown, keyword: 'produces' | 'consumes'): string[] {
  return Array.isArray(own(operation, keyword)) ? textsAt(operation, keyword) : textsAt(root, keyword);
}

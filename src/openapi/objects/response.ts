// Responses and Response Objects: the Accept header, and the schema of a successful answer.
// https://spec.openapis.org/oas/v3.2.0.html#responses-object, https://spec.openapis.org/oas/v3.2.0.html#response-object
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import { DEFAULT_RESPONSE, type ResponsePlan } from '../../endpoint/model.ts';
import { nodeAt, own, textsAt } from '../../endpoint/untrusted.ts';
import { type DocumentPlace, inside, orUndefined, type Resolver } from '../source/resolve.ts';
import { isJsonType, kindOf } from './media-type-object.ts';

export interface SuccessResponse {
  readonly mediaTypes: readonly string[];
  /** No successful response has a body. */
  readonly isEmpty?: boolean;
  /** The schema of the first successful JSON response. */
  readonly schema?: DocumentPlace;
}

/** The 2xx responses in their order (and `2XX`), else `default`. If a `$ref` cannot be resolved, the result has no schema. */
export function readSuccessResponse(
  operation: DocumentPlace,
  produces: readonly string[],
  resolver: Resolver,
): SuccessResponse {
  const responses = nodeAt(operation.value, 'responses');
  if (!responses) return { mediaTypes: [] };
  const codes = Object.keys(responses).filter((code) => /^2/i.test(code));
  if (codes.length > 0 && codes.every((code) => code === '204' || code === '205'))
    return { mediaTypes: [], isEmpty: true };
  const mediaTypes = new Set<string>();
  let schema: DocumentPlace | undefined;
  for (const code of codes.length > 0 ? codes : Object.keys(responses).filter((code) => code === 'default')) {
    const response = orUndefined(() => resolver.dereference(inside(operation, 'responses', code)));
    if (!response || !isObject(response.value)) continue;
    if (operation.document.dialect.major === 2) {
      const answer = inside(response, 'schema');
      if (answer.value === undefined) continue;
      for (const type of produces) mediaTypes.add(type);
      if (produces.length === 0 || produces.some(isJsonType)) schema ??= answer;
      continue;
    }
    for (const type of Object.keys(nodeAt(response.value, 'content') ?? {})) {
      mediaTypes.add(type);
      if (schema || !(isJsonType(type) || kindOf(type) === 'any')) continue;
      const media = orUndefined(() => resolver.dereference(inside(response, 'content', type)));
      if (own(media?.value, 'schema') !== undefined) schema = inside(media!, 'schema');
    }
  }
  return schema ? { mediaTypes: [...mediaTypes], schema } : { mediaTypes: [...mediaTypes] };
}

/** Requests JSON if it is offered; otherwise the document's types, and anything else as second choice. */
export function createResponsePlans(): (answer: SuccessResponse) => ResponsePlan {
  const plans = new Map<string, ResponsePlan>();
  return ({ mediaTypes, isEmpty }) => {
    if (isEmpty) return NO_BODY;
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

const NO_BODY: ResponsePlan = Object.freeze({ ...DEFAULT_RESPONSE, empty: true });

function acceptOf(mediaTypes: readonly string[]): string | undefined {
  const concrete = mediaTypes.filter((type) => !type.includes('*') && /^[\x20-\x7e]{3,200}$/.test(type));
  const json = concrete.filter(isJsonType);
  const best = json.find((type) => toEssence(type) === 'application/json') ?? json[0];
  const choices = best !== undefined ? [best] : concrete.slice(0, 4);
  if (choices.length === 0 || toEssence(choices[0]!) === 'application/json') return undefined;
  return [...choices, '*/*;q=0.5'].join(', ');
}

/** `produces` and `consumes` of 2.0: those of the operation, else those of the document. */
export function mediaTypesOf(root: unknown, operation: unknown, keyword: 'produces' | 'consumes'): string[] {
  return Array.isArray(own(operation, keyword)) ? textsAt(operation, keyword) : textsAt(root, keyword);
}

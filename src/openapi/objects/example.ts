// Example Objects, as arguments of a call: one set per named example of the body, parameters filled in beside it.
// https://spec.openapis.org/oas/v3.2.0.html#example-object

import { isObject } from '../../endpoint/is-object.ts';
import type { Args } from '../../endpoint/model.ts';
import { emptyMap, listAt, type Node, nodeAt, own } from '../../endpoint/untrusted.ts';
import { type Argument, isRequired } from '../flat-arguments.ts';
import { nodeBehind } from '../schema/schema-shape.ts';
import { isSmallValue } from '../schema/schema-values.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import type { BodyDraft } from './request-body.ts';

const MAX_EXAMPLES = 3;

/** Only sets that have every required argument are worth showing. */
export function buildExamples(
  offers: readonly Argument[],
  body: BodyDraft | undefined,
  resolver: Resolver,
): readonly Args[] {
  const shared = emptyMap<unknown>();
  for (const argument of offers) {
    const value = argument.origin.kind === 'parameter' ? parameterExample(argument, resolver) : undefined;
    if (value !== undefined) shared[argument.key] = value;
  }
  const bodies = body ? bodyExamples(body, resolver) : [];
  const sets = bodies.length > 0 ? bodies.map((value) => ({ ...shared, ...spread(value, offers, body!) })) : [shared];
  return sets.filter((set) => isComplete(set, offers, body)).slice(0, MAX_EXAMPLES);
}

function isComplete(set: Args, offers: readonly Argument[], body: BodyDraft | undefined): boolean {
  if (Object.keys(set).length === 0) return false;
  return offers.every((argument) => !isRequired(argument, body) || Object.hasOwn(set, argument.key));
}

function parameterExample({ origin, required }: Argument, resolver: Resolver): unknown {
  if (origin.kind !== 'parameter') return undefined;
  const { object, schema } = origin.parameter;
  const direct = exampleIn(object, schema.document, resolver);
  if (direct !== undefined) return direct;
  const node = nodeBehind(schema.document, schema.value, resolver)?.node;
  const inSchema = own(node, 'example') ?? listAt(node, 'examples')[0];
  // Optional parameters appear only where the parameter itself gives an example.
  return required && inSchema !== undefined && isSmallValue(inSchema) ? inSchema : undefined;
}

function exampleIn(object: Node | undefined, document: Place['document'], resolver: Resolver): unknown {
  const single = own(object, 'example');
  if (single !== undefined) return isSmallValue(single) ? single : undefined;
  return namedExamples(object, document, resolver)[0];
}

function namedExamples(object: Node | undefined, document: Place['document'], resolver: Resolver): unknown[] {
  const map = nodeAt(object, 'examples');
  const values: unknown[] = [];
  for (const name of Object.keys(map ?? {}).slice(0, MAX_EXAMPLES)) {
    const node = nodeBehind(document, map![name], resolver)?.node;
    // 3.2 splits `value` into the data and its serialised form.
    const value = own(node, 'value') ?? own(node, 'dataValue');
    if (value !== undefined && isSmallValue(value)) values.push(value);
  }
  return values;
}

function bodyExamples(body: BodyDraft, resolver: Resolver): unknown[] {
  const schema = body.schemas[0];
  const document = schema?.document;
  if (!document || body.whole?.key === 'file') return [];
  const single = own(body.media, 'example');
  if (single !== undefined) return isSmallValue(single) ? [single] : [];
  const named = namedExamples(body.media, document, resolver);
  if (named.length > 0) return named;
  const node = nodeBehind(document, schema.value, resolver)?.node;
  const inSchema = own(node, 'example') ?? listAt(node, 'examples')[0];
  return inSchema !== undefined && isSmallValue(inSchema) ? [inSchema] : [];
}

/** A body example as arguments: under their public keys, wrapper taken off. Unknown fields are left out. */
function spread(value: unknown, offers: readonly Argument[], body: BodyDraft): Args {
  const out = emptyMap<unknown>();
  if (body.whole) {
    const whole = offers.find((argument) => argument.origin.kind === 'whole');
    if (whole && (body.plan.kind !== 'text' || typeof value === 'string')) out[whole.key] = value;
    return out;
  }
  let inner = value;
  for (const name of body.plan.wrap ?? []) inner = own(inner, name);
  if (!isObject(inner)) return out;
  for (const { location, wireName, key, origin } of offers) {
    if (location !== 'body' || (origin.kind === 'field' && origin.file)) continue;
    if (Object.hasOwn(inner, wireName)) out[key] = inner[wireName];
  }
  return out;
}

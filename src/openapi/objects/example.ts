// Example Objects, as arguments of a call: one set per named example of the body, parameters filled in beside it.
// https://spec.openapis.org/oas/v3.2.0.html#example-object

import { isObject } from '../../endpoint/is-object.ts';
import type { Args } from '../../endpoint/model.ts';
import { emptyMap, listAt, type Node, nodeAt, own } from '../../endpoint/untrusted.ts';
import { type Argument, isRequired } from '../flat-arguments.ts';
import { behindRef, nodeBehind } from '../schema/schema-refs.ts';
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
  const examples = ownExamples(object, schema, resolver);
  // Optional parameters appear only where the parameter itself gives an example.
  return (examples.length > 0 || !required ? examples : schemaExamples(schema, resolver))[0];
}

function bodyExamples({ media, schemas, whole }: BodyDraft, resolver: Resolver): readonly unknown[] {
  const schema = schemas[0];
  if (!schema || whole?.key === 'file') return [];
  const examples = ownExamples(media, schema, resolver);
  return examples.length > 0 || own(media, 'example') !== undefined ? examples : schemaExamples(schema, resolver);
}

/** `example`, else `examples`, of a parameter or media type object. */
function ownExamples(object: Node | undefined, { document }: Place, resolver: Resolver): readonly unknown[] {
  const single = own(object, 'example');
  if (single !== undefined) return [single].filter(isSmallValue);
  const map = nodeAt(object, 'examples') ?? {};
  const values = Object.keys(map)
    .slice(0, MAX_EXAMPLES)
    .map((name) => behindRef(document, map[name], resolver.followAll)?.node)
    // 3.2 splits `value` into the data and its serialised form.
    .map((node) => own(node, 'value') ?? own(node, 'dataValue'));
  return values.filter(isSmallValue);
}

function schemaExamples(schema: Place, resolver: Resolver): readonly unknown[] {
  const node = nodeBehind(schema, resolver)?.node;
  return [own(node, 'example') ?? listAt(node, 'examples')[0]].filter(isSmallValue);
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

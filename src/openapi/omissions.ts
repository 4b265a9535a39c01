// What an operation has in the document but not as an endpoint: parameters that are not arguments, media types that are not used,
// fields that only the API sets. Found on demand, by comparing the two.
import { findKey } from '../credentials/credential-places.ts';
import { isMethodParameter } from '../endpoint/headers/header-names.ts';
import { toEssence } from '../endpoint/media-type.ts';
import type { Endpoint, LeftOut, Target } from '../endpoint/model.ts';
import { type Node, nodeAt } from '../endpoint/untrusted.ts';
import { type RequestContext, type RequestDraft, SIGNATURE_PARAMETER } from './objects/operation-request.ts';
import type { Parameter } from './objects/parameter.ts';
import type { DocumentOperation } from './objects/paths.ts';
import { mediaTypesOf } from './objects/response.ts';
import { inside, orUndefined } from './source/resolve.ts';

export function findOmissions(
  operation: DocumentOperation,
  { plan, body }: RequestDraft,
  endpoint: Endpoint,
  answerTypes: readonly string[],
  context: RequestContext,
): readonly LeftOut[] {
  const { place, pathItem } = operation;
  const { parameters } = context.readParameters(pathItem, place);
  const targets = [...plan.args.flatMap(({ to }) => to), ...plan.fixed.map(({ to }) => to)];
  const rest = parameters.filter((parameter) => !targets.some((target) => isPlaceOf(parameter, target)));
  const fields = new Set(body?.fields.map(({ name }) => name));
  const otherFields = body?.whole === undefined ? (body?.shape?.names ?? []).filter((name) => !fields.has(name)) : [];
  const argumentFields = new Set(
    plan.args.flatMap(({ to }) => to).map((to) => (to.in === 'body' ? to.at.at(-1) : undefined)),
  );
  const signed = context.security.isSigned(place.value as Node);
  const callbacks = Object.keys(nodeAt(place.value, 'callbacks') ?? {});
  return [
    ...rest.map((parameter) => ({
      what: `${parameter.in} parameter ${parameter.name}`,
      ...(signed && SIGNATURE_PARAMETER.test(parameter.name)
        ? { why: 'the request signature adds it to every request' }
        : reasonFor(parameter, plan.withheld, endpoint, context)),
    })),
    ...keysInBody(plan.withheld, endpoint),
    ...otherFields.map((name) => ({
      what: `body field ${name}`,
      why: argumentFields.has(name)
        ? 'readOnly: the API sets it, so it is not listed as an argument; a call may still contain it'
        : 'readOnly or hidden (x-mcp): the API sets it',
    })),
    ...unusedMediaTypes(operation, body?.plan.mediaType, context),
    ...unusedAnswerTypes(answerTypes, endpoint.response.accept),
    ...callbacks.map((name) => ({
      what: `callback ${name}`,
      why: 'the gateway calls the API; the API cannot call the gateway',
    })),
  ];
}

function keysInBody(withheld: readonly Target[], { security }: Endpoint): LeftOut[] {
  return withheld.flatMap((target) => {
    const name = target.in === 'body' ? target.at[0] : undefined;
    const key = name === undefined ? undefined : findKey(security.flat(), 'body', name);
    if (key === undefined) return [];
    return [{ what: `body field ${name}`, why: `it is the credential ${key.name}, from ${key.variable}` }];
  });
}

function isPlaceOf({ target }: Parameter, other: Target): boolean {
  if (target.in !== other.in) return false;
  return !('name' in target) || !('name' in other) || target.name === other.name;
}

function reasonFor(
  parameter: Parameter,
  withheld: readonly Target[],
  { security, effect }: Endpoint,
  context: RequestContext,
): Omit<LeftOut, 'what'> {
  const { in: where, name } = parameter;
  const lower = name.toLowerCase();
  const key = findKey(security.flat(), where, name);
  if (key !== undefined) return { why: `it is the credential ${key.name}, from ${key.variable}` };
  if (withheld.some((target) => isPlaceOf(parameter, target))) return { why: 'the document hides it (x-mcp)' };
  if (where === 'header' && context.headers.some((header) => header.name === lower))
    return { why: 'it is sent with every request, as configured' };
  if (context.security.apiKeys.some((key) => key.isParameter && key.in === where && key.field.toLowerCase() === lower))
    return { why: 'it carries the same credential as a security scheme of the document', token: name };
  if (where === 'header') return { why: 'only the gateway writes this header' };
  if (where === 'path') return { why: 'it is not in the path template' };
  const isMethod = effect === 'read' && isMethodParameter(name);
  return {
    why: isMethod
      ? 'it would change the HTTP method of a read'
      : 'a security scheme of the document already uses this parameter',
  };
}

/** The body is offered in one media type only. */
function unusedMediaTypes(
  { place }: DocumentOperation,
  mediaType: string | undefined,
  context: RequestContext,
): LeftOut[] {
  if (mediaType === undefined) return [];
  const body = orUndefined(() => context.resolver.dereference(inside(place, 'requestBody')));
  const types =
    place.document.dialect.major === 2
      ? mediaTypesOf(context.root, place.value, 'consumes')
      : Object.keys(nodeAt(body?.value, 'content') ?? {});
  const others = types.filter((type) => !type.startsWith(mediaType));
  return others.length === types.length && types.length === 1
    ? []
    : others.map((type) => ({ what: `body as ${type}`, why: `the body is sent as ${mediaType}` }));
}

function unusedAnswerTypes(types: readonly string[], accept = 'application/json'): LeftOut[] {
  return types
    .filter((type) => !type.includes('*') && !accept.toLowerCase().includes(toEssence(type)))
    .map((type) => ({ what: `answer as ${type}`, why: `the gateway requests ${accept.split(',')[0]}` }));
}

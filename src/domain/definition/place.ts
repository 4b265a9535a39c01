// Where arguments go. The rule: a name in the path template goes to the path; anything else goes to the query string
// for GET, HEAD and DELETE, and into the body for every other method. `place` overrides it, argument by argument.

import { headerOf } from '../../credentials/credential-places.ts';
import { headerFault, isMethodParameter } from '../../endpoint/headers/header-names.ts';
import type {
  Arg,
  BodyPlan,
  Effect,
  Endpoint,
  FixedValue,
  ParameterStyle,
  PartEncoding,
  Target,
} from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import type { DefinedArguments } from './argument-plan.ts';
import type { ArgumentLocation, BodyKind, EndpointDefinition, Placement } from './definition-types.ts';

type Path = readonly (string | number)[];

export interface WirePlan {
  readonly args: readonly Arg[];
  readonly fixed: readonly FixedValue[];
  readonly body?: BodyPlan;
}

const MEDIA_TYPES: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain; charset=utf-8',
  binary: 'application/octet-stream',
};

const QUERY_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Gives every argument and fixed value exactly one place; problems are collected, never thrown. */
export function placeArguments(
  definition: EndpointDefinition,
  effect: Effect,
  plan: DefinedArguments,
  at: Path,
  problems: Problem[],
): WirePlan {
  const method = methodOf(definition);
  const variables = templateVariables(definition.path);
  const kind = typeof definition.body === 'string' ? definition.body : definition.body?.kind;
  const report = (path: Path, message: string) => problems.push({ path: [...at, ...path], message });

  const toTarget = (key: string) => chooseTarget(key, plan, method, variables, kind);
  const values = listValues(plan, toTarget);
  const constants = Object.entries(definition.fixed ?? {}).map(([key, value]) => {
    return { key, to: toTarget(key), value, required: true, always: true };
  });

  const names = [...values, ...constants].map(({ key }) => key);
  for (const key of plan.placements.keys()) {
    if (!names.includes(key))
      report(['place', key], `there is no argument or fixed value "${key}"; ${hint(key, names)}`);
  }
  for (const { key, to, required, always } of values) {
    if (to.in === 'path' && !required && !always)
      report(['args', key], 'is part of the path, so it must be required (or have a default): add required: true');
  }
  for (const { key } of constants) {
    if (plan.properties.has(key))
      report(['fixed', key], 'is also an argument; a value is either an argument or fixed, not both');
  }
  checkTargets([...values, ...constants], variables, report);
  for (const value of values) checkNames(value, effect, report);
  const body = planBody(definition, kind, values, constants, plan, report);
  return {
    args: values.map(({ key, required, to }) => ({ key, required, to: [to] })),
    fixed: constants.map(({ value, to }) => ({ value, to })),
    ...omitUndefined({ body }),
  };
}

/** Places the arguments that a file adds to an imported operation. */
export function placeAdditions(endpoint: Endpoint, plan: DefinedArguments, at: Path, problems: Problem[]): WirePlan {
  const { method, path, effect, args, fixed, withheld = [], headers, callerHeaders = [], security } = endpoint;
  const report: Report = (from, message) => problems.push({ path: [...at, ...from.slice(1)], message });
  const variables = templateVariables(path);
  const values = listValues(plan, (key) => chooseTarget(key, plan, method, variables, undefined));
  const toPlacedValue = (key: string, to: Target): PlacedValue => ({ key, to, required: false, always: false });
  const before = [
    ...args.flatMap(({ key, to }) => to.map((target) => toPlacedValue(key, target))),
    ...[...fixed.map(({ to }) => to), ...withheld].map((to) => toPlacedValue(nameOf(to), to)),
  ].filter(({ to }) => to.in !== 'body-root');
  const headerNames = [
    ...Object.keys(headers),
    ...callerHeaders.map(({ name }) => name),
    ...security.flat().flatMap((credential) => headerOf(credential) ?? []),
  ].map((name) => name.toLowerCase());
  checkPlaces([...before, ...values], variables, report);
  for (const value of values) {
    checkNames(value, effect, report);
    const { key, to } = value;
    if (to.in === 'header' && headerNames.includes(to.name.toLowerCase()))
      report(['place', key], `the header ${to.name} is set by headers or credentials already`);
  }
  const body = extendBody(endpoint.body, values, plan, report);
  return {
    args: values.map(({ key, required, to }) => ({ key, required, to: [to] })),
    fixed: [],
    ...omitUndefined({ body }),
  };
}

function extendBody(
  before: BodyPlan | undefined,
  values: readonly PlacedValue[],
  { placements }: DefinedArguments,
  report: Report,
): BodyPlan | undefined {
  const parts = values.filter(({ to }) => to.in === 'body' || to.in === 'body-root');
  if (parts.length === 0) return before;
  const files = parts.filter(({ key }) => placements.get(key)?.file);
  const kind = before?.kind ?? (files.length > 0 ? 'multipart' : 'json');
  const required = parts.some((part) => part.required || part.always);
  const encoding: Record<string, PartEncoding> = { ...before?.encoding };
  for (const { key, to } of parts) {
    if (to.in === 'body-root')
      report(['place', key], 'cannot be the whole body; place it in body, as one of its fields');
    else if (kind === 'text' || kind === 'binary')
      report(['place', key], `cannot be part of a body that is ${kind === 'text' ? 'plain text' : 'one file'}`);
    else if (!files.some((file) => file.key === key)) continue;
    else if (kind === 'multipart' && to.in === 'body') encoding[to.at[0]!] = { file: true };
    else report(['place', key], `is a file, and the body is ${kind}; only a multipart body can contain files`);
  }
  return {
    ...(before ?? { kind, mediaType: MEDIA_TYPES[kind], required }),
    ...(Object.keys(encoding).length > 0 ? { encoding } : {}),
  };
}

type Report = (path: Path, message: string) => void;

/** Where an argument or fixed value goes. */
interface PlacedValue {
  readonly key: string;
  readonly to: Target;
  readonly required: boolean;
  /** Whether there is a value even if the caller passes none. */
  readonly always: boolean;
}

function listValues(plan: DefinedArguments, toTarget: (key: string) => Target): PlacedValue[] {
  return [...plan.properties.keys()].map((key) => {
    return { key, to: toTarget(key), required: plan.required.has(key), always: plan.defaulted.has(key) };
  });
}

/** In upper case; GET by default. */
export function methodOf({ method = 'GET' }: EndpointDefinition): string {
  return (typeof method === 'string' ? method : method.custom).toUpperCase();
}

/** `{id}` of `/posts/{id}`, each once. */
function templateVariables(path: string): Set<string> {
  return new Set([...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!));
}

function chooseTarget(
  key: string,
  { placements }: DefinedArguments,
  method: string,
  variables: ReadonlySet<string>,
  kind: BodyKind | undefined,
): Target {
  const placement = placements.get(key) ?? {};
  const name = placement.name ?? key;
  return buildTarget(placement.in ?? defaultLocation(name, placement, method, variables, kind), name, placement);
}

function defaultLocation(
  name: string,
  placement: Placement,
  method: string,
  variables: ReadonlySet<string>,
  kind: BodyKind | undefined,
): ArgumentLocation {
  if (variables.has(name)) return 'path';
  if (placement.at !== undefined || placement.file === true) return kind === 'binary' ? 'body-root' : 'body';
  if (QUERY_METHODS.has(method)) return 'query';
  return kind === 'text' || kind === 'binary' ? 'body-root' : 'body';
}

function buildTarget(where: ArgumentLocation, name: string, placement: Placement): Target {
  const { at, allowReserved, mediaType, arrays } = placement;
  if (where === 'body-root') return { in: 'body-root' };
  if (where === 'body') return { in: 'body', at: at ?? [name] };
  const style: ParameterStyle = placement.style ?? (where === 'path' || where === 'header' ? 'simple' : 'form');
  return {
    in: where,
    name,
    style,
    explode: placement.explode ?? (style === 'form' || style === 'deepObject' || style === 'cookie'),
    ...omitUndefined({ allowReserved, mediaType, arrays }),
  };
}

/** The arguments by their place. Two in one place, and places that do not exist, are mistakes. */
function checkPlaces(
  values: readonly PlacedValue[],
  variables: ReadonlySet<string>,
  report: Report,
): ReadonlyMap<string, string> {
  const byPlace = new Map<string, string>();
  for (const { key, to } of values) {
    const place = to.in === 'body-root' ? 'body' : `${to.in} ${nameOf(to)}`;
    const other = byPlace.get(place);
    if (other !== undefined && other !== key)
      report(['place', key], `goes to the same place as "${other}" (${place}); move one of them`);
    byPlace.set(place, key);
    if (to.in === 'path' && !variables.has(to.name)) {
      report(['path'], `has no {${to.name}}, but "${key}" is placed in the path; ${hint(to.name, [...variables])}`);
    }
    const fault = to.in === 'header' ? headerFault(to.name, 'configuration') : undefined;
    if (fault === 'malformed') report(['place', key], `${JSON.stringify(nameOf(to))} is not a header name`);
    if (fault === 'framing')
      report(['place', key], `the header ${nameOf(to)} is written by the HTTP client and cannot be set`);
  }
  return byPlace;
}

function checkTargets(values: readonly PlacedValue[], variables: ReadonlySet<string>, report: Report): void {
  const byPlace = checkPlaces(values, variables, report);
  for (const variable of variables) {
    if (!/^[^/?#\s]+$/.test(variable)) report(['path'], 'has an empty or malformed {variable}');
    else if (!byPlace.has(`path ${variable}`))
      report(['path'], `needs an argument or fixed value for {${variable}}; add "${variable}" to args`);
  }
  const part = values.find(({ to }) => to.in === 'body')?.key;
  const whole = values.find(({ to }) => to.in === 'body-root')?.key;
  if (whole !== undefined && part !== undefined)
    report(['place'], `"${whole}" is the whole body, so "${part}" cannot be part of it`);
}

function nameOf(to: Target): string {
  if (to.in === 'body') return to.at.join('.');
  return 'name' in to ? to.name : '';
}

/**
 * Refuses names that callers must not set: headers of the gateway, and in a read anything that would turn it into another
 * operation.
 */
function checkNames({ key, to }: PlacedValue, effect: Effect, report: Report): void {
  if (to.in === 'header') {
    if (headerFault(to.name, effect) === 'reserved')
      report(['place', key], `the header ${to.name} cannot be an argument; use credentials, headers or body instead`);
  } else if (effect === 'read' && (to.in === 'query' || to.in === 'body')) {
    const name = to.in === 'body' ? to.at[0] : to.name;
    if (name !== undefined && isMethodParameter(name))
      report(['place', key], `"${name}" would make this read another operation; declare that operation instead`);
  }
}

function planBody(
  definition: EndpointDefinition,
  kind: BodyKind | undefined,
  values: readonly PlacedValue[],
  constants: readonly PlacedValue[],
  { placements }: DefinedArguments,
  report: Report,
): BodyPlan | undefined {
  const inBody = ({ to }: PlacedValue) => to.in === 'body' || to.in === 'body-root';
  const args = values.filter(inBody);
  const parts = [...args, ...constants.filter(inBody)];
  if (parts.length === 0) {
    if (definition.body !== undefined)
      report(['body'], 'there is no argument in the body; place one there or remove body');
    return undefined;
  }
  const files = args.filter(({ key }) => placements.get(key)?.file);
  const own = typeof definition.body === 'object' ? definition.body : undefined;
  const actual = kind ?? (files.length > 0 ? 'multipart' : 'json');
  if ((actual === 'text' || actual === 'binary') && !args.some(({ to }) => to.in === 'body-root'))
    report(['body'], `a ${actual} body is one whole argument; place exactly one in body-root`);
  const encoding: Record<string, PartEncoding> = { ...own?.encoding };
  for (const { to } of files) {
    if (to.in === 'body') encoding[to.at[0]!] = { ...encoding[to.at[0]!], file: true };
  }
  return {
    kind: actual,
    mediaType: own?.mediaType ?? MEDIA_TYPES[actual],
    required: parts.some(({ required, always }) => required || always),
    ...(Object.keys(encoding).length > 0 ? { encoding } : {}),
    ...omitUndefined({ wrap: own?.wrap }),
  };
}

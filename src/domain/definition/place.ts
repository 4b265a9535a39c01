// Where arguments go. The rule: a name in the path template goes to the path; anything else goes to the query string
// for GET, HEAD and DELETE, and into the body for every other method. `place` overrides it, argument by argument.

import {
  HEADER_NAME,
  isArgumentHeader,
  isConfigurableHeader,
  isMethodParameter,
} from '../../endpoint/headers/header-names.ts';
import type { Arg, BodyPlan, Effect, FixedValue, ParameterStyle, PartEncoding, Target } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import { pickDefined } from '../pick-defined.ts';
import type { ArgumentPlan } from './argument-plan.ts';
import type { BodyKind, EndpointDefinition, Location, Placement } from './definition-types.ts';

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
  plan: ArgumentPlan,
  at: Path,
  problems: Problem[],
): WirePlan {
  const method = methodOf(definition);
  const variables = templateVariables(definition.path);
  const kind = typeof definition.body === 'string' ? definition.body : definition.body?.kind;
  const say = (path: Path, message: string) => problems.push({ path, message });
  const fixedKeys = Object.keys(definition.fixed ?? {});
  const names = [...plan.properties.keys(), ...fixedKeys];

  const toTarget = (key: string): Target => {
    const placement = plan.placements.get(key) ?? {};
    const name = placement.name ?? key;
    const where = placement.in ?? defaultLocation(name, placement, method, variables, kind);
    return buildTarget(where, name, placement);
  };

  for (const key of plan.placements.keys()) {
    if (!names.includes(key))
      say([...at, 'place', key], `there is no argument or fixed value "${key}"; ${hint(key, names)}`);
  }
  const args: Arg[] = [];
  for (const key of plan.properties.keys()) {
    const to = toTarget(key);
    const inPath = to.in === 'path';
    if (inPath && !plan.required.has(key) && !plan.defaulted.has(key)) {
      say([...at, 'args', key], 'is part of the path, so it must be required (or have a default)');
    }
    args.push({ key, required: plan.required.has(key), to: [to] });
  }
  const fixed = fixedKeys.map((key): FixedValue => {
    if (plan.properties.has(key))
      say([...at, 'fixed', key], 'is an argument as well; a value is either asked for or fixed');
    return { value: definition.fixed![key], to: toTarget(key) };
  });

  const targets = [
    ...args.map((arg) => [arg.key, arg.to[0]!] as const),
    ...fixed.map((value, i) => [fixedKeys[i]!, value.to] as const),
  ];
  checkTargets(targets, variables, at, say);
  for (const arg of args) checkNames(arg, effect, [...at, 'place', arg.key], say);
  const body = planBody(definition, kind, args, fixed, plan, at, say);
  return body === undefined ? { args, fixed } : { args, fixed, body };
}

/** In upper case; GET where nothing is said. */
export function methodOf({ method = 'GET' }: EndpointDefinition): string {
  return (typeof method === 'string' ? method : method.custom).toUpperCase();
}

/** `{id}` of `/posts/{id}`, each once. */
function templateVariables(path: string): Set<string> {
  return new Set([...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!));
}

function defaultLocation(
  name: string,
  placement: Placement,
  method: string,
  variables: ReadonlySet<string>,
  kind: BodyKind | undefined,
): Location {
  if (variables.has(name)) return 'path';
  if (placement.at !== undefined || placement.file === true) return kind === 'binary' ? 'body-root' : 'body';
  if (QUERY_METHODS.has(method)) return 'query';
  return kind === 'text' || kind === 'binary' ? 'body-root' : 'body';
}

function buildTarget(where: Location, name: string, placement: Placement): Target {
  const { at, allowReserved, mediaType, arrays } = placement;
  if (where === 'body-root') return { in: 'body-root' };
  if (where === 'body') return { in: 'body', at: at ?? [name] };
  const style: ParameterStyle = placement.style ?? (where === 'path' || where === 'header' ? 'simple' : 'form');
  return {
    in: where,
    name,
    style,
    explode: placement.explode ?? (style === 'form' || style === 'deepObject' || style === 'cookie'),
    ...pickDefined({ allowReserved, mediaType, arrays }),
  };
}

type Say = (path: Path, message: string) => void;

function checkTargets(
  targets: readonly (readonly [string, Target])[],
  variables: ReadonlySet<string>,
  at: Path,
  say: Say,
): void {
  const spots = new Map<string, string>();
  for (const [key, to] of targets) {
    const spot =
      to.in === 'body'
        ? `body ${to.at.join('.')}`
        : to.in === 'body-root'
          ? 'body'
          : `${to.in} ${'name' in to ? to.name : ''}`;
    const other = spots.get(spot);
    if (other !== undefined && other !== key)
      say([...at, 'place', key], `goes to the same place as "${other}" (${spot}); move one of them`);
    spots.set(spot, key);
    if (to.in === 'path' && !variables.has(to.name)) {
      say([...at, 'path'], `has no {${to.name}}, but "${key}" is placed in the path; ${hint(to.name, [...variables])}`);
    }
    if (to.in === 'header' && !HEADER_NAME.test(to.name)) {
      say([...at, 'place', key], `${JSON.stringify(to.name)} is not a header name`);
    }
    if (to.in === 'header' && !isConfigurableHeader(to.name)) {
      say([...at, 'place', key], `the header ${to.name} is written by the HTTP client and cannot be set`);
    }
  }
  for (const variable of variables) {
    if (!/^[^/?#\s]+$/.test(variable)) say([...at, 'path'], 'has an empty or malformed {variable}');
    else if (!spots.has(`path ${variable}`))
      say([...at, 'path'], `needs an argument or fixed value for {${variable}}; add "${variable}" to args`);
  }
  const bodies = targets.filter(([, to]) => to.in === 'body').map(([key]) => key);
  const whole = targets.find(([, to]) => to.in === 'body-root')?.[0];
  if (whole !== undefined && bodies.length > 0) {
    say([...at, 'place'], `"${whole}" is the whole body, so "${bodies[0]}" cannot be part of it`);
  }
}

/** What callers may not choose: headers that are ours, and in a read whatever would make it another operation. */
function checkNames(arg: Arg, effect: Effect, path: Path, say: Say): void {
  for (const to of arg.to) {
    const name = to.in === 'body' ? to.at[0] : 'name' in to ? to.name : undefined;
    if (name === undefined || to.in === 'path' || to.in === 'cookie') continue;
    if (to.in === 'header') {
      if (isConfigurableHeader(name) && !isArgumentHeader(name, effect)) {
        say(path, `the header ${name} cannot be an argument; use credentials, headers or body instead`);
      }
    } else if (effect === 'read' && isMethodParameter(name)) {
      say(path, `"${name}" would make this read another operation; declare the operation it really is`);
    }
  }
}

function planBody(
  definition: EndpointDefinition,
  kind: BodyKind | undefined,
  args: readonly Arg[],
  fixed: readonly FixedValue[],
  plan: ArgumentPlan,
  at: Path,
  say: Say,
): BodyPlan | undefined {
  const inBody = (to: Target) => to.in === 'body' || to.in === 'body-root';
  const parts = args.filter((arg) => arg.to.some(inBody));
  const constant = fixed.some((value) => inBody(value.to));
  if (parts.length === 0 && !constant) {
    if (definition.body !== undefined)
      say([...at, 'body'], 'there is no argument in the body; place one there or remove body');
    return undefined;
  }
  const declared = typeof definition.body === 'object' ? definition.body : undefined;
  const actual = kind ?? (parts.some((arg) => plan.placements.get(arg.key)?.file) ? 'multipart' : 'json');
  if ((actual === 'text' || actual === 'binary') && !parts.some((arg) => arg.to.some((to) => to.in === 'body-root'))) {
    say([...at, 'body'], `a ${actual} body is one whole argument; place exactly one in body-root`);
  }
  const encoding: Record<string, PartEncoding> = { ...declared?.encoding };
  for (const arg of parts) {
    const target = arg.to[0]!;
    if (plan.placements.get(arg.key)?.file && target.in === 'body')
      encoding[target.at[0]!] = { ...encoding[target.at[0]!], file: true };
  }
  return {
    kind: actual,
    mediaType: declared?.mediaType ?? MEDIA_TYPES[actual],
    required: constant || parts.some((arg) => arg.required || plan.defaulted.has(arg.key)),
    ...(Object.keys(encoding).length > 0 ? { encoding } : {}),
    ...(declared?.wrap === undefined ? {} : { wrap: declared.wrap }),
  };
}

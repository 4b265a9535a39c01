// Parameters and body fields → the flat public arguments: one key each, every key portable, every argument with exactly
// one way to the wire (OPENAPI.md 5.3).
import type { Arg, FixedValue, Target } from '../endpoint/model.ts';
import { fitName, MAX_ARGUMENT_KEY, toArgumentKey, toSnakeCase } from '../endpoint/names.ts';
import type { BodyDraft } from './body.ts';
import type { Parameter } from './parameters.ts';
import type { Place } from './resolve.ts';
import { type ArgumentExtension, argumentExtension } from './x-mcp.ts';

/** Where an argument's schema comes from; built only when somebody asks. */
export type Origin =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | { readonly kind: 'variable' }
  | { readonly kind: 'field'; readonly schemas: readonly Place[]; readonly file: boolean }
  | { readonly kind: 'whole'; readonly body: BodyDraft };

export interface Argument {
  readonly key: string;
  readonly wireName: string;
  /** As the document says; a field of an optional body is required only when the body is sent. */
  readonly required: boolean;
  readonly inBody: boolean;
  readonly to: readonly Target[];
  readonly origin: Origin;
  readonly extension: ArgumentExtension;
}

export interface ArgumentPlan {
  readonly arguments: readonly Argument[];
  readonly args: readonly Arg[];
  readonly fixed: readonly FixedValue[];
}

interface Draft extends Omit<Argument, 'key'> {
  readonly location: Parameter['in'] | 'body';
}

/** Path ids are what a model calls `id`; the body's field of the same name gives way. */
const PRECEDENCE: readonly Draft['location'][] = ['path', 'query', 'querystring', 'header', 'cookie', 'body'];

export function planArguments(
  parameters: readonly Parameter[],
  variables: readonly string[],
  body: BodyDraft | undefined,
): ArgumentPlan {
  const fixed: FixedValue[] = [];
  const drafts: Draft[] = [];
  const add = (draft: Draft) => {
    const { extension } = draft;
    if (extension.fixed !== undefined) for (const to of draft.to) fixed.push({ value: extension.fixed.value, to });
    else if (!extension.hidden || draft.required) drafts.push(draft);
  };
  for (const variable of variables) add(variableDraft(variable));
  for (const parameter of parameters) {
    add({
      location: parameter.in,
      wireName: parameter.name,
      required: parameter.required,
      inBody: false,
      to: [parameter.target],
      origin: { kind: 'parameter', parameter },
      extension: argumentExtension(parameter.object),
    });
  }
  if (body) for (const draft of bodyDrafts(body)) add(draft);

  const keys = chooseKeys(drafts);
  const planned = drafts.map((draft, index): Argument => ({ ...draft, key: keys[index]! }));
  return {
    arguments: planned,
    fixed,
    args: planned.map(({ key, required, inBody, to }) => ({
      key,
      required: required && !(inBody && body?.plan.required === false),
      to,
    })),
  };
}

function variableDraft(name: string): Draft {
  return {
    location: 'path',
    wireName: name,
    required: true,
    inBody: false,
    to: [{ in: 'path', name, style: 'simple', explode: false }],
    origin: { kind: 'variable' },
    extension: {},
  };
}

function bodyDrafts(body: BodyDraft): Draft[] {
  if (body.whole) {
    return [
      {
        location: 'body',
        wireName: body.whole.key,
        required: body.plan.required,
        inBody: true,
        to: [{ in: 'body-root' }],
        origin: { kind: 'whole', body },
        extension: {},
      },
    ];
  }
  return body.fields.map(({ name, required, schemas }): Draft => {
    const file = body.plan.encoding?.[name]?.file === true;
    return {
      location: 'body',
      wireName: name,
      required,
      inBody: true,
      to: [{ in: 'body', at: [name] }],
      origin: { kind: 'field', schemas, file },
      extension: argumentExtension(schemas[0]?.value),
    };
  });
}

/** Keys in the order of the drafts. Precedence decides who keeps a bare name; order decides who gets a number. */
function chooseKeys(drafts: readonly Draft[]): string[] {
  const bare = drafts.map(bareKey);
  const holders = new Map<string, number>();
  const order = drafts.map((_, index) => index).sort((a, b) => rank(drafts[a]!) - rank(drafts[b]!) || a - b);
  for (const index of order) if (!holders.has(bare[index]!)) holders.set(bare[index]!, index);
  const taken = new Set(holders.keys());
  const keys = [...bare];
  for (const index of order) {
    const wanted = bare[index]!;
    if (holders.get(wanted) === index) continue;
    const draft = drafts[index]!;
    const holder = drafts[holders.get(wanted)!]!;
    const distinct = holder.location === draft.location ? wanted : besideKey(draft, holder, wanted);
    keys[index] = freeKey(distinct, taken);
    taken.add(keys[index]!);
  }
  return keys;
}

function rank({ location, wireName, origin }: Draft): number {
  // `body` is what models expect a whole body to be called, so it keeps that name against all others.
  if (origin.kind === 'whole' && wireName === 'body') return -1;
  // Among equals, a name that needed no cleaning keeps it.
  return PRECEDENCE.indexOf(location) * 2 + (toArgumentKey(wireName, '') === wireName ? 0 : 1);
}

function bareKey({ wireName, location, extension }: Draft): string {
  if (extension.name !== undefined) return toArgumentKey(extension.name, 'argument');
  const key = toArgumentKey(wireName, location === 'body' ? 'field' : `${location}_value`);
  // Header names have no case: `X-Request-Id` reads best as x_request_id.
  return location === 'header' && key !== wireName ? fitName(toSnakeCase(wireName) || key, MAX_ARGUMENT_KEY) : key;
}

/** `body_<name>` for a body field, `<name>_<in>` for a parameter, `body_field` for one beside a whole body. */
function besideKey(draft: Draft, holder: Draft, key: string): string {
  if (holder.origin.kind === 'whole') return 'body_field';
  return draft.location === 'body' ? `body_${key}` : `${key}_${draft.location}`;
}

function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  const fitted = fitName(wanted, MAX_ARGUMENT_KEY);
  if (!taken.has(fitted)) return fitted;
  for (let number = 2; ; number++) {
    const suffix = `_${number}`;
    const candidate = fitName(wanted, MAX_ARGUMENT_KEY - suffix.length) + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

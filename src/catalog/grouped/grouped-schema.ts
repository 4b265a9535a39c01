// The input schema of a grouped tool: a discriminator, the fields all actions share, and every other field with a note
// on which actions need it. The notes are in the descriptions, because models read those.
import type { JsonSchema } from '../../endpoint/model.ts';
import { type FieldVariant, uniteField, withText } from '../../schema/field-union.ts';
import { isGeneric, type ObjectSchema } from '../operation-schema.ts';

/** The fields of one action as they are advertised. */
export interface ActionFields {
  readonly key: string;
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Whether it accepts other fields as well. */
  readonly open?: boolean | undefined;
}

export interface SharedFields {
  readonly fields: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Shown without a note: the gateway's own controls, which its instructions explain once. */
  readonly silent?: ReadonlySet<string>;
}

/** What the input schema of a grouped tool is built from. */
export interface GroupedSchemaInput {
  readonly actions: readonly ActionFields[];
  readonly discriminator: string;
  /** Fields of every action, from `commonSchema`. */
  readonly common?: SharedFields | undefined;
  /**
   * Fewer words: no notes on common fields, long lists of actions replaced by their exceptions, no texts the actions disagree on.
   */
  readonly lean?: boolean | undefined;
  /** The actions in words, if they do not fit the tool's description. */
  readonly actionText?: string | undefined;
}

/**
 * Builds the input schema of a grouped tool. It is the default of `strategies.schema`.
 *
 * ```ts
 * const schema = buildGroupedSchema({
 *   discriminator: 'action',
 *   actions: [{ key: 'get', fields: { id: { type: 'string' } }, required: ['id'] }],
 * });
 * console.assert(schema.type === 'object');
 * ```
 */
export function buildGroupedSchema(input: GroupedSchemaInput): ObjectSchema {
  const { actions, discriminator, actionText, lean } = input;
  const common = input.common ?? { fields: {}, required: [] };
  const commonFields = Object.entries(common.fields).map(([name, schema]): [string, JsonSchema] => {
    // An action may give a common field a schema of its own; then both are shown.
    const own = variantsOf(name, actions);
    const others: FieldVariant[] = own.length < actions.length ? [{ action: 'others', schema }] : [];
    const union = own.length === 0 ? schema : uniteField([...others, ...own], lean);
    const note = lean || common.silent?.has(name) ? '' : noteOfCommon(common.required.includes(name), actions);
    return [name, withText(union, note)];
  });
  const names = [...new Set(actions.flatMap((action) => Object.keys(action.fields)))];
  const own = names
    .filter((name) => !Object.hasOwn(common.fields, name))
    .map((name): [string, JsonSchema] => [
      name,
      withText(uniteField(variantsOf(name, actions), lean), noteOf(name, actions, lean)),
    ]);
  const choice: JsonSchema = {
    type: 'string',
    enum: actions.map((action) => action.key),
    ...(actionText !== undefined && { description: actionText }),
  };
  const isLast = ([name]: readonly [string, JsonSchema]) =>
    common.silent?.has(name) === true || (isGeneric(name) && !common.required.includes(name));
  const fields = [...commonFields, ...own];
  return {
    type: 'object',
    properties: Object.fromEntries([
      [discriminator, choice],
      ...fields.filter((field) => !isLast(field)),
      ...fields.filter((field) => isLast(field) && common.silent?.has(field[0]) !== true),
      // The gateway's own controls go last: they matter least to a model.
      ...fields.filter(([name]) => common.silent?.has(name) === true),
    ]),
    required: [discriminator, ...common.required],
    additionalProperties: actions.some(({ open }) => open === true),
  };
}

function noteOfCommon(required: boolean, actions: readonly ActionFields[]): string {
  return required ? '(always required)' : `For: ${keysOf(actions)}`;
}

/** Which actions require a field, and which only accept it. */
function noteOf(name: string, actions: readonly ActionFields[], lean = false): string {
  const using = actions.filter((action) => Object.hasOwn(action.fields, name));
  const needing = using.filter((action) => action.required.includes(name));
  const list = (some: readonly ActionFields[]) => (lean ? listBriefly(some, actions) : keysOf(some));
  if (needing.length === 0) return `For: ${list(using)}`;
  if (needing.length === using.length) return `Required for: ${list(using)}`;
  return `Required for: ${list(needing)}. For: ${list(using.filter((action) => !needing.includes(action)))}`;
}

/** A long list of actions is given as its exceptions, if those are fewer. */
function listBriefly(some: readonly ActionFields[], all: readonly ActionFields[]): string {
  const others = all.filter((action) => !some.includes(action));
  const shorter = some.length > MAX_LISTED && others.length > 0 && others.length + 1 < some.length;
  return shorter ? `all but ${keysOf(others)}` : keysOf(some);
}

const MAX_LISTED = 4;

function keysOf(some: readonly ActionFields[]): string {
  return some.map((action) => action.key).join(', ');
}

function variantsOf(name: string, actions: readonly ActionFields[]): FieldVariant[] {
  return actions
    .filter((action) => Object.hasOwn(action.fields, name))
    .map((action) => ({ action: action.key, schema: action.fields[name]! }));
}

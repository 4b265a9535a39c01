// Other readings of a value that does not fit (`"5"` as 5). They are tried only after a first failure, and only if a single reading
// is possible. Only values whose type was refused are changed, so a string stays as it is where strings are accepted. The result is
// validated again.
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { namesOf } from '../explain/show.ts';
import { ANY, ARRAY, BOOLEAN, FRACTION, NULL, NUMBER, OBJECT, possibleTypes, STRING, typeOf } from '../json-types.ts';
import { copyOf, setOwn, UNIONS } from '../keywords.ts';
import { conjuncts, findProperty, schemasAlong } from '../references.ts';
import { meantBranch } from '../walk/union-branches.ts';
import { type CheckError, findErrors, type WalkContext } from '../walk/walk-schema.ts';
import { MAX_VALUES, withinBounds } from './bounds.ts';
import { BUDGET_EXCEEDED, type Budget } from './budget.ts';

const LONG = /^-?[1-9]\d{15,19}$/;
const NUMERIC = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/;
/** A text may contain JSON with further texts; each round reads one level. */
const MAX_ROUNDS = 8;

type Path = readonly (string | number)[];

export interface Reading {
  /** The arguments with unambiguous readings applied; the same object if there are none. */
  readonly args: Args;
  /**
   * Integers with more digits than a number can hold, given as text; a number of the same sign replaces each while it is
   * validated.
   */
  readonly long: readonly { readonly path: Path; readonly digits: string }[];
}

/**
 * The readings found before the budget for them is spent. `fillsNull`: whether a required value that may be null and is missing
 * becomes null.
 */
export function coerce(schema: JsonSchema, args: Args, budget: Budget, fillsNull = true): Reading {
  const context: WalkContext = { root: schema, budget };
  const long: { path: Path; digits: string }[] = [];
  const copies = new Set<Holder>();
  /** Copies each object on the way to a change, once. */
  const own = (part: Holder): Holder => {
    const copy = copies.has(part) ? part : copyOf(part);
    copies.add(copy);
    return copy;
  };
  let reading: Args = args;
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const changes = findChanges(context, schema, reading, [], fillsNull);
      for (const { path, value, digits } of changes) {
        reading = own(reading as Holder);
        setAt(reading as Holder, path, value, own);
        if (digits !== undefined) long.push({ path, digits });
      }
      // Only a value that became an object or an array may contain further values to read.
      if (!changes.some(({ value }) => typeof value === 'object')) break;
    }
  } catch (error) {
    if (error !== BUDGET_EXCEEDED) throw error;
  }
  return { args: reading, long };
}

type Holder = Record<string | number, unknown>;

function setAt(root: Holder, path: Path, value: unknown, own: (part: Holder) => Holder): void {
  let holder = root;
  for (let step = 0; step < path.length - 1; step++) {
    const inner = own(holder[path[step]!] as Holder);
    setOwn(holder, path[step]!, inner);
    holder = inner;
  }
  if (value === undefined) delete holder[path.at(-1)!];
  else setOwn(holder, path.at(-1)!, value);
}

/** The arguments with every long integer in its place, as a bigint. The objects around them are copies already. */
export function withLongIntegers({ args, long }: Reading): Args {
  for (const { path, digits } of long) setAt(args as Holder, path, BigInt(digits), (part) => part);
  return args;
}

interface Change {
  readonly path: Path;
  /** Undefined if the value is removed. */
  readonly value: unknown;
  /** The digits of a long integer. */
  readonly digits?: string;
}

/** Other readings of the values that do not fit, in the branch of a union that was meant. */
function findChanges(
  context: WalkContext,
  schema: JsonSchema,
  value: unknown,
  start: Path,
  fillsNull: boolean,
): Change[] {
  const { root, budget } = context;
  return findErrors(context, schema, value, MAX_VALUES).flatMap((error): Change[] => {
    const path = start.length === 0 ? error.path : [...start, ...error.path];
    if (MISSES.has(error.keyword)) return fillsNull ? fillNull(root, error, path) : [];
    if (!REFUSES_TYPES.has(error.keyword)) return [];
    if (error.value === null) return leaveOut(root, schema, error) ? [{ path, value: undefined }] : [];
    const branch = branchOf(context, error);
    if (branch !== undefined) return findChanges(context, branch, error.value, path, fillsNull);
    const change = reread(error.value, possibleTypes(root, error.schema), budget);
    return change === undefined || change.value === error.value ? [] : [{ path, ...change }];
  });
}

const REFUSES_TYPES: ReadonlySet<string> = new Set(['type', 'enum', 'const', ...UNIONS]);

const MISSES: ReadonlySet<string> = new Set(['required', 'dependentRequired']);

/** Some clients leave out null values. A required field that may be null and is missing, while others are given, becomes null. */
function fillNull(root: JsonSchema, { schema, params, value }: CheckError, path: Path): Change[] {
  const name = String(params.missingProperty);
  const property = findProperty(root, schema, name);
  if (property === undefined || Object.keys(value as object).length === 0) return [];
  const types = possibleTypes(root, property);
  return types & NULL && types !== ANY ? [{ path: [...path, name], value: null }] : [];
}

/** Other clients write null for values that they want to omit. Not applied in maps, whose names the caller chose, or in lists. */
function leaveOut(root: JsonSchema, schema: JsonSchema, { path, schema: source }: CheckError): boolean {
  if (path.length === 0 || possibleTypes(root, source) & NULL) return false;
  const name = path.at(-1)!;
  const around = schemasAlong(root, schema, path.slice(0, -1))[path.length - 1];
  if (around === undefined || typeof name === 'number' || findProperty(root, around, name) === undefined) return false;
  return ![...conjuncts(root, [around])].some((part) => isObject(part) && namesOf(part.required).includes(name));
}

function branchOf(context: WalkContext, { keyword, schema, value }: CheckError): JsonSchema | undefined {
  const branches = UNIONS.some((union) => union === keyword) ? schema[keyword] : undefined;
  return Array.isArray(branches) ? meantBranch(context, branches, value) : undefined;
}

/** Another reading of a value whose type does not fit. */
function reread(value: unknown, types: number, budget: Budget): Omit<Change, 'path'> | undefined {
  if (types & typeOf(value)) return undefined;
  if (typeof value === 'number') {
    // Above 2^53 the digits are already lost, so the caller has to send a string.
    return Number.isSafeInteger(value) && (types & ~NULL) === STRING ? { value: String(value) } : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (types & BOOLEAN && (value === 'true' || value === 'false')) return { value: value === 'true' };
  if (types & NUMBER && NUMERIC.test(value)) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return { value: number };
    if (LONG.test(value)) return { value: Math.sign(number) * Number.MAX_SAFE_INTEGER, digits: value };
    return types & FRACTION && !Number.isInteger(number) ? { value: number } : undefined;
  }
  const opens = value.trimStart()[0];
  if (!((opens === '{' && types & OBJECT) || (opens === '[' && types & ARRAY))) return undefined;
  try {
    const reading: unknown = JSON.parse(value);
    return typeOf(reading) & types && withinBounds(reading, budget) === 'ok' ? { value: reading } : undefined;
  } catch {
    return undefined;
  }
}

// Turns schemas into functions with ajv, on first use, and forgets the ones not used lately when there are too many.
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../endpoint/model.ts';
import { countEffort, EFFORT_KEYWORD, spendEffort } from './effort.ts';
import { FORMATS, OPEN_FORMATS } from './formats.ts';
import { regExpEngine } from './regex.ts';
import { repairSchema, sizeProblem } from './repair.ts';
import { haveDuplicates } from './same.ts';

/** Something that was compiled and may be forgotten: the owner asks again when `check` is gone. */
export interface Slot {
  check: ValidateFunction | undefined;
  /** Size of the generated code, in characters. */
  weight: number;
  /** Tick of the last use, so that the hot path writes one number and allocates nothing. */
  used: number;
}

/** Generated code kept at a time. V8 holds the text and, once run, the compiled form. */
const MAX_WEIGHT = 24_000_000;
const MAX_SLOTS = 4_000;

const slots = new Set<Slot>();
let totalWeight = 0;
let clock = 0;

export function createSlot(): Slot {
  return { check: undefined, weight: 0, used: 0 };
}

/** The compiled function of a slot, made now if it has to be. */
export function checkOf(slot: Slot, schema: () => JsonSchema): ValidateFunction {
  slot.used = ++clock;
  return slot.check ?? fill(slot, schema());
}

function fill(slot: Slot, schema: JsonSchema): ValidateFunction {
  const { check, weight } = compileSchema(schema);
  slot.check = check;
  slot.weight = weight;
  slots.add(slot);
  totalWeight += weight;
  while (slots.size > 1 && (totalWeight > MAX_WEIGHT || slots.size > MAX_SLOTS)) forget(oldest(slot));
  return check;
}

function oldest(except: Slot): Slot {
  let found: Slot | undefined;
  for (const slot of slots) if (slot !== except && (!found || slot.used < found.used)) found = slot;
  return found!;
}

function forget(slot: Slot): void {
  slots.delete(slot);
  totalWeight -= slot.weight;
  slot.check = undefined;
  slot.weight = 0;
}

/** How many validators are held, and how large they are. */
export function compiledStats(): { readonly validators: number; readonly characters: number } {
  return { validators: slots.size, characters: totalWeight };
}

/** A compiled schema, and what of it could not be compiled. */
export interface CompiledSchema {
  readonly check: ValidateFunction;
  readonly weight: number;
  readonly notes: readonly string[];
}

/** Compiles a schema, repaired where it has to be. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const problem = sizeProblem(schema);
  if (problem === 'too large') throw new Error('the schema is too large to be compiled');
  try {
    if (problem !== undefined) throw new Error(problem);
    const compiled = compileAsIs(countEffort(schema));
    // An `$async` schema answers with a promise, which is always true.
    if (!('$async' in compiled.check)) return { ...compiled, notes: [] };
  } catch {
    // What exactly is wrong comes out of the repair.
  }
  const { schema: repaired, notes } = repairSchema(schema);
  return { ...compileAsIs(countEffort(repaired)), notes };
}

/**
 * Each schema gets an instance of its own: a shared one would keep every schema it ever saw (about 1 KB and 0.3 ms more
 * per instance, measured), and two documents could not both use the same `$id`.
 */
function compileAsIs(schema: JsonSchema): { check: ValidateFunction; weight: number } {
  let weight = 0;
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    unicodeRegExp: false,
    logger: false,
    messages: false,
    meta: false,
    // Prices in cents: 19.99 is a multiple of 0.01, though not in binary.
    multipleOfPrecision: 8,
    // Larger definitions become functions of their own instead of being copied to every place that refers to them.
    inlineRefs: 12,
    code: {
      regExp: regExpEngine,
      process: (code) => {
        weight += code.length;
        return code;
      },
    },
  });
  for (const [name, { on, test }] of FORMATS) {
    if (on === 'number') ajv.addFormat(name, { type: 'number', validate: test as (value: number) => boolean });
    else ajv.addFormat(name, { type: 'string', validate: test as (value: string) => boolean });
  }
  for (const name of OPEN_FORMATS) ajv.addFormat(name, true);
  // Before anything that may fail and leave: an entry counts when it begins.
  ajv.addKeyword({ keyword: EFFORT_KEYWORD, errors: false, before: 'id', validate: spendEffort });
  // ajv compares every pair of items; 50,000 objects would take minutes.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || !haveDuplicates(items),
  });
  return { check: ajv.compile(schema as AnySchema), weight };
}

// Turns schemas into functions with ajv. The arguments of a tool are compiled one by one, each when it is first given: a call
// pays for what it sends, not for the two hundred things it could have sent. What is too large to be compiled within one
// call is walked instead.
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ANNOTATIONS, DEFINITION_KEYWORDS } from '../keywords.ts';
import type { SchemaObject } from '../references.ts';
import { fitsSchema, isGiven } from '../walk/walk-schema.ts';
import {
  countEffort,
  countSchemas,
  EFFORT_KEYWORD,
  MAX_COMPILED,
  mayCompile,
  refersToRoot,
  spendEffort,
} from './effort.ts';
import { FORMATS, OPEN_FORMATS } from './formats.ts';
import { haveDuplicates, toMembership } from './json-equality.ts';
import { regExpEngine } from './pattern.ts';
import { repairSchema, sizeProblem } from './repair.ts';

/** Whether a value satisfies a schema. */
export type Check = (value: unknown) => boolean;

/** Told about every piece of code that is generated, by its length. */
export type OnCode = (characters: number) => void;

/** The check of a schema. Compiles on use; throws when not even a repaired schema compiles. */
export function createCheck(schema: JsonSchema, onCode: OnCode = () => {}): Check {
  const usable = toUsable(schema);
  const plain = isPlainArguments(usable);
  const source = createSource(usable, plain, onCode);
  return plain ? checkArguments(usable, source) : source(usable, '#');
}

const usables = new WeakMap<SchemaObject, JsonSchema>();

/** The schema itself, or, where it is wider or deeper than can be enforced, a repaired copy. */
export function toUsable(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const cached = usables.get(schema);
  if (cached !== undefined) return cached;
  const problem = sizeProblem(schema);
  if (problem === 'too large') throw new Error('the schema is too large to be compiled');
  const usable = problem === undefined ? schema : repairSchema(schema).schema;
  usables.set(schema, usable);
  return usable;
}

/** Compiles all of a schema as it stands; throws when ajv does. */
export function compileAll(schema: JsonSchema): void {
  const plain = isPlainArguments(schema);
  const ajv = createAjv(layOut(schema, plain), () => {});
  if (!plain) compile(ajv, '#');
  else for (const key of Object.keys(schema.properties)) compile(ajv, pointerOf([ARGUMENTS, key]));
}

/** Nothing at the root but named arguments, each with a schema of its own. */
function isPlainArguments(schema: JsonSchema): schema is PlainArguments {
  if (!isObject(schema) || schema.type !== 'object' || schema.additionalProperties !== false) return false;
  if (!isObject(schema.properties) || Object.hasOwn(schema.properties, '__proto__')) return false;
  if (schema.required !== undefined && !Array.isArray(schema.required)) return false;
  if (schema.dependentRequired !== undefined) {
    if (!isObject(schema.dependentRequired) || !Object.values(schema.dependentRequired).every(Array.isArray))
      return false;
  }
  const plain = Object.keys(schema).every((keyword) => PLAIN_KEYWORDS.has(keyword) || keyword.startsWith('x-'));
  return plain && !refersToRoot(schema);
}

const PLAIN_KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'dependentRequired',
  'additionalProperties',
  ...DEFINITION_KEYWORDS,
  ...ANNOTATIONS,
]);

type PlainArguments = SchemaObject & { readonly properties: SchemaObject };

function checkArguments(schema: PlainArguments, source: Source): Check {
  const properties = schema.properties;
  const required = (schema.required ?? []) as readonly string[];
  const companions = Object.entries((schema.dependentRequired ?? {}) as Record<string, readonly string[]>);
  const checks = new Map<string, Check>();
  const checkOf = (key: string): Check | undefined => {
    if (!Object.hasOwn(properties, key)) return undefined;
    const check = source(properties[key] as JsonSchema, pointerOf([ARGUMENTS, key]));
    checks.set(key, check);
    return check;
  };
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of required) if (!isGiven(value, name)) return false;
    for (const [key, needed] of companions) {
      if (isGiven(value, key)) for (const name of needed) if (!isGiven(value, name)) return false;
    }
    for (const key in value) {
      const check = checks.get(key) ?? checkOf(key);
      if (check === undefined || (value[key] !== undefined && !check(value[key]))) return false;
    }
    return true;
  };
}

/** ajv compiles the root before a part of it: arguments stand where the root has nothing to compile. */
const ARGUMENTS = 'x-landbridge-arguments';

function pointerOf(steps: readonly (string | number)[]): string {
  return `#${steps.map((step) => `/${encodeURIComponent(escapeStep(String(step)))}`).join('')}`;
}

function escapeStep(step: string): string {
  return step.replace(/~/g, '~0').replace(/\//g, '~1');
}

function layOut(schema: JsonSchema, plain: boolean): JsonSchema {
  const counted = countEffort(schema);
  if (!plain || !isObject(counted)) return counted;
  const { $defs, definitions, properties } = counted;
  return {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    [ARGUMENTS]: properties,
  };
}

/** The check of a part of a schema and the pointer to it. */
type Source = (part: JsonSchema, pointer: string) => Check;

/**
 * A part is compiled when it is small and the call that comes may still compile so much; else it is walked, by this call
 * or for good. From the schema as it is, or, where that does not compile, from a repaired copy.
 */
function createSource(schema: JsonSchema, plain: boolean, onCode: OnCode): Source {
  let whole: Ajv2020 | undefined;
  let repaired: Ajv2020 | undefined;
  const compilePart = (pointer: string): Check => {
    whole ??= createAjv(layOut(schema, plain), onCode);
    try {
      return compile(whole, pointer);
    } catch {
      // What exactly is wrong comes out of the repair.
    }
    repaired ??= createAjv(layOut(repairSchema(schema).schema, plain), onCode);
    return compile(repaired, pointer);
  };
  return (part, pointer) => {
    const size = countSchemas(schema, part);
    const walk: Check = (value) => fitsSchema(schema, part, value);
    if (size > MAX_COMPILED) return walk;
    let compiled: Check | undefined;
    return (value) => {
      if (compiled === undefined && mayCompile(size)) compiled = compilePart(pointer);
      return compiled === undefined ? walk(value) : compiled(value);
    };
  };
}

const ROOT = 'landbridge:arguments';

function compile(ajv: Ajv2020, pointer: string): Check {
  const check = ajv.getSchema(pointer === '#' ? ROOT : `${ROOT}${pointer}`);
  if (check === undefined) throw new Error(`nothing to compile at ${pointer}`);
  // An `$async` schema answers with a promise, which is always true.
  if ('$async' in check) throw new Error('the schema is asynchronous');
  return check as Check;
}

/**
 * An instance for one schema: a shared one would keep every schema it ever saw (an own one costs about 1 KB and 0.3 ms,
 * measured), and two documents could not both use the same `$id`.
 */
function createAjv(schema: JsonSchema, onCode: OnCode): Ajv2020 {
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
      // V8 does the same to what turns out to be hot; here it doubles the time of the first call.
      optimize: false,
      process: (code) => {
        onCode(code.length);
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
    validate: (unique: boolean, items: readonly unknown[]) => !unique || !haveDuplicates(items),
  });
  // It compares with every value in turn; with a hundred thousand items and as many values that never ends.
  ajv.removeKeyword('enum');
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', errors: false, compile: toMembership });
  return ajv.addSchema(schema as AnySchema, ROOT);
}

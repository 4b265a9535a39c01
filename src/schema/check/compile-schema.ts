// Compiles schemas to functions with ajv. The arguments of a tool are compiled one by one, each when it is first given: a call
// pays for what it sends, not for the two hundred arguments it could have sent. Schemas that are too large to compile within one
// call, or too expensive to run for every value, are walked instead.
import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import type { Ajv2020, AnySchema, Format } from 'ajv/dist/2020.js';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ANNOTATIONS, DEFINITION_KEYWORDS } from '../keywords.ts';
import type { SchemaObject } from '../references.ts';
import { isGiven } from '../walk/visit-inside.ts';
import { fitsSchema } from '../walk/walk-schema.ts';
import { ASSERTIONS } from './assertions.ts';
import { mayCompile, TOO_MUCH_EFFORT } from './effort.ts';
import { FORMATS } from './formats.ts';
import { haveDuplicates, membershipOf } from './json-equality.ts';
import { regExpEngine } from './pattern.ts';
import { toCompilable } from './repair.ts';

/** Whether a value satisfies a schema. */
export type Check = (value: unknown) => boolean;

/** Told about every piece of code that is generated, by its length. */
export type OnCode = (characters: number) => void;

/** The check of a schema. Compiles on use. */
export function createCheck(schema: JsonSchema, onCode: OnCode = () => {}): Check {
  let ajv: Ajv2020 | undefined;
  const compile = (part: JsonSchema): Check => {
    ajv ??= createAjv(onCode);
    return ajv.compile(part as AnySchema) as Check;
  };
  if (!isPlainArguments(schema)) return checkPart(schema, schema, compile);
  return checkArguments(schema, (part) => checkPart(schema, part, compile));
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
  return Object.keys(schema).every((keyword) => PLAIN_KEYWORDS.has(keyword) || keyword.startsWith('x-'));
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

function checkArguments(schema: PlainArguments, createPart: (part: JsonSchema) => Check): Check {
  const properties = schema.properties;
  const required = (schema.required ?? []) as readonly string[];
  const companions = Object.entries((schema.dependentRequired ?? {}) as Record<string, readonly string[]>);
  const checks = new Map<string, Check>();
  const checkOf = (key: string): Check | undefined => {
    if (!Object.hasOwn(properties, key)) return undefined;
    const check = createPart(properties[key] as JsonSchema);
    checks.set(key, check);
    return check;
  };
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of required) if (!isGiven(value, name)) return false;
    for (const [key, names] of companions) {
      if (isGiven(value, key)) for (const name of names) if (!isGiven(value, name)) return false;
    }
    for (const key in value) {
      const check = checks.get(key) ?? checkOf(key);
      if (check === undefined || (value[key] !== undefined && !check(value[key]))) return false;
    }
    return true;
  };
}

/**
 * A part is compiled when the compiler is there and a call may still compile that much; until then, or if ajv does not accept it,
 * it is walked. It is also walked from the first value on which the compiled code itself throws: ajv's records of evaluated names may
 * be missing when they are read.
 */
function checkPart(root: JsonSchema, part: JsonSchema, compile: (part: JsonSchema) => Check): Check {
  const walk: Check = (value) => fitsSchema(root, part, value);
  const compilable = toCompilable(root, part);
  if (compilable === undefined) return walk;
  let check: Check | undefined;
  return (value) => {
    if (check === undefined && hasCompiler() && mayCompile(compilable.size)) {
      try {
        check = compile(compilable.schema);
      } catch {
        check = walk;
      }
    }
    if (check === undefined || check === walk) return walk(value);
    try {
      return check(value);
    } catch (error) {
      if (error === TOO_MUCH_EFFORT) throw error;
      check = walk;
      return walk(value);
    }
  };
}

let library: typeof Ajv | undefined;
let isLate = false;

/** Somebody loads the compiler in steps, once there is time for it: until then, arguments are walked, so that no call waits for it. */
export function expectCompilerLater(): void {
  isLate = true;
}

function hasCompiler(): boolean {
  return library !== undefined || !isLate;
}

/** Loaded with the first schema that is compiled: 75 modules, 35 ms and 8 MB that no list needs. */
const loadAjv = (): typeof Ajv => (library ??= createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Ajv);

/** In an order in which each brings about as much as the one before it. */
const AJV_PARTS = ['compile/codegen/index.js', 'compile/validate/index.js', 'core.js', 'vocabularies/draft2020.js'];

/** Loads the compiler in steps: all at once that takes 40 to 65 ms, with the event loop blocked. */
export function* prepareCompiler(): Generator<void, void> {
  expectCompilerLater();
  const require = createRequire(import.meta.url);
  for (const part of AJV_PARTS) {
    try {
      require(`ajv/dist/${part}`);
    } catch {
      // Only a matter of speed: if another version has no such file, the last step loads the rest.
    }
    yield;
  }
  loadAjv();
  yield;
  createAjv(() => {}).compile({ type: 'object', properties: { name: { type: 'string' } } });
}

/** An instance for one tool: a shared one would keep every schema it ever saw (an own one costs 1 KB and 0.3 ms). */
function createAjv(onCode: OnCode): Ajv2020 {
  const { _, Ajv2020 } = loadAjv();
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
    formats: Object.fromEntries(
      [...FORMATS].map(([name, { on, test }]) => [name, { type: on, validate: test } as Format]),
    ),
    code: {
      regExp: regExpEngine,
      // V8 optimises hot code anyway; here it would double the time of the first call.
      optimize: false,
      process: (code) => {
        onCode(code.length);
        return code;
      },
    },
  });
  // ajv counts the characters of every string, even if its length in units already decides.
  for (const keyword of ['maxLength', 'minLength']) {
    const { holds } = ASSERTIONS[keyword]!;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      before: 'pattern',
      code: (place) => place.pass(_`${place.gen.scopeValue('func', { ref: holds })}(${place.data}, ${place.schema})`),
    });
  }
  // ajv compares every pair of items; 50,000 objects would take minutes.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (unique: boolean, items: readonly unknown[]) => !unique || !haveDuplicates(items),
  });
  // ajv compares with each value in turn; a hundred thousand items and as many values would take forever.
  ajv.removeKeyword('enum');
  return ajv.addKeyword({ keyword: 'enum', schemaType: 'array', errors: false, compile: membershipOf });
}

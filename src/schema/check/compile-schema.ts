// Turns schemas into functions with ajv. The arguments of a tool are compiled one by one, each when it is first given:
// a call pays for what it sends, not for the two hundred things it could have sent.
import { Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import type { SchemaObject } from '../schema-view.ts';
import { countEffort, EFFORT_KEYWORD, refersToRoot, spendEffort } from './effort.ts';
import { FORMATS, OPEN_FORMATS } from './formats.ts';
import { haveDuplicates } from './json-equality.ts';
import { regExpEngine } from './pattern.ts';
import { repairSchema, sizeProblem } from './repair.ts';

/** Whether a value satisfies a schema; `errors` holds what ajv found, after a failure. */
export interface Check {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Told about every piece of code that is generated, by its length. */
export type OnCode = (characters: number) => void;

/** The check of a schema. Compiles on use; throws when not even a repaired schema compiles. */
export function createCheck(schema: JsonSchema, onCode: OnCode = () => {}): Check {
  const problem = sizeProblem(schema);
  if (problem === 'too large') throw new Error('the schema is too large to be compiled');
  const plain = isPlainArguments(schema);
  const source = createSource(schema, plain, problem === undefined, onCode);
  return plain ? checkArguments(schema, source) : source('#');
}

/** Compiles all of a schema as it stands; throws when ajv does. */
export function compileAll(schema: JsonSchema): void {
  const ajv = createAjv(layOut(schema, isPlainArguments(schema)), () => {});
  if (!isPlainArguments(schema)) compile(ajv, '#');
  else for (const key of Object.keys(schema.properties)) compile(ajv, pointerOf(key));
}

/** Nothing at the root but named arguments, each with a schema of its own. */
function isPlainArguments(schema: JsonSchema): schema is SchemaObject & { readonly properties: SchemaObject } {
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
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  '$schema',
  '$comment',
]);

function checkArguments(schema: SchemaObject & { readonly properties: SchemaObject }, source: Source): Check {
  const properties = schema.properties;
  const required = (schema.required ?? []) as readonly string[];
  const companions = Object.entries((schema.dependentRequired ?? {}) as Record<string, readonly string[]>);
  const checks = new Map<string, Check>();
  const check: Check = (value) => {
    check.errors = null;
    if (!isObject(value)) return false;
    for (const name of required) if (!isGiven(value, name)) return false;
    for (const [key, needed] of companions) {
      if (isGiven(value, key)) for (const name of needed) if (!isGiven(value, name)) return false;
    }
    for (const key in value) {
      let one = checks.get(key);
      if (one === undefined) {
        if (!Object.hasOwn(properties, key)) return false;
        one = source(pointerOf(key));
        checks.set(key, one);
      }
      if (value[key] !== undefined && !one(value[key])) {
        check.errors = one.errors ?? null;
        return false;
      }
    }
    return true;
  };
  return check;
}

function isGiven(args: Record<string, unknown>, name: string): boolean {
  return args[name] !== undefined && Object.hasOwn(args, name);
}

/** ajv compiles the root before a part of it: arguments stand where the root has nothing to compile. */
const ARGUMENTS = 'x-landbridge-arguments';

function pointerOf(key: string): string {
  return `#/${ARGUMENTS}/${encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))}`;
}

function layOut(schema: JsonSchema, plain: boolean): JsonSchema {
  if (!plain || !isObject(schema)) return countEffort(schema);
  const { $defs, definitions } = countEffort(schema) as SchemaObject;
  return {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    [ARGUMENTS]: schema.properties,
  };
}

/** Compiles the part of a schema at a pointer. */
type Source = (pointer: string) => Check;

/** From the schema as it is, or, where that does not compile, from a repaired copy. */
function createSource(schema: JsonSchema, plain: boolean, usable: boolean, onCode: OnCode): Source {
  let ajv: Ajv2020 | undefined;
  let repaired: Ajv2020 | undefined;
  return (pointer) => {
    if (usable) {
      ajv ??= createAjv(layOut(schema, plain), onCode);
      try {
        return compile(ajv, pointer);
      } catch {
        // What exactly is wrong comes out of the repair.
      }
    }
    repaired ??= createAjv(layOut(repairSchema(schema).schema, plain), onCode);
    return compile(repaired, pointer);
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
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || !haveDuplicates(items),
  });
  return ajv.addSchema(schema as AnySchema, ROOT);
}

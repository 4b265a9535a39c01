// Turns schemas into functions with ajv. The arguments of a tool are compiled one by one, each when it is first given:
// a call pays for what it sends, not for the two hundred things it could have sent.
import {
  _,
  Ajv2020,
  type AnySchema,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordErrorDefinition,
} from 'ajv/dist/2020.js';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ANNOTATIONS, DEFINITION_KEYWORDS, mapSubschemas, subschemas, UNIONS } from '../keywords.ts';
import type { SchemaObject } from '../references.ts';
import { countEffort, EFFORT_KEYWORD, refersToRoot, spendEffort } from './effort.ts';
import { FORMATS, OPEN_FORMATS } from './formats.ts';
import { haveDuplicates, toMembership } from './json-equality.ts';
import { regExpEngine } from './pattern.ts';
import { repairSchema, sizeProblem } from './repair.ts';
import { type PartOf, toSearch, WIDE } from './wide-union.ts';

/** One error of ajv. */
export type CheckError = ErrorObject;

/** Whether a value satisfies a schema; `errors` holds what ajv found, after a failure. */
export interface Check {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** The check of a schema and of its parts. */
export interface SchemaCheck extends Check {
  /** The check of what stands at some steps below `holder`, a schema that an error came from; explaining modes only. */
  part(holder: object, ...steps: readonly (string | number)[]): Check | undefined;
}

/**
 * `decide` finds out whether a value fits, as fast as can be. The others run after it has failed: `all` finds everything
 * that is wrong, `first` one thing, for arguments too large for all; both say which schema and which value it is about.
 */
export type Mode = 'decide' | 'all' | 'first';

/** Told about every piece of code that is generated, by its length. */
export type OnCode = (characters: number) => void;

/** The check of a schema. Compiles on use; throws when not even a repaired schema compiles. */
export function createCheck(schema: JsonSchema, onCode: OnCode = () => {}, mode: Mode = 'decide'): SchemaCheck {
  const problem = sizeProblem(schema);
  if (problem === 'too large') throw new Error('the schema is too large to be compiled');
  const plain = isPlainArguments(schema);
  const source = createSource(schema, plain, problem === undefined, onCode, mode);
  const check = plain ? checkArguments(schema, source, mode) : source.compile('#');
  const part: SchemaCheck['part'] = (holder, ...steps) => source.compilePart(holder, steps);
  return Object.assign(check, { part });
}

/** Compiles all of a schema as it stands; throws when ajv does. */
export function compileAll(schema: JsonSchema): void {
  const plain = isPlainArguments(schema);
  const ajv = createAjv(layOut(schema, plain, 'decide'), () => {}, 'decide');
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

/** Problems of one place after which there is no point in finding more. */
const ENOUGH_ERRORS = 40;

function checkArguments(schema: PlainArguments, source: Source, mode: Mode): Check {
  const properties = schema.properties;
  const required = (schema.required ?? []) as readonly string[];
  const companions = Object.entries((schema.dependentRequired ?? {}) as Record<string, readonly string[]>);
  const checks = new Map<string, Check>();
  const checkOf = (key: string): Check | undefined => {
    if (!Object.hasOwn(properties, key)) return undefined;
    const check = source.compile(pointerOf([ARGUMENTS, key]));
    checks.set(key, check);
    return check;
  };
  const decide: Check = (value) => {
    decide.errors = null;
    if (!isObject(value)) return false;
    for (const name of required) if (!isGiven(value, name)) return false;
    for (const [key, needed] of companions) {
      if (isGiven(value, key)) for (const name of needed) if (!isGiven(value, name)) return false;
    }
    for (const key in value) {
      const check = checks.get(key) ?? checkOf(key);
      if (check === undefined) return false;
      if (value[key] !== undefined && !check(value[key])) {
        decide.errors = check.errors ?? null;
        return false;
      }
    }
    return true;
  };
  if (mode === 'decide') return decide;
  const describe: Check = (value) => {
    if (!isObject(value)) {
      describe.errors = [toError('type', { type: 'object' }, schema, value)];
      return false;
    }
    const errors = argumentErrors(schema, value, required, companions);
    for (const key of Object.keys(value)) {
      if (errors.length >= ENOUGH_ERRORS || (mode === 'first' && errors.length > 0)) break;
      const check = checks.get(key) ?? checkOf(key);
      if (check === undefined || value[key] === undefined || check(value[key])) continue;
      const start = `/${escapeStep(key)}`;
      for (const error of check.errors ?? []) errors.push({ ...error, instancePath: start + error.instancePath });
    }
    describe.errors = errors;
    return errors.length === 0;
  };
  return describe;
}

/** What ajv would say about the names of the arguments. */
function argumentErrors(
  schema: PlainArguments,
  args: Record<string, unknown>,
  required: readonly string[],
  companions: readonly [string, readonly string[]][],
): ErrorObject[] {
  const errors: ErrorObject[] = [];
  const add = (keyword: string, params: Record<string, unknown>): void => {
    if (errors.length < ENOUGH_ERRORS) errors.push(toError(keyword, params, schema, args));
  };
  for (const name of required) if (!isGiven(args, name)) add('required', { missingProperty: name });
  for (const [property, needed] of companions) {
    if (!isGiven(args, property)) continue;
    for (const name of needed) if (!isGiven(args, name)) add('dependentRequired', { property, missingProperty: name });
  }
  for (const key of Object.keys(args))
    if (!Object.hasOwn(schema.properties, key)) add('additionalProperties', { additionalProperty: key });
  return errors;
}

function toError(keyword: string, params: Record<string, unknown>, schema: SchemaObject, data: unknown): ErrorObject {
  return { keyword, params, instancePath: '', schemaPath: '', parentSchema: schema, data };
}

function isGiven(args: Record<string, unknown>, name: string): boolean {
  return args[name] !== undefined && Object.hasOwn(args, name);
}

/** ajv compiles the root before a part of it: arguments stand where the root has nothing to compile. */
const ARGUMENTS = 'x-landbridge-arguments';

function pointerOf(steps: readonly (string | number)[]): string {
  return `#${steps.map((step) => `/${encodeURIComponent(escapeStep(String(step)))}`).join('')}`;
}

function escapeStep(step: string): string {
  return step.replace(/~/g, '~0').replace(/\//g, '~1');
}

function layOut(schema: JsonSchema, plain: boolean, mode: Mode): JsonSchema {
  const counted = countEffort(mode === 'decide' ? schema : withRefsLast(schema), mode === 'all');
  if (!plain || !isObject(counted)) return counted;
  const { $defs, definitions, properties } = counted;
  return {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    [ARGUMENTS]: properties,
  };
}

/**
 * A reference beside other keywords moves into `allOf`, which ajv looks at after unions: the errors of a union's branches
 * then stand right before that of the union itself.
 */
function withRefsLast(schema: JsonSchema): JsonSchema {
  const copies = new Map<SchemaObject, SchemaObject>();
  const move = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner;
    const copied = copies.get(inner);
    if (copied) return copied;
    const { $ref, ...copy } = mapSubschemas(inner, move);
    const alone = $ref === undefined || Object.keys(copy).length === 0;
    const rest = Array.isArray(copy.allOf) ? copy.allOf : [];
    const result = alone ? { ...copy, ...($ref !== undefined && { $ref }) } : { ...copy, allOf: [{ $ref }, ...rest] };
    copies.set(inner, result);
    return result;
  };
  return move(schema) as JsonSchema;
}

/** Compiles parts of a schema. */
interface Source {
  compile(pointer: string): Check;
  compilePart(holder: object, steps: readonly (string | number)[]): Check | undefined;
}

/** From the schema as it is, or, where that does not compile, from a repaired copy. */
function createSource(schema: JsonSchema, plain: boolean, usable: boolean, onCode: OnCode, mode: Mode): Source {
  let whole: Compiler | undefined;
  let repaired: Compiler | undefined;
  return {
    compile(pointer) {
      if (usable) {
        whole ??= createCompiler(layOut(schema, plain, mode), onCode, mode);
        try {
          return whole.compile(pointer);
        } catch {
          // What exactly is wrong comes out of the repair.
        }
      }
      repaired ??= createCompiler(layOut(repairSchema(schema).schema, plain, mode), onCode, mode);
      return repaired.compile(pointer);
    },
    compilePart: (holder, steps) => whole?.compilePart(holder, steps) ?? repaired?.compilePart(holder, steps),
  };
}

interface Compiler {
  compile(pointer: string): Check;
  /** undefined where the holder is not part of this schema. */
  compilePart(holder: object, steps: readonly (string | number)[]): Check | undefined;
}

function createCompiler(schema: JsonSchema, onCode: OnCode, mode: Mode): Compiler {
  let places: Map<object, readonly (string | number)[]> | undefined;
  const compilePart = (holder: object, steps: readonly (string | number)[]): Check | undefined => {
    places ??= placesOf(schema);
    const place = places.get(holder);
    return place === undefined ? undefined : compile(ajv, pointerOf([...place, ...steps]));
  };
  const ajv = createAjv(schema, onCode, mode);
  // Which names a branch has looked at is known to compiled code only.
  if (!usesUnevaluated(schema)) addUnions(ajv, schema, (holder, ...steps) => compilePart(holder, steps));
  return { compile: (pointer) => compile(ajv, pointer), compilePart };
}

function usesUnevaluated(schema: unknown, depth = 0): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (depth > MAX_LOOKED_INTO || 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema) return true;
  return Object.values(schema).some((part) => usesUnevaluated(part, depth + 1));
}

const MAX_LOOKED_INTO = 300;

/** Where every schema stands. */
function placesOf(root: JsonSchema): Map<object, readonly (string | number)[]> {
  const places = new Map<object, readonly (string | number)[]>();
  const visit = (schema: unknown, place: readonly (string | number)[]): void => {
    if (!isObject(schema) || places.has(schema)) return;
    places.set(schema, place);
    for (const [keyword, key, inner] of subschemas(schema))
      visit(inner, key === undefined ? [...place, keyword] : [...place, keyword, key]);
    for (const keyword of [...DEFINITION_KEYWORDS, ARGUMENTS]) {
      const map = schema[keyword];
      if (isObject(map)) for (const name of Object.keys(map)) visit(map[name], [...place, keyword, name]);
    }
  };
  visit(root, []);
  return places;
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
function createAjv(schema: JsonSchema, onCode: OnCode, mode: Mode): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    unicodeRegExp: false,
    logger: false,
    messages: false,
    meta: false,
    allErrors: mode === 'all',
    verbose: mode !== 'decide',
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
  // It compares with every value in turn; with a hundred thousand items and as many values that never ends.
  ajv.removeKeyword('enum');
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', errors: false, compile: toMembership });
  return ajv.addSchema(schema as AnySchema, ROOT);
}

/** Replaces ajv's `anyOf` and `oneOf`; unions that are not wide are left to what was there. */
function addUnions(ajv: Ajv2020, root: JsonSchema, partOf: PartOf): void {
  for (const name of UNIONS) {
    const keyword = toKeyword(ajv.getKeyword(name) as CodeKeywordDefinition, root, partOf);
    ajv.removeKeyword(name).addKeyword(keyword);
  }
}

type ErrorContext = Parameters<Extract<KeywordErrorDefinition['params'], (...all: never) => unknown>>[0];

function toKeyword(keyword: CodeKeywordDefinition, root: JsonSchema, partOf: PartOf): CodeKeywordDefinition {
  const exclusive = keyword.keyword === 'oneOf';
  const { params: usual } = keyword.error!;
  const usualParams = (cxt: ErrorContext) => (typeof usual === 'function' ? usual(cxt) : (usual ?? _`{}`));
  return {
    ...keyword,
    // Where ajv has them.
    before: 'allOf',
    error: {
      ...keyword.error!,
      // `alone`: what the branches said is not among the errors before this one.
      params: (cxt) =>
        cxt.params.pair === undefined ? usualParams(cxt) : _`{passingSchemas: ${cxt.params.pair}, alone: true}`,
    },
    code(cxt) {
      const { schema, parentSchema, data, gen } = cxt;
      const branches = schema as readonly unknown[];
      if (branches.length <= WIDE || !branches.every(isObject)) return keyword.code(cxt);
      const search = toSearch(root, parentSchema, String(keyword.keyword), exclusive, partOf);
      const pair = gen.const('pair', _`${gen.scopeValue('func', { ref: search })}(${data})`);
      cxt.setParams({ pair });
      cxt.pass(_`${pair} === undefined`);
    },
  };
}

// Decides whether a value fits its schema. There are two validators, because neither can do the work of the other:
//
// - ajv compiles a schema to a function that returns true or false. It decides most calls: bodies of 500 items are checked 50 times faster
//   than by walking. Its errors are not read, because it stops at the first broken rule and does not know which branch of a union
//   was meant.
// - walk/ reads the schema as it checks, and compiles nothing. It explains every refusal: it continues after a broken rule, and records
//   the place, the schema of the rule and the branches of a union. It also decides where ajv must not or cannot:
//   - the schema has more than 60 parts, or its references lead in circles (toCompilable() in repair.ts): compiling would take
//     longer than the call;
//   - the compiled code would take much time for a single value, or ajv is known to misread the schema (repair.ts);
//   - this call has compiled 60 schemas already (Budget.mayCompile), or ajv is not loaded yet (expectCompilerLater());
//   - ajv refuses the schema, or its code throws.
//   A walk pays for each step and ends when its budget is spent.
//
// Both use the same assertions (assertions.ts) and the same repairs, and both are compared with each other and with plain ajv on
// random schemas (test/schema/validate-property.test.ts, validate-compiled.test.ts).
//
// The arguments of a tool are compiled one by one, each when it is first given: a call pays for what it sends, not for the two
// hundred arguments that it could have sent.
import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import type { Ajv2020, AnySchema, Format } from 'ajv/dist/2020.js';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { ANNOTATIONS, DEFINITION_KEYWORDS } from '../keywords.ts';
import type { SchemaObject } from '../references.ts';
import { isGiven } from '../walk/container-rules.ts';
import { fitsSchema } from '../walk/walk-schema.ts';
import { ASSERTIONS } from './assertions.ts';
import { BUDGET_EXCEEDED, type Budget } from './budget.ts';
import { type CheckedFormat, FORMATS } from './formats.ts';
import { haveDuplicates, type ValueSet, valueSetOf } from './json-equality.ts';
import { safePattern } from './pattern.ts';
import { toCompilable } from './repair.ts';

/** Whether a value satisfies a schema. */
export type SchemaCheck = (value: unknown, budget: Budget) => boolean;

/** Called with the length of every piece of generated code. */
export type OnCode = (characters: number) => void;

/** The check of a schema. Compiles on use. */
export function createCheck(schema: JsonSchema, onCode: OnCode = () => {}): SchemaCheck {
  let compiler: Compiler | undefined;
  const compile = (part: JsonSchema): SchemaCheck => {
    compiler ??= new Compiler(onCode);
    return compiler.compile(part);
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

function checkArguments(schema: PlainArguments, createPart: (part: JsonSchema) => SchemaCheck): SchemaCheck {
  const properties = schema.properties;
  const required = (schema.required ?? []) as readonly string[];
  const dependents = Object.entries((schema.dependentRequired ?? {}) as Record<string, readonly string[]>);
  const checks = new Map<string, SchemaCheck>();
  const checkOf = (key: string): SchemaCheck | undefined => {
    if (!Object.hasOwn(properties, key)) return undefined;
    const check = createPart(properties[key] as JsonSchema);
    checks.set(key, check);
    return check;
  };
  return (value, budget) => {
    if (!isObject(value)) return false;
    for (const name of required) if (!isGiven(value, name)) return false;
    for (const [key, names] of dependents) {
      if (isGiven(value, key)) for (const name of names) if (!isGiven(value, name)) return false;
    }
    for (const key in value) {
      const check = checks.get(key) ?? checkOf(key);
      if (check === undefined || (value[key] !== undefined && !check(value[key], budget))) return false;
    }
    return true;
  };
}

/**
 * Compiles a part as soon as the compiler is loaded and the call may still compile that much. Until then, or if ajv does not accept
 * the part, it is walked. It is also walked from the first value on which the compiled code itself throws: ajv's records of
 * evaluated names may be missing when they are read.
 */
function checkPart(root: JsonSchema, part: JsonSchema, compile: (part: JsonSchema) => SchemaCheck): SchemaCheck {
  const walk: SchemaCheck = (value, budget) => fitsSchema({ root, budget }, part, value);
  const compilable = toCompilable(root, part);
  if (compilable === undefined) return walk;
  let check: SchemaCheck | undefined;
  return (value, budget) => {
    if (check === undefined && hasCompiler() && budget.mayCompile(compilable.size)) {
      try {
        check = compile(compilable.schema);
      } catch {
        check = walk;
      }
    }
    if (check === undefined || check === walk) return walk(value, budget);
    try {
      return check(value, budget);
    } catch (error) {
      if (error === BUDGET_EXCEEDED) throw error;
      check = walk;
      return walk(value, budget);
    }
  };
}

let library: typeof Ajv | undefined;
let isLate = false;

/** Announces that the compiler will be loaded later, in steps. Until then arguments are walked, so that no call waits for it. */
export function expectCompilerLater(): void {
  isLate = true;
}

function hasCompiler(): boolean {
  return library !== undefined || !isLate;
}

/** Loaded with the first schema that is compiled: 75 modules, 35 ms and 8 MB that listing tools does not need. */
const loadAjv = (): typeof Ajv => (library ??= createRequire(import.meta.url)('ajv/dist/2020.js') as typeof Ajv);

/** In an order in which each loads about as much as the one before it. */
const AJV_PARTS = ['compile/codegen/index.js', 'compile/validate/index.js', 'core.js', 'vocabularies/draft2020.js'];

/** Loads the compiler in steps: all at once that takes 40 to 65 ms, with the event loop blocked. */
export function* prepareCompiler(): Generator<void, void> {
  expectCompilerLater();
  const require = createRequire(import.meta.url);
  for (const part of AJV_PARTS) {
    try {
      require(`ajv/dist/${part}`);
    } catch {
      // Another version of ajv may have no such file. Then the last step loads the rest.
    }
    yield;
  }
  loadAjv();
  yield;
  new Compiler(() => {}).compile({ type: 'object', properties: { name: { type: 'string' } } });
}

/** ajv for one tool: a shared instance would keep every schema it ever saw; an instance costs 1 KB and 0.3 ms. */
class Compiler {
  readonly #ajv: Ajv2020;
  /** The budget of the check in progress: generated code passes only values to our functions. */
  #budget: Budget | undefined;

  constructor(onCode: OnCode) {
    const { Ajv2020 } = loadAjv();
    this.#ajv = new Ajv2020({
      strict: false,
      ownProperties: true,
      validateSchema: false,
      unicodeRegExp: false,
      logger: false,
      messages: false,
      meta: false,
      // Prices in cents: 19.99 is a multiple of 0.01, though not in binary.
      multipleOfPrecision: 8,
      formats: Object.fromEntries([...FORMATS].map(([name, format]) => [name, this.#toAjvFormat(format)])),
      code: {
        regExp: Object.assign((source: string) => this.#toRegExp(source), { code: 'safePattern' }),
        // V8 optimises hot code anyway; here it would double the time of the first call.
        optimize: false,
        process: (code) => {
          onCode(code.length);
          return code;
        },
      },
    });
    for (const keyword of ['maxLength', 'minLength'] as const) this.#replaceLength(keyword);
    this.#replaceLists();
  }

  compile(schema: JsonSchema): SchemaCheck {
    const check = this.#ajv.compile(schema as AnySchema) as (value: unknown) => boolean;
    return (value, budget) => {
      this.#budget = budget;
      try {
        return check(value);
      } finally {
        // Not kept: it may hold values of the call, and there may be thousands of compilers.
        this.#budget = undefined;
      }
    };
  }

  #toAjvFormat({ on, test }: CheckedFormat): Format {
    return { type: on, validate: (value: never) => test(value, this.#budget!) } as Format;
  }

  /** toString(): ajv keys patterns by it. Without distinct texts, all of them would be taken for the first. */
  #toRegExp(source: string): { test(value: string): boolean; toString(): string } {
    const pattern = safePattern(source);
    return { test: (value) => pattern.test(value, this.#budget!), toString: () => `/${source}/` };
  }

  /** ajv counts the characters of every string, even if its length in units already decides. */
  #replaceLength(keyword: 'maxLength' | 'minLength'): void {
    const { _ } = loadAjv();
    const { holds } = ASSERTIONS[keyword]!;
    const ref = (value: never, limit: never) => holds(value, limit, this.#budget!);
    this.#ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      before: 'pattern',
      code: (place) => place.pass(_`${place.gen.scopeValue('func', { ref })}(${place.data}, ${place.schema})`),
    });
  }

  /**
   * ajv compares every pair of items for `uniqueItems`: 50,000 objects would take minutes. For `enum` it compares with each value
   * in turn: 100,000 items and as many values would practically never end.
   */
  #replaceLists(): void {
    this.#ajv
      .removeKeyword('uniqueItems')
      .addKeyword({
        keyword: 'uniqueItems',
        type: 'array',
        schemaType: 'boolean',
        errors: false,
        validate: (unique: boolean, items: readonly unknown[]) => !unique || !haveDuplicates(items, this.#budget!),
      })
      .removeKeyword('enum')
      .addKeyword({
        keyword: 'enum',
        schemaType: 'array',
        errors: false,
        compile: (values: readonly unknown[]) => {
          let set: ValueSet | undefined;
          return (value: unknown) => {
            set ??= valueSetOf(values, this.#budget!);
            return set.has(value, this.#budget!);
          };
        },
      });
  }
}

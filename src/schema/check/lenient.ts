// `lenient: true` of a domain file: for documents that are wrong about their own API. Arguments that the document's schema refuses
// (a type, enum, pattern, format, bound, variant, a missing field, an unknown field inside an object) are sent unchanged, with a
// note about it. These are still refused: names without a place in the request, missing path parameters, numbers that lost digits,
// arguments beyond the gateway's own limits, and violations of the domain file's own rules.
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { LOST_DIGITS } from '../explain/explain-rules.ts';
import { type ArgumentProblem, refusal } from '../explain/refusal.ts';
import { Budget } from './budget.ts';
import { createSchemaValidator, createValidator, optionsOf, type Validator } from './validator.ts';

export interface LenientValidator {
  readonly validate: Validator;
  /** What was let through in these arguments, which `validate` returned; empty if all of them fit. */
  readonly notesOn: (args: Args) => readonly string[];
}

/** Validators for different sets of arguments that do not fit. Further sets share the one that accepts anything. */
const MAX_VARIANTS = 16;
const MAX_NOTES = 3;

export function createLenientValidator(endpoint: Endpoint): LenientValidator {
  const strict = createValidator(endpoint);
  const variants = new Map<string, Validator>();
  const notes = new WeakMap<Args, readonly string[]>();
  const options = optionsOf(endpoint);

  const variantFor = (keys: readonly string[] | 'all'): Validator => {
    const name = JSON.stringify(keys);
    const earlier = variants.get(name);
    if (earlier !== undefined) return earlier;
    if (keys !== 'all' && variants.size >= MAX_VARIANTS) return variantFor('all');
    const variant = createSchemaValidator(loosen(endpoint, keys), options);
    variants.set(name, variant);
    return variant;
  };

  return {
    notesOn: (args) => notes.get(args) ?? [],
    validate(tool, args) {
      const budget = new Budget();
      try {
        return strict(tool, args, budget);
      } catch (error) {
        const problems = problemsIn(error);
        if (problems === undefined) throw error;
        // The failed arguments do not show which numbers are integers, so any number may be an id.
        if (budget.holdsRounded) throw refusal(tool, endpoint.inputSchema, [ROUNDED]);
        const reading = accept(tool, args, problems, variantFor);
        // A copy: the same object may be validated again, with another result.
        const own = reading === args ? { ...reading } : reading;
        notes.set(own, [describe(problems)]);
        return own;
      }
    },
  };
}

/**
 * First only the arguments that do not fit are loosened, so that all others are still read according to the schema; then all of them.
 */
function accept(
  tool: string,
  args: Args,
  problems: readonly ArgumentProblem[],
  variantFor: (keys: readonly string[] | 'all') => Validator,
): Args {
  const keys = [...new Set(problems.map(({ path }) => /^[^.[]*/.exec(path)![0]))].sort();
  try {
    return variantFor(keys)(tool, args);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return variantFor('all')(tool, args);
  }
}

/** Undefined: a problem that must not be let through. */
function problemsIn(error: unknown): readonly ArgumentProblem[] | undefined {
  if (!(error instanceof GatewayError) || error.code !== 'VALIDATION') return undefined;
  const { errors } = error.details;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const problems = errors as readonly ArgumentProblem[];
  return problems.some(({ problem }) => FIRM.has(problem)) ? undefined : problems;
}

const FIRM: ReadonlySet<ArgumentProblem['problem']> = new Set(['forbidden', 'limit', 'rule']);

/** The schema without rules for these arguments, and with only the path arguments required. */
function loosen({ inputSchema, args }: Endpoint, keys: readonly string[] | 'all'): JsonSchema {
  if (!isObject(inputSchema)) return inputSchema;
  const { $defs, definitions, additionalProperties = false, properties } = inputSchema;
  const own = isObject(properties) ? properties : {};
  const inPath = new Set(args.filter(({ to }) => to.some((target) => target.in === 'path')).map(({ key }) => key));
  const isFree = (key: string) => keys === 'all' || keys.includes(key);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.keys(own).map((key) => [key, isFree(key) ? true : own[key]])),
    required: [...inPath].filter((key) => Object.hasOwn(own, key)),
    additionalProperties,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}

const ROUNDED: ArgumentProblem = {
  path: '',
  problem: 'range',
  message: `a number ${LOST_DIGITS}`,
};

function describe(problems: readonly ArgumentProblem[]): string {
  const words = problems.slice(0, MAX_NOTES).map(({ message }) => message);
  const more = problems.length > MAX_NOTES ? [`${problems.length - MAX_NOTES} more`] : [];
  return `sent as given, though the API's description says otherwise: ${[...words, ...more].join('; ')}`;
}

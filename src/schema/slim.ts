// Schemas cut down to what a model needs to choose and fill in arguments: every word here costs tokens in every session.
import type { JsonSchema } from '../endpoint/model.ts';
import { closeColon, cutText, firstSentence } from '../endpoint/plain-text.ts';
import { remember } from '../endpoint/untrusted.ts';
import { saysWords, withoutNoise, wordsOf } from './description-budget.ts';
import { mapSubschemas } from './keywords.ts';
import { Description } from './portable/description.ts';

export interface SlimOptions {
  /** UTF-16 units of a description at the top level; nested ones get half of it. */
  readonly maxText: number;
  /** Keep only the first sentence of each description, and the names of fields that are not shown. */
  readonly oneSentence: boolean;
  /** Keep examples that show a form ("U024BE7LH", "2026-01-31"). Plain words and numbers are always left out. */
  readonly examples: boolean;
  /** Keep limits on length and number, and patterns: they are enforced either way, and a refusal names them. */
  readonly limits: boolean;
}

const NOISE = new Set(['title', 'examples', 'example', '$comment']);
const LIMITS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern']);

function slimSchema(schema: JsonSchema, options: SlimOptions, depth = 0): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const slim = mapSubschemas(schema, (inner) => slimSchema(inner as JsonSchema, options, depth + 1));
  for (const [keyword, value] of Object.entries(slim)) {
    if (NOISE.has(keyword) || (LIMITS.has(keyword) && (!options.limits || isLoose(value)))) delete slim[keyword];
  }
  if (slim.description === undefined) return slim;
  const limit = depth === 0 ? options.maxText : Math.ceil(options.maxText / 2);
  slim.description = slimText(slim.description, options, limit);
  if (slim.description === undefined) delete slim.description;
  return slim;
}

/** A limit that is hardly reached by accident. */
function isLoose(value: unknown): boolean {
  return typeof value === 'number' && (value > 100 || value === 0);
}

function slimText(value: unknown, { oneSentence, examples }: SlimOptions, limit: number): string | undefined {
  const description = typeof value === 'string' ? new Description(value) : value;
  if (!(description instanceof Description)) return undefined;
  const { words, fields, example } = description;
  const prose = oneSentence ? shortest(words, fields) : withoutNoise(words);
  const sample = examples && example !== undefined && showsForm(example) ? ` e.g. ${example}` : '';
  const text = closeColon(cutText(prose, limit)).replace(/(?<=[\w)`"'])\.$/, '') + sample;
  return text.trim() === '' ? undefined : text.trim();
}

/** The first sentence, and the names of fields that are not shown. */
function shortest(words: string, fields: string | undefined): string {
  const sentence = firstSentence(words);
  return fields === undefined || sentence.includes(fields) ? sentence : `${sentence} ${fields}`;
}

/** A short string with more than words in it: an id, a date, a path, a query. */
function showsForm(example: string): boolean {
  return /^"[^"]{2,60}"$/.test(example) && /[\d#@:/+*{}[\]=<>_-]/.test(example) && !/^"https?:/.test(example);
}

/** Arguments that many operations share are shortened once per set of options. */
const slimDrafts = new WeakMap<SlimOptions, WeakMap<object, JsonSchema>>();

function slimOnce(field: JsonSchema, options: SlimOptions): JsonSchema {
  if (typeof field === 'boolean') return field;
  const drafts = slimDrafts.get(options) ?? new WeakMap<object, JsonSchema>();
  slimDrafts.set(options, drafts);
  const earlier = drafts.get(field);
  if (earlier !== undefined) return earlier;
  const slim = slimSchema(field, options);
  drafts.set(field, slim);
  return slim;
}

/**
 * A field of a tool: slim, and without a text that only repeats its name and the operation's (`petId`: "ID of pet that
 * needs to be updated").
 */
export function slimField(name: string, field: JsonSchema, options: SlimOptions, operation = ''): JsonSchema {
  const slim = slimOnce(field, options);
  if (typeof slim === 'boolean' || typeof slim.description !== 'string') return slim;
  if (!saysWords([COMMONPLACE, vocabularyOf(name), vocabularyOf(operation)], slim.description)) return slim;
  const { description: _, ...rest } = slim;
  return rest;
}

/** Size of the cache. Operations share most field names, and all fields of an operation share its name. */
const MAX_NAMES = 1_000;
const vocabularyOf = remember(MAX_NAMES, (name): ReadonlySet<string> => new Set(wordsOf(name)));

const COMMONPLACE: ReadonlySet<string> = new Set(
  wordsOf(
    'authentication id ids identifier unique value values need needs required considered consider be been will should which whose when if ' +
      'any all one used use using object resource entity item record return returned retrieve fetch fetched get read update ' +
      'updated delete deleted remove removed create created set filter filtered want wanted you your want',
  ),
);

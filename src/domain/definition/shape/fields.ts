// Building blocks for the shape of files that people write: objects that refuse unknown keys with a suggestion, and fields with a
// description. docs/ and the JSON Schemas for editors are generated from them (npm run docs).
import { z } from 'zod';
import { HEADER_NAME } from '../../../endpoint/headers/header-names.ts';
import { askFor, didYouMean, hint } from '../../../endpoint/suggest.ts';

type Fields<Shape> = { readonly [Key in keyof Shape]: z.output<Shape[Key]> };
type Definition<Shape, Needed extends keyof Shape> = Pick<Fields<Shape>, Needed> & Partial<Omit<Fields<Shape>, Needed>>;

/** Named, so that declarations do not spell out all of zod's parameters at every level. */
export interface Of<Value> extends z.ZodType<Value> {}

/** What a field is for, in a sentence or two, and a value it may have; a test loads that value in its place. */
export function about<Type extends z.ZodType>(type: Type, description: string, ...examples: unknown[]): Type {
  return type.meta({ description, ...(examples.length > 0 && { examples }) });
}

/**
 * The description of a field that may be left out, and what is used then: a value, or words (in Markdown). The reference in docs/
 * shows it in a column of its own.
 */
export function withDefault(description: string, value: unknown): string {
  return `${description} Default: ${typeof value === 'string' ? value : `\`${JSON.stringify(value)}\``}.`;
}

export const text: z.ZodString = z.string().trim().min(1, 'must not be empty: write it or remove the key');

export const flag: z.ZodBoolean = z.boolean();

export const anything: z.ZodUnknown = z.unknown();

export function named(pattern: RegExp, message: string): z.ZodString {
  // The same message for a number: it describes the expected text.
  return z.string({ error: ({ input }) => (input === undefined ? undefined : message) }).regex(pattern, message);
}

/** Part of the description of every text in which variables are filled in; may begin a sentence. */
export const FILLED = '`\u0024{VARIABLE}` is replaced by the environment variable';

/** Any of these words, in upper or lower case. A regex flag would be lost in the JSON Schemas for editors. */
export function inAnyCase(words: readonly string[]): RegExp {
  const spellings = words.map((word) => word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`));
  return new RegExp(`^(?:${spellings.join('|')})$`);
}

export function headerName(message: string): z.ZodString {
  return named(HEADER_NAME, message);
}

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

export const texts: z.ZodReadonly<z.ZodArray<z.ZodString>> = list(text);

/** An object that refuses unknown keys with a suggestion. `{key}` is filled in per key by toProblems(). */
export function closed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const first = issue.keys?.[0] ?? '';
      if (issue.keys?.length === 1 && /\s/.test(first))
        return '"{key}" is not known here; if it belongs to the text before it, put that text in quotes: inside { } a comma begins the next field';
      return issue.keys?.length === 1
        ? `"{key}" is not known here; ${hintField(first, keys)}`
        : `"{key}" is not known here; allowed: ${keys.join(', ')}.`;
    },
  });
}

/** `userEnv` is near `usernameEnv`, because each of its words begins one of that name. */
function hintField(key: string, keys: readonly string[]): string {
  const otherwise = () => {
    const words = wordsOf(key);
    const near = keys.find((name) => {
      const parts = wordsOf(name);
      return (
        parts.length === words.length && words.every((word, index) => word.length > 2 && parts[index]!.startsWith(word))
      );
    });
    return near === undefined ? hint(key, keys) : askFor(`"${near}"`);
  };
  return didYouMean(key, keys, '') || otherwise();
}

function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
}

/** The same, but every key except those in `keys` may be left out. */
export function strict<Shape extends z.core.$ZodLooseShape, Needed extends keyof Shape & string = never>(
  shape: Shape,
  ...keys: Needed[]
): Of<Definition<Shape, Needed>> {
  const optional = Object.keys(shape).filter((key) => !keys.includes(key as Needed));
  const mask = Object.fromEntries(optional.map((key) => [key, true as const]));
  return closed(shape).exactPartial(mask as never) as never;
}

/** One of several types, chosen by the value, because the error of a union would list what all of them expect. */
export function chosen<Type extends z.ZodType>(types: readonly Type[], choose: (value: unknown) => Type) {
  const type = z.unknown().transform((value, context): z.output<Type> => {
    const result = choose(value).safeParse(value, { reportInput: true });
    if (result.success) return result.data as z.output<Type>;
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: issue.input } as never);
    return z.NEVER;
  });
  return type.meta({ anyOf: types });
}

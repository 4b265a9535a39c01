// What is wrong with something a person wrote (a domain file) or a model sent (arguments), as sentences with a place.
import type { z } from 'zod';
import { isObject } from './is-object.ts';
import { didYouMean } from './suggest.ts';

/** One mistake: where it is, and what is wrong and how to put it right. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Another place that has to do with it. */
  readonly other?: readonly (string | number)[];
}

const MAX_PROBLEMS = 20;
/** Characters of a value. */
const MAX_SHOWN = 80;

/** zod's issues as problems, unions narrowed to the alternative that was meant. */
export function toProblems(issues: readonly z.core.$ZodIssue[]): Problem[] {
  return issues.slice(0, MAX_PROBLEMS).flatMap((issue) => toProblem(issue, []));
}

function toProblem(issue: z.core.$ZodIssue, base: readonly (string | number)[]): Problem[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    // strict() below puts the sentence in the message; one problem per key, so that each gets its own line number
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message.replaceAll('{key}', key) }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, message: `${JSON.stringify(path.at(-1))}: ${issue.issues[0]?.message ?? issue.message}` }];
  }
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) {
    return [
      { path, message: wrongKind(issue.discriminator, issue.input, (issue as { options?: unknown[] }).options ?? []) },
    ];
  }
  if (issue.code === 'invalid_union' && !isOwnMessage(issue.message)) {
    const likeliest = issue.errors.find((branch) =>
      branch.every((inner) => inner.path.length > 0 || expectation(inner) === ''),
    );
    if (likeliest !== undefined && likeliest.length > 0) return likeliest.flatMap((inner) => toProblem(inner, path));
    const expectations = new Set(issue.errors.flat().map(expectation).filter(Boolean));
    return [{ path, message: `must be ${[...expectations].join(' or ') || 'something else'}${got(issue)}` }];
  }
  return [{ path, message: sentence(issue) }];
}

/** For the field that determines which of several kinds an object is. */
function wrongKind(field: string, input: unknown, options: readonly unknown[]): string {
  const words = options.map(String);
  const value = isObject(input) ? input[field] : undefined;
  if (value === undefined) return `is missing: give ${oneOf(options)}`;
  const fix = didYouMean(typeof value === 'string' ? value : '', words, 'choose one of these');
  return `${show(value).slice(0, MAX_SHOWN)} is not a ${field}; ${fix} (${words.join(', ')})`;
}

/** What is expected instead of a wrong type or value; '' for other issues. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return article(issue.expected);
  if (issue.code === 'invalid_value') return oneOf(issue.values);
  return '';
}

function sentence(issue: z.core.$ZodIssue): string {
  if (isOwnMessage(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value': {
      if (issue.input === undefined) return `is missing: give ${expectation(issue)}`;
      const words = issue.code === 'invalid_value' && issue.values.length > 1 ? issue.values.map(String) : [];
      const fix = didYouMean(typeof issue.input === 'string' ? issue.input : '', words, '');
      return `must be ${expectation(issue)}${got(issue)}${fix === '' ? '' : `; ${fix}`}`;
    }
    case 'too_small':
      return `must ${sized(issue.origin, 'at least', issue.minimum)}${got(issue)}`;
    case 'too_big':
      return `must ${sized(issue.origin, 'at most', issue.maximum)}${got(issue)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}${got(issue)}`;
    case 'invalid_format':
      return `must be ${formatName(issue)}${got(issue)}`;
    default:
      return issue.message;
  }
}

/** Whether a schema's author wrote the message, and not zod. */
function isOwnMessage(message: string): boolean {
  return !/^(?:Invalid |Too (?:small|big)|Unrecognized )/.test(message);
}

function formatName(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (issue.format === 'regex') return `a string that matches ${String((issue as { pattern?: string }).pattern)}`;
  return FORMATS[issue.format] ?? `a valid ${issue.format}`;
}

const FORMATS: Record<string, string> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  url: 'an absolute URL',
  date: 'a date (YYYY-MM-DD)',
};

function sized(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${size} character${size === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${size} item${size === 1 ? '' : 's'}`;
  return `be ${bound} ${size}`;
}

function oneOf(values: readonly unknown[]): string {
  const words = values.slice(0, 40).map((value) => JSON.stringify(value));
  return words.length === 1 ? words[0]! : `one of ${words.join(', ')}`;
}

const ARTICLES: Record<string, string> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  int: 'an integer',
  boolean: 'true or false',
  undefined: 'left out',
};

function article(type: string): string {
  return ARTICLES[type] ?? `a ${type}`;
}

function got(issue: { readonly input?: unknown }): string {
  if (issue.input === undefined) return '';
  const text = show(issue.input);
  return `; got ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}…` : text}`;
}

function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    return 'an object that holds itself'; // YAML anchors can do that
  }
}

/** A path as a person would write it: `endpoints.list.args["per page"]`. */
export function formatFieldPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(joinFieldPath, '');
}

/** A path with one more part. */
export function joinFieldPath(before: string, part: string | number): string {
  if (typeof part === 'number') return `${before}[${part}]`;
  if (!/^[\w$-]+$/.test(part)) return `${before}[${JSON.stringify(part)}]`;
  return before === '' ? part : `${before}.${part}`;
}

// Schemas cut down to what a model needs to choose and fill in arguments: every word here is paid for in every session.
import type { JsonSchema } from '../endpoint/model.ts';
import { cutText, firstSentence } from './text.ts';

export interface SlimOptions {
  /** UTF-16 units of a description at the top level; nested ones get half of it. */
  readonly maxText: number;
  /** Keep only the first sentence of each description. */
  readonly oneSentence: boolean;
}

export function slimSchema(schema: JsonSchema, options: SlimOptions, depth = 0): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const limit = depth === 0 ? options.maxText : Math.ceil(options.maxText / 2);
  const slim: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'title' || keyword === 'examples' || keyword === 'example' || keyword === '$comment') continue;
    slim[keyword] = slimKeyword(keyword, value, options, depth, limit);
    if (slim[keyword] === undefined) delete slim[keyword];
  }
  return slim;
}

function slimKeyword(keyword: string, value: unknown, options: SlimOptions, depth: number, limit: number): unknown {
  if (keyword === 'description') return slimText(value, options, limit);
  if (keyword === 'properties' && isNode(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, slimSchema(inner as JsonSchema, options, depth + 1)]),
    );
  }
  if ((keyword === 'items' || keyword === 'additionalProperties') && isNode(value)) {
    return slimSchema(value as JsonSchema, options, depth + 1);
  }
  if ((keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') && Array.isArray(value)) {
    return value.map((inner) => slimSchema(inner as JsonSchema, options, depth + 1));
  }
  return value;
}

function slimText(value: unknown, { oneSentence }: SlimOptions, limit: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = cutText(oneSentence ? firstSentence(value) : value, limit).replace(/(?<=\w)\.$/, '');
  return text === '' ? undefined : text;
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

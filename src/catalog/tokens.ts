// What tools/list costs a model: o200k tokens of the compact JSON of name, description and inputSchema, which is what clients
// forward. The tokenizer takes a quarter of a second and 40 MB to load: it is loaded only by commands that show the number, and
// by a gateway that serves only if `auto` cannot choose without it.
import { createRequire } from 'node:module';

type Tokenizer = { countTokens(text: string, options: { disallowedSpecial: Set<string> }): number };

/** The model's Tool and every wire shape have these. */
interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

let tokenizer: Tokenizer | undefined;
/** A document may contain `<|endoftext|>`, which is text like any other here. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

function countTokens(text: string): number {
  tokenizer ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Tokenizer;
  return tokenizer.countTokens(text, NOTHING_SPECIAL);
}

/** The cost of one tool. */
export function costOf(definition: ListedTool): number {
  return countTokens(JSON.stringify(toListed(definition)));
}

/** The cost of a whole list. */
export function listCost(definitions: Iterable<ListedTool>): number {
  return countTokens(toListJson(definitions));
}

/** JSON Schema in English runs at 3.7 to 4.7 characters per token. */
const CHARS_PER_TOKEN = 4.2;

/** Estimated cost of a list, rounded to two digits, without the tokenizer. */
export function estimateListCost(definitions: Iterable<ListedTool>): number {
  return Number((toListJson(definitions).length / CHARS_PER_TOKEN).toPrecision(2));
}

/** Whether a list fits a budget, without the tokenizer if the number of characters decides. */
export function fitsBudget(definitions: Iterable<ListedTool>, budget: number): boolean {
  const json = toListJson(definitions);
  const bytes = Buffer.byteLength(json);
  // Lists have 3.7 to 4.7 characters per token, far within these bounds: beyond them, counting is not needed.
  if (json.length > budget * 8) return false;
  if (bytes === json.length && bytes <= budget * 2.5) return true;
  return countTokens(json) <= budget;
}

function toListJson(definitions: Iterable<ListedTool>): string {
  return JSON.stringify([...definitions].map(toListed));
}

function toListed({ name, description, inputSchema }: ListedTool): ListedTool {
  return { name, description, inputSchema };
}

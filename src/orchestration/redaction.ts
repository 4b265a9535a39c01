// Removes secrets from everything that leaves the gateway, once. The executor redacts answers of APIs, before they are cut or
// shaped. Everything else (results of native tools, outcomes of middleware, errors, progress messages) is redacted here, on its
// decoded strings.
import type { Content, Outcome } from '../call/outcome.ts';
import { GatewayError } from '../errors.ts';

export interface Redaction {
  /** Marks an outcome as already redacted. */
  trust(outcome: Outcome): Outcome;
  /** Marks a copy as redacted if its original is. Only texts of the gateway may have been added. */
  trustLike(original: Outcome, copy: Outcome): Outcome;
  outcome(outcome: Outcome): Outcome;
  /** Redacts any JSON value. A value without secrets is returned itself. Throws HANDLER_FAILED for what JSON cannot express. */
  value<Value>(value: Value): Value;
  text(text: string): string;
}

/** Values come from the gateway's or the operator's code. A deeper one must be cyclic. */
const MAX_DEPTH = 200;

/** Recognised by a private field, which copies do not have. So a changed outcome is redacted again. */
class RedactedOutcome implements Outcome {
  readonly content: Outcome['content'];
  readonly isError: boolean;
  /** compose.ts freezes it if middleware gets it. No other code could change it, and freezing takes time. */
  readonly structured: unknown;
  readonly #isRedacted = true;

  constructor({ content, isError, structured }: Outcome) {
    this.content = Object.freeze(content.map(freezeBlock));
    this.isError = isError;
    this.structured = structured;
    Object.freeze(this);
  }

  static has(outcome: Outcome): boolean {
    return #isRedacted in outcome && outcome.#isRedacted;
  }
}

function freezeBlock(block: Content): Content {
  if (block.type === 'resource') Object.freeze(block.resource);
  return Object.freeze(block);
}

export function createRedaction(redact: (text: string) => string = (text) => text): Redaction {
  const value = <Value>(input: Value, depth = 0): Value => {
    if (typeof input === 'string') return redact(input) as Value;
    // Throws at the first cycle instead of cutting each one off: a value that contains itself twice has too many paths to walk.
    if (typeof input === 'bigint' || depth > MAX_DEPTH) throw notJson();
    if (typeof input !== 'object' || input === null) return input;
    const { toJSON } = input as { readonly toJSON?: unknown };
    if (typeof toJSON !== 'function') return redactMembers(input, depth);
    // Dates and URLs are sent as what toJSON() returns. It is called once, as in JSON.stringify.
    const json = callToJson(input, toJSON as () => unknown);
    const copy = typeof json === 'object' && json !== null ? redactMembers(json, depth + 1) : value(json, depth + 1);
    return copy === json ? input : (copy as Value);
  };

  const redactMembers = <Value extends object>(input: Value, depth: number): Value => {
    if (Array.isArray(input)) return mapItems<unknown>(input, (item) => value(item, depth + 1)) as Value;
    return mapMembers(input as Record<string, unknown>, redact, (member) => value(member, depth + 1)) as Value;
  };

  return {
    text: redact,
    value,
    trust: (outcome) => new RedactedOutcome(outcome),
    trustLike: (original, copy) => (RedactedOutcome.has(original) ? new RedactedOutcome(copy) : copy),
    outcome(outcome) {
      if (RedactedOutcome.has(outcome)) return outcome;
      const content = mapItems(outcome.content, (block) => (isBytes(block) ? block : value(block)));
      const data = value(outcome.structured);
      const inputRequests = value(outcome.inputRequired?.inputRequests);
      const isSame =
        content === outcome.content &&
        data === outcome.structured &&
        inputRequests === outcome.inputRequired?.inputRequests;
      if (isSame) return outcome;
      return {
        ...outcome,
        content,
        ...(data !== undefined && { structured: data }),
        ...(inputRequests && { inputRequired: { ...outcome.inputRequired, inputRequests } }),
      };
    },
  };
}

function callToJson(object: unknown, toJSON: () => unknown): unknown {
  try {
    return toJSON.call(object);
  } catch (cause) {
    throw notJson(cause);
  }
}

function notJson(cause?: unknown): GatewayError {
  const why = `A big integer, or a value that contains itself or is deeper than ${MAX_DEPTH} levels.`;
  return new GatewayError(
    'HANDLER_FAILED',
    'The tool returned something that cannot be written as JSON. Tell the user: this is a bug in the gateway’s own code.',
    {},
    cause ?? new TypeError(why),
  );
}

/** Base64 is not redacted: it is large, and images contain no secrets of the gateway. */
function isBytes(block: Content): boolean {
  return block.type === 'image' || block.type === 'audio' || (block.type === 'resource' && 'blob' in block.resource);
}

/** Returns the list itself if nothing changed. */
function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const copies = items.map(change);
  return copies.some((item, index) => item !== items[index]) ? copies : items;
}

function mapMembers(
  object: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  change: (member: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  // JSON has no functions. In a copy, a function named toJSON would be called on the wrong object.
  const entries = Object.entries(object).filter(([, member]) => typeof member !== 'function');
  const copies = entries.map(([key, member]): [string, unknown] => [redact(key), change(member)]);
  const isSame = copies.every(([key, member], index) => key === entries[index]![0] && member === entries[index]![1]);
  return isSame ? object : Object.fromEntries(copies);
}

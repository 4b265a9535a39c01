// Takes secrets out of whatever leaves the gateway, once. Answers of an API are redacted by the executor, before they are
// cut or shaped; everything else (results of native tools, outcomes that middleware made, errors, messages on the way) is
// redacted here, on its decoded strings.
import type { Content, Outcome } from '../call/outcome.ts';
import { GatewayError } from '../errors.ts';

export interface Redaction {
  /** Marks an outcome as already redacted. */
  trust(outcome: Outcome): Outcome;
  /** Marks a copy as redacted if its original is: only words of the gateway were added. */
  trustLike(original: Outcome, copy: Outcome): Outcome;
  outcome(outcome: Outcome): Outcome;
  /** Any JSON value; what holds no secret comes back as it is. Throws HANDLER_FAILED for what no JSON can say. */
  value<Value>(value: Value): Value;
  text(text: string): string;
}

/** Values come from our own or the operator's code; a deeper one contains itself. */
const MAX_DEPTH = 200;

/** Recognised by a private field, which copies do not have: a changed outcome is redacted again. */
class RedactedOutcome implements Outcome {
  readonly content: Outcome['content'];
  readonly isError: boolean;
  /** Frozen by compose.ts where middleware gets to see it: elsewhere nobody could change it, and freezing takes time. */
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
    // Throws at the first loop instead of cutting each one off: a value that contains itself twice has too many paths to walk.
    if (typeof input === 'bigint' || depth > MAX_DEPTH) throw unprintable();
    if (typeof input !== 'object' || input === null) return input;
    const { toJSON } = input as { readonly toJSON?: unknown };
    if (typeof toJSON !== 'function') return parts(input, depth);
    // Dates and URLs are sent as what toJSON() returns. It is called once, as in JSON.stringify.
    const json = hear(input, toJSON as () => unknown);
    const copy = typeof json === 'object' && json !== null ? parts(json, depth + 1) : value(json, depth + 1);
    return copy === json ? input : (copy as Value);
  };

  const parts = <Value extends object>(input: Value, depth: number): Value => {
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

function hear(object: unknown, toJSON: () => unknown): unknown {
  try {
    return toJSON.call(object);
  } catch (cause) {
    throw unprintable(cause);
  }
}

function unprintable(cause?: unknown): GatewayError {
  const why = `A big integer, or a value that contains itself or is deeper than ${MAX_DEPTH} levels.`;
  return new GatewayError(
    'HANDLER_FAILED',
    'The tool returned something that cannot be written as JSON. Tell the user: this is a bug in the gateway’s own code.',
    {},
    cause ?? new TypeError(why),
  );
}

/** Base64 is left alone: it is large, and no secret of ours was ever put into an image. */
function isBytes(block: Content): boolean {
  return block.type === 'image' || block.type === 'audio' || (block.type === 'resource' && 'blob' in block.resource);
}

/** The list itself where nothing changed. */
function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const copies = items.map(change);
  return copies.some((item, index) => item !== items[index]) ? copies : items;
}

function mapMembers(
  object: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  change: (member: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  // JSON has no functions; in a copy, one called toJSON would be called on the wrong object.
  const entries = Object.entries(object).filter(([, member]) => typeof member !== 'function');
  const copies = entries.map(([key, member]): [string, unknown] => [redact(key), change(member)]);
  const isSame = copies.every(([key, member], index) => key === entries[index]![0] && member === entries[index]![1]);
  return isSame ? object : Object.fromEntries(copies);
}

// Takes secrets out of whatever leaves the gateway, once. Answers of an API are redacted by the executor, before they are
// cut or shaped; everything else (results of native tools, outcomes that middleware made, errors, messages on the way) is
// redacted here, on its decoded strings.
import type { Content, Outcome } from '../call/outcome.ts';

export interface Redaction {
  /** Says that an outcome holds nothing but what was redacted already. */
  trust(outcome: Outcome): Outcome;
  /** Trusts a copy like its original: nothing was added to it but words of the gateway's own. */
  trustLike(original: Outcome, copy: Outcome): Outcome;
  outcome(outcome: Outcome): Outcome;
  /** Any JSON value; what holds no secret comes back as it is. */
  value<Value>(value: Value): Value;
  text(text: string): string;
}

/** Deeper values come from code of ours or the operator's; beyond this nothing is sent. */
const MAX_DEPTH = 200;

/** Told by its class, which a copy does not have: whoever changes an outcome has it redacted again. */
class RedactedOutcome implements Outcome {
  readonly content: Outcome['content'];
  readonly isError: boolean;
  readonly structured: unknown;

  constructor({ content, isError, structured }: Outcome) {
    this.content = Object.freeze(content.map((block) => Object.freeze(block)));
    this.isError = isError;
    this.structured = structured;
    Object.freeze(this);
  }
}

export function createRedaction(redact: (text: string) => string = (text) => text): Redaction {
  const value = <Value>(input: Value, depth = 0): Value => {
    if (typeof input === 'string') return redact(input) as Value;
    if (typeof input !== 'object' || input === null) return input;
    if (depth > MAX_DEPTH) return undefined as Value;
    if (Array.isArray(input)) return mapItems<unknown>(input, (item) => value(item, depth + 1)) as Value;
    return mapMembers(input as Record<string, unknown>, redact, (member) => value(member, depth + 1)) as Value;
  };

  return {
    text: redact,
    value,
    trust: (outcome) => new RedactedOutcome(outcome),
    trustLike: (original, copy) => (original instanceof RedactedOutcome ? new RedactedOutcome(copy) : copy),
    outcome(outcome) {
      if (outcome instanceof RedactedOutcome) return outcome;
      const content = mapItems(outcome.content, (block) => (isBytes(block) ? block : value(block)));
      const structured = value(outcome.structured);
      const inputRequests = value(outcome.inputRequired?.inputRequests);
      const isSame =
        content === outcome.content &&
        structured === outcome.structured &&
        inputRequests === outcome.inputRequired?.inputRequests;
      if (isSame) return outcome;
      return {
        ...outcome,
        content,
        ...(structured !== undefined && { structured }),
        ...(inputRequests && { inputRequired: { ...outcome.inputRequired, inputRequests } }),
      };
    },
  };
}

/** Base64 is left alone: it is large, and no secret of ours was ever put into an image. */
function isBytes(block: Content): boolean {
  return block.type === 'image' || block.type === 'audio' || (block.type === 'resource' && 'blob' in block.resource);
}

/** The list itself where nothing changed. */
function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

function mapMembers(
  object: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  change: (member: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  // What serialises itself (dates) is left to do so.
  if (typeof object.toJSON === 'function') return object;
  const entries = Object.entries(object);
  const changed = entries.map(([key, member]): [string, unknown] => [redact(key), change(member)]);
  const isSame = changed.every(([key, member], index) => key === entries[index]![0] && member === entries[index]![1]);
  return isSame ? object : Object.fromEntries(changed);
}

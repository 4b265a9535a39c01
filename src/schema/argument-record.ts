// The arguments that the audit trail records if a domain file allows it: without the paths that the file names, without values that
// are secret by name, schema or appearance, and cut to a size that fits into a line.
import { isObject } from '../endpoint/is-object.ts';
import type { Args, AuditPlan, Endpoint } from '../endpoint/model.ts';
import { REPLACEMENT } from '../endpoint/redaction/redact.ts';
import { compileRedactPaths, type IsRedacted } from '../endpoint/redaction/redact-paths.ts';
import { isSecret } from './explain/show.ts';

const MAX_CHARS = 8_000;
const MAX_TEXT = 1_000;
const MAX_DEPTH = 16;
const CUT = '[cut]';

/** Undefined if nothing may be kept. `redact` removes known secrets from a text. */
export function compileArgumentRecord(
  plan: AuditPlan | undefined,
  redact: (text: string) => string,
): ((args: Args) => unknown) | undefined {
  if (plan?.arguments !== true) return undefined;
  const isRedacted = compileRedactPaths(plan.redact ?? []);
  return (args) => new ArgumentRecorder(isRedacted, redact).keep(args, []);
}

/** Copies one set of arguments for a record. */
class ArgumentRecorder {
  readonly #isRedacted: IsRedacted;
  readonly #redact: (text: string) => string;
  #charsLeft = MAX_CHARS;

  constructor(isRedacted: IsRedacted, redact: (text: string) => string) {
    this.#isRedacted = isRedacted;
    this.#redact = redact;
  }

  keep(value: unknown, keys: readonly string[]): unknown {
    if (this.#charsLeft <= 0 || keys.length > MAX_DEPTH) return CUT;
    if (keys.length > 0 && (this.#isRedacted(keys) || isSecret(value, keys.at(-1)!))) return this.#spend(REPLACEMENT);
    if (typeof value === 'string') return this.#spend(this.#text(value));
    if (Array.isArray(value)) return Object.freeze(this.#items(value, keys));
    if (isObject(value)) return Object.freeze(this.#members(value, keys));
    return this.#spend(typeof value === 'bigint' ? String(value) : (value ?? null));
  }

  #items(items: readonly unknown[], keys: readonly string[]): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      copy.push(this.keep(item, keys));
      if (this.#charsLeft <= 0) break;
    }
    return copy;
  }

  #members(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
    const copy: Record<string, unknown> = Object.create(null);
    for (const key in object) {
      if (!Object.hasOwn(object, key)) continue;
      const name = this.#text(key);
      this.#spend(name);
      copy[name] = this.keep(object[key], [...keys, key]);
      if (this.#charsLeft <= 0) break;
    }
    return copy;
  }

  /** Redacted before it is cut, so that no half of a secret remains. Only the beginning of a long text is redacted; the rest is dropped. */
  #text(text: string): string {
    if (text.length <= MAX_TEXT) return this.#redact(text);
    return `${this.#redact(text.slice(0, 4 * MAX_TEXT)).slice(0, MAX_TEXT)}${CUT}`;
  }

  #spend<Value>(value: Value): Value {
    this.#charsLeft -= typeof value === 'string' ? value.length + 6 : 12;
    return value;
  }
}

/** Whether the path has arguments that must not be recorded: the domain file lists them, or they have names of secrets. */
export function hidesPath({ args, audit }: Pick<Endpoint, 'args' | 'audit'>): boolean {
  const isRedacted = compileRedactPaths(audit?.redact ?? []);
  return args.some(
    ({ key, to }) => to.some((target) => target.in === 'path') && (isRedacted([key]) || isSecretWord(key)),
  );
}

/** `author_id` is no secret, though it begins like `authorization`. */
function isSecretWord(key: string): boolean {
  return isSecret('', key.replace(/author(?!i)/i, ''));
}

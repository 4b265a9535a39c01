// A text whose JSON form is known already: it was written while the text was read, and is not written again for the answer. Like the
// mark of a redacted outcome it is a private field, which copies do not have: a changed text is written anew.
import type { Content } from './outcome.ts';

export class QuotedText {
  readonly type = 'text';
  readonly text: string;
  readonly #quoted: string;

  /** `literal` is what JSON.stringify() makes of the text. */
  constructor(text: string, literal: string) {
    this.text = text;
    this.#quoted = literal;
    Object.freeze(this);
  }

  /** The text of a block as a JSON string. */
  static quote(block: Extract<Content, { type: 'text' }>): string {
    return #quoted in block ? block.#quoted : JSON.stringify(block.text);
  }

  /** One line more. */
  withLine(line: string): QuotedText {
    return new QuotedText(`${this.text}\n${line}`, `${this.#quoted.slice(0, -1)}\\n${JSON.stringify(line).slice(1)}`);
  }
}

// A text whose JSON form is known already, because it was written while the text was parsed. It is used for the answer as it is.
// It is a private field, which copies do not have, so a changed text is converted to JSON again.
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

  /** The text with one more line. */
  withLine(line: string): QuotedText {
    return new QuotedText(`${this.text}\n${line}`, `${this.#quoted.slice(0, -1)}\\n${JSON.stringify(line).slice(1)}`);
  }
}

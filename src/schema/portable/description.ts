// The description of a place in parts, until it is decided how much of it to show.
import { isObject } from '../../endpoint/is-object.ts';
import { mapSubschemas } from '../keywords.ts';

/** The parts of a description. Written as JSON it is the whole text, so drafts can be measured and compared. */
export class Description {
  /** Purpose and constraints in words. */
  readonly prose: string;
  /** The names of fields that are not shown, as they are written in the prose. */
  readonly fields: string | undefined;
  /** One example, as JSON. */
  readonly example: string | undefined;
  /** Sentences about this place and others, added last. */
  readonly more: readonly string[];
  #text: string | undefined;

  constructor(
    prose: string,
    { fields, example, more = [] }: { fields?: string; example?: string; more?: readonly string[] } = {},
  ) {
    this.prose = prose;
    this.fields = fields;
    this.example = example;
    this.more = more;
  }

  /** Everything. Drafts are measured and compared again and again. */
  get text(): string {
    if (this.#text === undefined) {
      const text = this.example === undefined ? this.prose : joinSentences(this.prose, [`Example: ${this.example}`]);
      this.#text = joinSentences(text, this.more);
    }
    return this.#text;
  }

  /** Everything but the example. */
  get words(): string {
    return joinSentences(this.prose, this.more);
  }

  withSentence(sentence: string): Description {
    const { fields, example } = this;
    return new Description(this.prose, {
      ...(fields !== undefined && { fields }),
      ...(example !== undefined && { example }),
      more: [...this.more, sentence],
    });
  }

  toJSON(): string {
    return this.text;
  }
}

/** Text and sentences in a row, each ending with a full stop. */
export function joinSentences(text: string, sentences: readonly string[]): string {
  if (sentences.length === 0) return text;
  const start = text === '' ? '' : /[.!?…:][_*`"')\]]*$/.test(text) ? `${text} ` : `${text}. `;
  return `${start}${sentences.map((sentence) => `${sentence}.`).join(' ')}`;
}

type Node = { readonly [keyword: string]: unknown };

export function descriptionOf(node: Node): Description {
  return node.description instanceof Description ? node.description : new Description('');
}

/** A node with its text changed. Vertex refuses anything beside `anyOf`, so its first branch gets the text. */
export function changeText(node: Node, change: (node: Node) => Node): Node {
  if (!Array.isArray(node.anyOf)) return change(node);
  const [first, ...others] = node.anyOf as [Node, ...Node[]];
  return { ...node, anyOf: [changeText(first, change), ...others] };
}

/** Adds a sentence to a node. */
export function withSentence(node: Node, sentence: string): Node {
  return changeText(node, (inner) => ({ ...inner, description: descriptionOf(inner).withSentence(sentence) }));
}

/** A node with every description written out in full. */
export function writeOut(node: Node): Node {
  const copy = mapSubschemas(node, (inner) => (isObject(inner) ? writeOut(inner) : inner));
  if (copy.description instanceof Description) copy.description = copy.description.text;
  return copy;
}

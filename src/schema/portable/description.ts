// What is said about a place, in parts, until somebody decides how much of it to show.

/** The parts of a description. Written as JSON it is the whole text, so drafts can be measured and compared. */
export class Description {
  /** Purpose and constraints in words. */
  readonly prose: string;
  /** The names of fields that are not shown, as they stand in the prose. */
  readonly fields: string | undefined;
  /** One example, as JSON. */
  readonly example: string | undefined;
  /** Sentences about this place and others, added last. */
  readonly more: readonly string[];

  constructor(
    prose: string,
    { fields, example, more = [] }: { fields?: string; example?: string; more?: readonly string[] } = {},
  ) {
    this.prose = prose;
    this.fields = fields;
    this.example = example;
    this.more = more;
  }

  /** Everything. */
  get text(): string {
    const shown = this.example === undefined ? this.prose : joinWords(this.prose, [`Example: ${this.example}`]);
    return joinWords(shown, this.more);
  }

  /** Everything but the example. */
  get words(): string {
    return joinWords(this.prose, this.more);
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
export function joinWords(text: string, sentences: readonly string[]): string {
  if (sentences.length === 0) return text;
  const start = text === '' ? '' : /[.!?…:][_*`"')\]]*$/.test(text) ? `${text} ` : `${text}. `;
  return `${start}${sentences.map((sentence) => `${sentence}.`).join(' ')}`;
}

type Node = { readonly [keyword: string]: unknown };

/** The description a node carries; of a union, that of its first branch, as nothing may stand beside `anyOf`. */
export function descriptionOf(node: Node): Description {
  return node.description instanceof Description ? node.description : new Description('');
}

/** Adds a sentence to a node. */
export function withSentence(node: Node, sentence: string): Node {
  if (Array.isArray(node.anyOf)) {
    const [first, ...others] = node.anyOf as [Node, ...Node[]];
    return { anyOf: [withSentence(first, sentence), ...others] };
  }
  return { ...node, description: descriptionOf(node).withSentence(sentence) };
}

/** A node with every description written out in full. */
export function writeOut(node: Node): Node {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) copy[keyword] = writeValue(keyword, value);
  return copy;
}

function writeValue(keyword: string, value: unknown): unknown {
  if (value instanceof Description) return value.text;
  if (keyword === 'items' || keyword === 'additionalProperties') return isNode(value) ? writeOut(value) : value;
  if (keyword === 'anyOf') return (value as Node[]).map(writeOut);
  if (keyword !== 'properties' || !isNode(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, writeOut(inner as Node)]));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

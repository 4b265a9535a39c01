// What an import understood differently from how it is written, reported once for each kind of mistake.

const SENTENCES = {
  untyped: 'have no type; Landbridge takes strings and numbers for them',
  inline: 'are written as in Swagger 2.0, with a type and no schema; the type is kept',
  nested: 'are written as in OpenAPI 3, with a schema; it is kept',
} as const;

type Guess = keyof typeof SENTENCES;

export interface Guesses {
  readonly note: (kind: Guess, name: string) => void;
  /** `12 parameters (q, sort, page, …) say nothing about their type; …` */
  readonly sentences: () => readonly string[];
}

const MAX_NAMES = 3;

export function createGuesses(): Guesses {
  const counts = new Map<Guess, { count: number; readonly names: Set<string> }>();
  return {
    note: (kind, name) => {
      const entry = counts.get(kind) ?? { count: 0, names: new Set() };
      entry.count++;
      if (entry.names.size <= MAX_NAMES) entry.names.add(name);
      counts.set(kind, entry);
    },
    sentences: () =>
      [...counts].map(([kind, { count, names }]) => {
        const some = [...names].slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
        const list = names.size > MAX_NAMES ? [...some, '…'] : some;
        return `${count} parameter${count === 1 ? '' : 's'} (${list.join(', ')}) ${SENTENCES[kind]}.`;
      }),
  };
}

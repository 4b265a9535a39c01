// LRU cache of compiled checks. Thousands of tools are compiled as they are called. If there is too much code, the least recently
// used checks are dropped, and compiled again if they are called.
import type { JsonSchema } from '../../endpoint/model.ts';
import { createCheck, type SchemaCheck } from './compile-schema.ts';

/** The place of one check in the cache. */
interface CacheEntry {
  check: SchemaCheck | undefined;
  /** Characters of its code. */
  size: number;
  /** Tick of the last use, so that the hot path writes one number and allocates nothing. */
  lastUse: number;
}

export class ValidatorCache {
  readonly #maxCharacters: number;
  readonly #maxValidators: number;
  readonly #entries = new Set<CacheEntry>();
  #characters = 0;
  #clock = 0;

  /** The limit is for generated code. In memory, compiled and with ajv's own records, it takes about four times that. */
  constructor({ maxCharacters = 12_000_000, maxValidators = 4_000 } = {}) {
    this.#maxCharacters = maxCharacters;
    this.#maxValidators = maxValidators;
  }

  /** A function that returns the check of a schema, and compiles it if needed. */
  add(schema: () => JsonSchema): () => SchemaCheck {
    const entry: CacheEntry = { check: undefined, size: 0, lastUse: 0 };
    return () => {
      entry.lastUse = ++this.#clock;
      return entry.check ?? this.#fill(entry, schema());
    };
  }

  /** How many checks are held, and how large their code is. */
  get stats(): { readonly validators: number; readonly characters: number } {
    return { validators: this.#entries.size, characters: this.#characters };
  }

  #fill(entry: CacheEntry, schema: JsonSchema): SchemaCheck {
    // Code is added piece by piece, as arguments are first given. Validation is synchronous, so the check that grows is in use now.
    const check = createCheck(schema, (characters) => {
      entry.size += characters;
      this.#characters += characters;
      this.#trim(entry);
    });
    entry.check = check;
    this.#entries.add(entry);
    this.#trim(entry);
    return check;
  }

  #trim(except: CacheEntry): void {
    while (this.#characters > this.#maxCharacters || this.#entries.size > this.#maxValidators) {
      let oldest: CacheEntry | undefined;
      for (const one of this.#entries) if (one !== except && (!oldest || one.lastUse < oldest.lastUse)) oldest = one;
      if (!oldest) return;
      this.#entries.delete(oldest);
      this.#characters -= oldest.size;
      oldest.check = undefined;
      oldest.size = 0;
    }
  }
}

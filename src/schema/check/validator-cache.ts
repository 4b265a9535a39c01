// Which compiled validators are kept. Thousands of tools are compiled as they are called; if there is too much code, the least
// recently used are dropped, and compiled again if they are called.
import type { JsonSchema } from '../../endpoint/model.ts';
import { type Check, createCheck } from './compile-schema.ts';

/** The place of one validator. */
export interface Slot {
  /** The check that decides, compiled now if it has to be. */
  readonly check: () => Check;
}

export interface Shelf {
  createSlot(schema: () => JsonSchema): Slot;
  /** How many validators are held, and how large their code is. */
  stats(): { readonly validators: number; readonly characters: number };
}

interface Entry {
  check: Check | undefined;
  weight: number;
  /** Tick of the last use, so that the hot path writes one number and allocates nothing. */
  used: number;
}

/** Room for so much generated code; with its compiled form and ajv's own records it takes about four times that. */
export function createShelf({ maxCharacters = 12_000_000, maxValidators = 4_000 } = {}): Shelf {
  const entries = new Set<Entry>();
  let characters = 0;
  let clock = 0;

  const trim = (except: Entry): void => {
    while (characters > maxCharacters || entries.size > maxValidators) {
      let oldest: Entry | undefined;
      for (const one of entries) if (one !== except && (!oldest || one.used < oldest.used)) oldest = one;
      if (!oldest) return;
      entries.delete(oldest);
      characters -= oldest.weight;
      oldest.check = undefined;
      oldest.weight = 0;
    }
  };

  const fill = (one: Entry, schema: JsonSchema): Check => {
    // Code is added piece by piece, as arguments are first given. Validation is synchronous, so the validator that grows is in
    // use now.
    const count = (length: number): void => {
      one.weight += length;
      characters += length;
      trim(one);
    };
    const check = createCheck(schema, count);
    one.check = check;
    entries.add(one);
    trim(one);
    return check;
  };

  return {
    createSlot(schema) {
      const one: Entry = { check: undefined, weight: 0, used: 0 };
      return {
        check: () => {
          one.used = ++clock;
          return one.check ?? fill(one, schema());
        },
      };
    },
    stats: () => ({ validators: entries.size, characters }),
  };
}

// The shelf of access tokens that a primary keeps for its workers, in its memory alone.
import type { ShelfClaim } from './shelf.ts';

interface Place {
  text: string;
  /** Then it is empty again. */
  until: number;
  turn: { readonly owner: string; readonly worker: string; readonly until: number } | undefined;
}

const MAX_PLACES = 10_000;
/** A login takes two requests at most; a worker that lives and takes longer has lost its turn. */
const TURN_MS = 25_000;

export class TokenShelf {
  /** The one that was claimed last is last. */
  readonly #places = new Map<string, Place>();

  claim(name: string, badGeneration: string, owner: string, worker: string, now: number): ShelfClaim {
    const place = this.#take(name, now);
    const generation = place.text.slice(0, Math.max(0, place.text.indexOf('.')));
    if (generation !== '' && generation !== badGeneration) return { kind: 'there', text: place.text };
    if (place.turn !== undefined && place.turn.until > now) return { kind: 'busy', text: '' };
    place.turn = { owner, worker, until: now + TURN_MS };
    return { kind: 'ours', text: place.text };
  }

  finish(name: string, owner: string, text: string, until: number): void {
    const place = this.#places.get(name);
    if (place?.turn?.owner !== owner) return;
    place.turn = undefined;
    if (text === '') return;
    place.text = text;
    place.until = until;
  }

  /** A worker died: others may have its turns. */
  leave(worker: string): void {
    for (const place of this.#places.values()) if (place.turn?.worker === worker) place.turn = undefined;
  }

  #take(name: string, now: number): Place {
    const place = this.#places.get(name) ?? { text: '', until: 0, turn: undefined };
    if (place.until <= now) place.text = '';
    this.#places.delete(name);
    this.#places.set(name, place);
    if (this.#places.size > MAX_PLACES) this.#places.delete(this.#places.keys().next().value as string);
    return place;
  }
}

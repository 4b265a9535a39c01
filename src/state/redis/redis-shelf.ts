// The shelf of access tokens in Redis. Its contents are encrypted, under names that reveal nothing.
import type { Shelf } from '../shelf.ts';
import type { RedisLink } from './redis-link.ts';
import { CLAIM, FINISH, GO_ON } from './redis-scripts.ts';
import type { SealBox } from './seal-box.ts';

/** A login takes seconds, so it can wait longer for Redis than a call. */
const ANSWER_MS = 250;
/** The turn of a replica that dies ends after this time; a living one extends its turn. */
const TURN_MS = 3_000;
const GO_ON_MS = 1_000;
/** Limit even for a living replica: a login takes two requests at most. */
const MAX_TURN_MS = 25_000;

export function createRedisShelf(link: RedisLink, prefix: string, box: SealBox): Shelf {
  const placesOf = (name: string) => {
    const hidden = box.nameOf(name);
    return { token: `${prefix}token:${hidden}`, turn: `${prefix}turn:${hidden}` };
  };
  /** Turns that go on, by whose they are. */
  const turns = new Map<string, NodeJS.Timeout>();
  const goOn = (turn: string, owner: string) => {
    const end = performance.now() + MAX_TURN_MS;
    const timer = setInterval(() => {
      if (performance.now() > end) endTurn(owner);
      else link.run(GO_ON, [turn], [owner, String(TURN_MS)], ANSWER_MS).catch(() => {});
    }, GO_ON_MS).unref();
    turns.set(owner, timer);
  };
  const endTurn = (owner: string) => {
    clearInterval(turns.get(owner));
    turns.delete(owner);
  };
  return {
    async claim(name, badGeneration, owner) {
      if (!link.isThere) throw new Error('Redis is down');
      const { token, turn } = placesOf(name);
      const answer = await link.run(CLAIM, [token, turn], [badGeneration, owner, String(TURN_MS)], ANSWER_MS);
      const [kind, text] = answer as ['there' | 'ours' | 'busy', string];
      if (kind === 'ours') goOn(turn, owner);
      return { kind, text: openText(box, token, text) };
    },
    async finish(name, owner, text, keepMs) {
      endTurn(owner);
      const { token, turn } = placesOf(name);
      const envelope = text === '' ? '' : sealText(box, token, text);
      await link.run(FINISH, [token, turn], [owner, envelope, String(keepMs)], ANSWER_MS);
    },
  };
}

/** The generation stays readable, because Redis compares it; it is no secret. */
function sealText(box: SealBox, place: string, text: string): string {
  const dot = text.indexOf('.') + 1;
  return text.slice(0, dot) + box.seal(place, text);
}

/** A text that cannot be decrypted was written without the secret, or with another one, and is ignored. */
function openText(box: SealBox, place: string, envelope: string): string {
  return envelope === '' ? '' : (box.open(place, envelope.slice(envelope.indexOf('.') + 1)) ?? '');
}

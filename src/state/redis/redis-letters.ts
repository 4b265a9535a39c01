// Letters between replicas, by publish and subscribe: one channel per process, one for all. Redis does not store them; a process
// that is not subscribed does not get a letter, and the sender learns that.
import { randomBytes } from 'node:crypto';
import type { Letters } from '../../protocol/questions/letters.ts';
import type { RedisLink } from './redis-link.ts';
import type { SealBox } from './seal-box.ts';

/** Longer than other timeouts, because a person's answer is at stake. */
const PUBLISH_MS = 1_000;

export function createRedisLetters(link: RedisLink, prefix: string, box: SealBox): Letters {
  const address = randomBytes(8).toString('hex');
  const channelOf = (to: string) => `${prefix}letters:${to}`;
  const publish = (to: string, text: string) =>
    link.ask(PUBLISH_MS, 'PUBLISH', channelOf(to), box.seal(channelOf(to), `${address}${text}`));
  const listeners: ((text: string) => void)[] = [];
  const receive = (envelope: string, channel: string) => {
    const letter = box.open(channel, envelope);
    // A letter to all also reaches its sender.
    if (letter === undefined || letter.startsWith(address)) return;
    for (const listener of listeners) listener(letter.slice(address.length));
  };
  return {
    address,
    get isUsable() {
      return link.isThere;
    },
    async send(to, text) {
      if (!link.isThere) return 'away';
      try {
        return Number(await publish(to, text)) > 0 ? 'delivered' : 'nobody';
      } catch {
        return 'away';
      }
    },
    sendAll(text) {
      if (link.isThere) publish('all', text).catch(() => {});
    },
    receive(listener) {
      if (listeners.push(listener) === 1) link.subscribe([channelOf(address), channelOf('all')], receive);
    },
  };
}

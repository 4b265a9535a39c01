// How quick a core is right now: the same work again and again, in the processor time it takes. What runs outside of a virtual machine (its
// neighbours on the same silicon) shows in no other figure, and makes everything up to twice as dear for seconds.
// A process of its own, so that it can be pinned: a line in, a line with microseconds out.
import { createHash } from 'node:crypto';

const BYTES = Buffer.alloc(64 * 1_024, 7);
const TEXT = JSON.stringify({ id: 1, name: 'Ada', tags: ['a', 'b', 'c'], address: { city: 'London' } });

function work() {
  let sum = 0;
  for (let at = 0; at < 10_000; at++) sum += JSON.parse(TEXT).tags.length;
  for (let at = 0; at < 20; at++) sum += createHash('sha256').update(BYTES).digest()[0];
  return sum;
}

// Until the compiler has settled.
for (let at = 0; at < 20; at++) work();
process.stdin.on('data', () => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${user + system}\n`);
});
process.stdin.on('end', () => process.exit(0));

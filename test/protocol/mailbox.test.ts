// Answers on their way to another process: what one caller sends must not cost the others more than it cost him.
import { expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/questions/message-bus.ts';
import { createSessionRelay } from '../../src/protocol/questions/session-relay.ts';

const ADDRESS = '0123456789abcdef';
const ID = `landbridge-${ADDRESS}-00000000-0000-4000-8000-000000000000`;
const CALLER = { id: 'somebody' };

/** A post office that delivers nothing until the given letter. */
function openOffice(deliversFrom = Number.POSITIVE_INFINITY) {
  const sent: string[] = [];
  const toAll: string[] = [];
  const mailbox = createSessionRelay({
    address: 'f'.repeat(16),
    isUsable: true,
    async send(_, text): Promise<Delivery> {
      return sent.push(text) >= deliversFrom ? 'delivered' : 'nobody';
    },
    sendAll: (text) => void toAll.push(text),
    receive: () => {},
  });
  return { mailbox, sent, toAll };
}

const large = { id: ID, result: { action: 'accept', content: { text: 'x'.repeat(500_000) } } };

test('a large answer for an unreachable process is sent once, however often delivery is retried', async () => {
  const { mailbox, sent } = openOffice();
  await expect(mailbox.forward('session', CALLER, large)).rejects.toThrow('could not be handed');
  expect(sent.length).toBeGreaterThan(2);
  expect(sent.filter((text) => text.length > 100)).toHaveLength(1);
});

test('a large answer is sent again when its process is reachable again', async () => {
  const { mailbox, sent } = openOffice(3);
  await mailbox.forward('session', CALLER, large);
  expect(sent.map((text) => text.length > 100)).toEqual([true, false, false, true]);
});

test('answers with unknown ids and cancellations with long ids are not sent to other processes', async () => {
  const { mailbox, sent, toAll } = openOffice();
  for (const id of [`${ID}${'0'.repeat(1000)}`, `landbridge-${ADDRESS}-`, 'x', 7])
    await mailbox.forward('session', CALLER, { id, result: {} });
  expect(sent).toEqual([]);
  mailbox.cancel('session', CALLER, 'x'.repeat(1000));
  mailbox.cancel('session', CALLER, 'x');
  expect(toAll).toEqual([JSON.stringify({ session: 'session', cancel: 'x' })]);
});

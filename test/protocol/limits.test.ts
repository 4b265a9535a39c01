// What may be open at once has a limit, and reaching it harms only whoever comes next.
import { describe, expect, test } from 'vitest';
import { createClientQuestions } from '../../src/protocol/questions/client-questions.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { createResultWriter } from '../../src/protocol/wire/results.ts';

const forever = new AbortController().signal;
const nobody = { id: 'anonymous' };

describe('questions to clients', () => {
  const asker = (owner: unknown, id = 'anonymous') => {
    const ids: string[] = [];
    const peer = {
      owner,
      principal: { id },
      send: (text: string) => void ids.push((JSON.parse(text) as { id: string }).id),
    };
    // Signals of their own, as calls have them.
    const ask = () => questions.ask(peer, 'elicitation/create', {}, new AbortController().signal);
    return { ids, ask };
  };
  const questions = createClientQuestions();

  test('are at most twenty for one client, and a settled one makes room', async () => {
    const { ids, ask } = asker('me');
    const open = Array.from({ length: 20 }, ask);
    await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(questions.settle('me', ids[0]!, { action: 'cancel' }, undefined)).toBe(true);
    expect(await open[0]).toEqual({ action: 'cancel' });
    const next = ask();
    for (const id of ids.slice(1)) questions.settle('me', id, id, undefined);
    expect(await Promise.all([...open.slice(1), next])).toEqual(ids.slice(1));
  });

  test('that one client leaves open do not keep another from being asked', async () => {
    const greedy = asker('greedy');
    const open = Array.from({ length: 100 }, () => greedy.ask().catch(() => 'refused'));
    const other = asker('other');
    const answer = other.ask();
    questions.settle('other', other.ids[0]!, 'yes', undefined);
    expect(await answer).toBe('yes');
    for (const id of greedy.ids) questions.settle('greedy', id, 'late', undefined);
    expect(new Set(await Promise.all(open))).toEqual(new Set(['late', 'refused']));
  });

  test('that one caller leaves open over any number of clients do not keep another caller from being asked', async () => {
    const crowd = Array.from({ length: 300 }, (_, at) => asker(`client ${at}`, 'key:noisy'));
    const open = crowd.flatMap(({ ask }) => Array.from({ length: 20 }, () => ask().catch(() => 'refused')));
    expect(crowd.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(2_500);
    const quiet = asker('quiet client', 'key:quiet');
    const answer = quiet.ask();
    questions.settle('quiet client', quiet.ids[0]!, 'yes', undefined);
    expect(await answer).toBe('yes');
    crowd.forEach(({ ids }, at) => {
      for (const id of ids) questions.settle(`client ${at}`, id, 'late', undefined);
    });
    expect((await Promise.all(open)).filter((one) => one === 'refused')).toHaveLength(3_500);
    // All of it was given back.
    const again = asker('client 0', 'key:noisy');
    void again.ask();
    expect(again.ids).toHaveLength(1);
  });

  test('have unique ids that cannot be guessed', () => {
    const outgoing = createClientQuestions();
    const texts: string[] = [];
    for (let count = 0; count < 50; count++) {
      outgoing
        .ask(
          { owner: count, principal: nobody, send: (text) => void texts.push(text) },
          'ping',
          {},
          new AbortController().signal,
        )
        .catch(() => {});
    }
    const ids = texts.map((text) => (JSON.parse(text) as { id: string }).id);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^landbridge-[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect(outgoing.settle(0, 'landbridge-00000000-0000-4000-8000-000000000000', {}, undefined)).toBe(false);
  });

  test('are not asked for a finished call, or a client that has ended its side', async () => {
    const sent: string[] = [];
    const peer = { owner: 1, principal: nobody, send: (text: string) => void sent.push(text) };
    const over = AbortSignal.abort();
    await expect(createClientQuestions().ask(peer, 'x', {}, over)).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(createClientQuestions().ask({ ...peer, ended: over }, 'x', {}, forever)).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    });
    expect(sent).toEqual([]);
  });
});

describe('subscriptions', () => {
  test('are at most a thousand, and a cancelled one makes room', async () => {
    const subscriptions = createSubscriptions(createResultWriter({}));
    const listen = (signal: AbortSignal) =>
      subscriptions.listen(1, { notifications: {} }, { principal: nobody, send: () => {} }, signal);
    const leaving = new AbortController();
    const open = [listen(leaving.signal), ...Array.from({ length: 999 }, () => listen(new AbortController().signal))];
    await expect(listen(forever)).rejects.toThrow('At most 1000 subscriptions may be open');
    leaving.abort();
    expect(await open[0]).toBeUndefined();
    open.push(listen(new AbortController().signal));
    subscriptions.close();
    const results = await Promise.all(open.slice(1));
    expect(new Set(results)).toEqual(
      new Set(['{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}']),
    );
  });
});

test('subscriptions of one caller leave room for those of another', async () => {
  const subscriptions = createSubscriptions(createResultWriter({}));
  const listen = (id: string) => {
    const sender = { principal: { id }, send: () => {} };
    return subscriptions.listen(1, { notifications: {} }, sender, new AbortController().signal);
  };
  const open = Array.from({ length: 1_000 }, () => listen('key:noisy').catch(() => 'refused'));
  const quiet = Array.from({ length: 200 }, () => listen('key:quiet').catch(() => 'refused'));
  subscriptions.close();
  expect((await Promise.all(open)).filter((one) => one === 'refused')).toHaveLength(500);
  expect((await Promise.all(quiet)).filter((one) => one === 'refused')).toHaveLength(0);
});

describe('results of tools', () => {
  const writer = createResultWriter({ 'x/serverInfo': { name: 't' } });

  test('have any structured value in 2026-07-28, and an object in older revisions', () => {
    const outcome = { content: [], isError: false, structured: [1, 2] };
    expect(JSON.parse(writer.writeOutcome(outcome, '2026-07-28'))).toEqual({
      content: [],
      structuredContent: [1, 2],
      resultType: 'complete',
      _meta: { 'x/serverInfo': { name: 't' } },
    });
    expect(JSON.parse(writer.writeOutcome(outcome, '2025-11-25'))).toEqual({
      content: [],
      structuredContent: { result: [1, 2] },
    });
    const object = { content: [], isError: true, structured: { a: 1 } };
    expect(JSON.parse(writer.writeOutcome(object, '2025-06-18'))).toEqual({
      content: [],
      structuredContent: { a: 1 },
      isError: true,
    });
  });

  test('have files as resources in every revision, and audio as audio since 2025-03-26', () => {
    const file = {
      type: 'resource' as const,
      resource: { uri: 'answer://0/a.pdf', mimeType: 'application/pdf', blob: 'AA==' },
    };
    const sound = { type: 'audio' as const, data: 'AA==', mimeType: 'audio/wav' };
    const outcome = { content: [{ type: 'text' as const, text: 'two' }, file, sound], isError: false };
    for (const version of ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const)
      expect(JSON.parse(writer.writeOutcome(outcome, version)).content).toEqual(outcome.content);
    expect(JSON.parse(writer.writeOutcome(outcome, '2024-11-05')).content).toEqual([
      outcome.content[0],
      file,
      { type: 'resource', resource: { uri: 'answer://sound/audio.wav', mimeType: 'audio/wav', blob: 'AA==' } },
    ]);
  });
});

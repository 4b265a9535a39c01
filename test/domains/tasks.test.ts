// The bundled task board, from domain file to real server: every tool works against the sample API it describes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SampleApi, startSampleApi } from '../../sample/server.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { Args, Domain } from '../../src/endpoint/model.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { contextOf } from '../support/context.ts';
import { findEndpoint } from './contract.ts';

const executor = createExecutor();
let api: SampleApi;
let domain: Domain;
beforeAll(async () => {
  api = await startSampleApi({ now: () => new Date('2026-11-16T12:00:00Z') });
  [domain] = (await loadDomains({ paths: ['domains/tasks.yaml'], env: {}, embedded: () => api.url })) as [Domain];
});
afterAll(async () => {
  await executor.close();
  await api.close();
});

async function call(action: string, args: Args) {
  const endpoint = findEndpoint(domain, action);
  const valid = createValidator(endpoint)(endpoint.toolName, args);
  return executor.compile(endpoint).run(contextOf({ tool: endpoint.toolName }), valid);
}

/** In this order: later rows see what earlier ones did. */
const CALLS: [string, Args, number, string | RegExp][] = [
  ['list_tasks', { status: 'todo', sort: 'priority', per_page: 2 }, 200, 'Fix the login timeout'],
  ['get_task', { id: 1 }, 200, 'Write the release notes'],
  ['get_task', { id: 999 }, 404, ''],
  ['create_task', { title: 'Water the plants', labels: ['home'], due_on: null }, 201, '"id":25'],
  ['update_task', { id: 25, status: 'done' }, 200, '"status":"done"'],
  ['add_comment', { id: 25, author: 'ada', text: 'Thanks.' }, 201, 'Thanks.'],
  ['list_comments', { id: 25 }, 200, 'Thanks.'],
  ['search_tasks', { query: 'water plants' }, 200, '"count":1'],
  ['delete_task', { id: 25 }, 204, ''],
  ['get_board', {}, 200, '"total":24'],
  ['wait', { delay_ms: 1 }, 200, '"waited_ms":1'],
  ['fail', { status: 503 }, 503, ''],
];

describe('domains/tasks.yaml', () => {
  for (const [action, args, status, shows] of CALLS) {
    test(`${action} ${JSON.stringify(args)} is answered ${status}`, async () => {
      const answer = await call(action, args);
      expect(answer.status).toBe(status);
      if (shows !== '')
        expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining(shows as string) }]);
    });
  }

  test('get_board_chart gives a picture', async () => {
    expect((await call('get_board_chart', {})).content).toEqual([
      { type: 'text', text: expect.stringMatching(/^image\/png, \d+ bytes$/) },
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
    ]);
  });

  test('a page says how to get the next one', async () => {
    const { content } = await call('list_tasks', { per_page: 3 });
    expect(JSON.stringify(content)).toMatch(/page[^0-9]{0,4}2/);
  });

  test('offers the operations of the document but one, with their effects', () => {
    expect(Object.fromEntries(domain.endpoints.map((endpoint) => [endpoint.toolName, endpoint.effect]))).toEqual({
      tasks_list_tasks: 'read',
      tasks_create_task: 'write',
      tasks_get_task: 'read',
      tasks_update_task: 'write',
      tasks_delete_task: 'destructive',
      tasks_list_comments: 'read',
      tasks_add_comment: 'write',
      tasks_search_tasks: 'read',
      tasks_get_board: 'read',
      tasks_get_board_chart: 'read',
      tasks_wait: 'read',
      tasks_fail: 'read',
    });
    expect([domain.quarantined, domain.warnings]).toEqual([[], []]);
  });

  test('has prompts, a guide and its document, and every tool a prompt names exists', () => {
    expect(domain.prompts.map((prompt) => prompt.name)).toEqual(['plan_day', 'triage']);
    expect(domain.resources).toMatchObject([{ uri: 'tasks://guide', mimeType: 'text/markdown' }]);
    expect(domain.document?.text).toContain('operationId: listTasks');
    const tools = domain.endpoints.map((endpoint) => endpoint.toolName);
    const named = JSON.stringify([domain.prompts, domain.endpoints.map((endpoint) => endpoint.description)]).match(
      /tasks_[a-z_]+/g,
    )!;
    expect(named.filter((name) => !tools.includes(name))).toEqual([]);
  });

  test('every example is a call that validates', () => {
    for (const endpoint of domain.endpoints) {
      for (const example of endpoint.examples)
        expect(() => createValidator(endpoint)(endpoint.toolName, example)).not.toThrow();
    }
  });
});

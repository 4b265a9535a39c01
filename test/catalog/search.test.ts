import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Handler } from '../../src/call/handler.ts';
import { buildRegistry } from '../../src/catalog/registry.ts';
import { describeOperation, toSignature } from '../../src/catalog/search/describe-operation.ts';
import { findOperations } from '../../src/catalog/search/find-operations.ts';
import { buildIndex, type SearchIndex } from '../../src/catalog/search/search-index.ts';
import { splitWords, stem, toStems } from '../../src/catalog/search/search-words.ts';
import { toCatalogOperations } from '../../src/catalog/tree.ts';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import type { Operation } from '../../src/orchestration/operation.ts';
import { aCall, aDomain, anEndpoint, anOperation, textOf } from './support.ts';

const repo = { owner: { type: 'string' }, repo: { type: 'string' } } as const;
const git = aDomain('git', [
  anEndpoint('git', 'issues_create', {
    summary: 'Create an issue',
    description: 'Opens a new issue. Anybody who can read the repository may do so.',
    tags: ['issues'],
    effect: 'write',
    path: '/repos/{owner}/{repo}/issues',
    properties: {
      ...repo,
      title: { type: 'string', description: 'The title.' },
      body: { type: 'string' },
      labels: { type: 'array', items: { type: 'string' } },
    },
    required: ['owner', 'repo', 'title'],
    examples: [{ owner: 'octo', repo: 'hello', title: 'It broke' }],
    outputSchema: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        labels: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    },
  }),
  anEndpoint('git', 'issues_list', {
    summary: 'List issues',
    tags: ['issues'],
    path: '/repos/{owner}/{repo}/issues',
    properties: repo,
    required: ['owner', 'repo'],
  }),
  anEndpoint('git', 'issues_delete', {
    summary: 'Delete an issue',
    tags: ['issues'],
    effect: 'destructive',
    path: '/repos/{owner}/{repo}/issues/{id}',
    properties: { ...repo, id: { type: 'integer' } },
    required: ['owner', 'repo', 'id'],
  }),
  anEndpoint('git', 'pulls_merge', {
    summary: 'Merge a pull request',
    tags: ['pulls'],
    effect: 'write',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/pulls/{n}/merge',
    properties: repo,
    source: { kind: 'openapi', file: 'git.yaml', operationId: 'pulls/merge' },
  }),
]);
const shop = aDomain('shop', [
  anEndpoint('shop', 'orders_list', { summary: 'List orders', path: '/orders' }),
  anEndpoint('shop', 'orders_refund', {
    summary: 'Refund an order',
    effect: 'write',
    path: '/orders/{id}/refund',
    deprecated: true,
  }),
]);

function build(run?: (operation: Operation) => Operation, domains = [git, shop]) {
  const operations = domains
    .flatMap(({ endpoints }) => endpoints.map((endpoint) => anOperation(endpoint)))
    .map(run ?? ((one) => one));
  const registry = buildRegistry({ domains, operations, exposure: 'search', tokenBudget: 10_000 });
  const call = (tool: string, args: Record<string, unknown>) => registry.tools.get(tool)!.run(aCall(tool), args);
  return {
    registry,
    call,
    search: async (args: Record<string, unknown>) => textOf(await call('search_operations', args)),
  };
}

describe('search_operations', () => {
  const { search, call, registry } = build();

  test('hits have a signature, method, path and one line of text', async () => {
    expect((await search({ query: 'open a ticket', limit: 1 })).split('\n')).toEqual([
      'issues_create(owner, repo, title, body?, labels?) POST /repos/{owner}/{repo}/issues: Create an issue',
    ]);
  });

  test('destructive and deprecated operations are marked', async () => {
    expect(await search({ query: 'remove issue', limit: 1 })).toContain(
      'DELETE /repos/{owner}/{repo}/issues/{id} [destructive]: Delete an issue',
    );
    expect(await search({ query: 'refund', limit: 1 })).toContain('[deprecated]');
  });

  test.each([
    ['merge pr', 'pulls_merge'],
    ['creating issues', 'issues_create'],
    ['isues', 'issues_list'],
    ['pulls/merge', 'pulls_merge'],
    ['PUT /repos/{owner}/{repo}/pulls/{n}/merge', 'pulls_merge'],
    ['all orders', 'orders_list'],
  ])('%s finds %s first', async (query, want) => {
    expect((await search({ query, limit: 1 })).split('(')[0]).toBe(want);
  });

  test('filters by domain and by effect', async () => {
    const found = async (args: Record<string, unknown>) =>
      (await search(args)).split('\n').map((line) => line.split('(')[0]);
    expect(await found({ query: 'list', domain: 'shop' })).toEqual(['orders_list']);
    expect(await found({ query: 'issue', effect: 'destructive' })).toEqual(['issues_delete']);
  });

  test('without a hit, the domains are listed', async () => {
    expect(await search({ query: 'zzz' })).toBe(
      'Nothing matches "zzz". Try other or fewer words.\nDomains: git (4), shop (2)',
    );
    expect(await search({ query: 'refund', domain: 'git', effect: 'read' })).toContain('remove the filter');
    expect(await search({ query: 'the of a' })).toContain('Nothing matches');
  });

  test('unusual queries are answered', async () => {
    for (const query of [
      '',
      '*',
      '__proto__',
      'constructor',
      '((((',
      'a'.repeat(10_000),
      '\u0000',
      '💥',
      'toString valueOf hasOwnProperty',
    ]) {
      expect(typeof (await search({ query }))).toBe('string');
    }
  });

  test('unknown arguments are refused', async () => {
    await expect(call('search_operations', { q: 'x' })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(call('search_operations', { query: 'x', effect: 'nice' })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    await expect(call('search_operations', { query: 'x', domain: 'nowhere' })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });

  test('the search tools have the right hints', () => {
    const hints = (name: string) => registry.tools.get(name)?.tool.annotations;
    expect(hints('search_operations')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('describe_operation')).toMatchObject({ readOnlyHint: true });
    expect(hints('call_operation')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});

describe('requests in everyday language', () => {
  const names = ['tickets', 'tasks', 'tunnels', 'assets', 'members', 'plugins', 'sessions'];
  const desk = aDomain('desk', [
    ...names.flatMap((name) => [
      anEndpoint('desk', `${name}_list`, { summary: `List ${name}`, path: `/${name}`, tags: [name] }),
      anEndpoint('desk', `${name}_create`, {
        summary: `Create ${name}`,
        path: `/${name}`,
        effect: 'write',
        tags: [name],
        ...(name === 'assets' && { description: 'Uploads a photo.' }),
      }),
      anEndpoint('desk', `${name}_update`, {
        summary: `Update ${name}`,
        path: `/${name}/{id}`,
        effect: 'write',
        method: 'PATCH',
        tags: [name],
      }),
      anEndpoint('desk', `${name}_delete`, {
        summary: `Delete ${name}`,
        path: `/${name}/{id}`,
        effect: 'destructive',
        tags: [name],
      }),
    ]),
    anEndpoint('desk', 'tasks_cancel', { summary: 'Cancel a task', path: '/tasks/{id}/cancel', effect: 'write' }),
    anEndpoint('desk', 'plugins_disable', {
      summary: 'Disable a plugin',
      path: '/plugins/{id}/disable',
      effect: 'write',
    }),
  ]);
  const registry = buildRegistry({
    domains: [desk],
    operations: desk.endpoints.map((endpoint) => anOperation(endpoint)),
    exposure: 'search',
    tokenBudget: 10_000,
  });
  const search = async (query: string) =>
    textOf(await registry.tools.get('search_operations')!.run(aCall('search_operations'), { query })).split('\n');
  const best = async (query: string) => (await search(query))[0]!.split('(')[0];

  test.each([
    ['set up a new tunnel', 'tunnels_create'],
    ['Could you please set a tunnel up for me?', 'tunnels_create'],
    ['get rid of the old tunnel', 'tunnels_delete'],
    ['take somebody off the member list', 'members_delete'],
    ['I want to kick a member out', 'members_delete'],
    ['turn a plugin off', 'plugins_disable'],
    ['which plugins do we have', 'plugins_list'],
    ['change what the ticket says', 'tickets_update'],
    ['call off a task', 'tasks_cancel'],
  ])('the verb is found in the whole sentence: %s', async (query, want) => {
    expect(await best(query)).toBe(want);
  });

  test.each([
    ['the sessions page looks empty, get rid of the tunnel', 'tunnels_delete'],
    ['create a ticket so nobody has to cancel the task', 'tickets_create'],
    ['because the tasks are done, delete the ticket', 'tickets_delete'],
  ])('the clause with the command counts, not the reasons around it: %s', async (query, want) => {
    expect(await best(query)).toBe(want);
  });

  test.each([
    ['yank the tunnel off', 'tunnels_delete'],
    ['shoo the member away', 'members_delete'],
    ['cobble the ticket together', 'tickets_create'],
  ])('an unknown verb is understood by its particle: %s', async (query, want) => {
    expect(await best(query)).toBe(want);
  });

  test('words that no operation has do not reduce the weight of the others', async () => {
    expect(await best('zap that wretched wobbly plugin Bartholomew foisted upon us in Tuscaloosa')).toBe(
      'plugins_delete',
    );
  });

  test.each([
    ['whose is jane@acme.test', 'accounts_by_email'],
    ['charge her $20', 'amounts_charge'],
    ['what goes on in #general', 'channels_read'],
    ['which are taken in 10.0.4.0/24', 'prefixes_read'],
  ])('an example value is searched for as what it is: %s', async (query, want) => {
    const endpoints = [
      anEndpoint('desk', 'accounts_by_email', { summary: 'Look up by email' }),
      anEndpoint('desk', 'amounts_charge', { summary: 'Charge an amount', effect: 'write' }),
      anEndpoint('desk', 'channels_read', { summary: 'Read a channel' }),
      anEndpoint('desk', 'prefixes_read', { summary: 'Read a prefix' }),
    ];
    const index = await buildIndex(
      toCatalogOperations(
        endpoints.map((endpoint) => anOperation(endpoint)),
        [],
      ),
    );
    expect((await findOperations(index, query, 1))[0]?.name).toBe(want);
  });

  test('the object counts more than the verb, and its own word more than a synonym', async () => {
    expect(await best('cancel a ticket')).toMatch(/^tickets_/);
    expect(await best('ticket')).toMatch(/^tickets_/);
  });

  test('a word of a description finds the operation and the others on the same resource', async () => {
    expect(await best('add a photo')).toBe('assets_create');
    expect((await search('show me every photo')).slice(0, 2).map((line) => line.split('(')[0])).toContain(
      'assets_list',
    );
  });

  test('hits that match loosely are followed by the groups', async () => {
    const lines = await search('refill the coffee machine with fresh plugins before noon');
    expect(lines.at(-2)).toBe('These match loosely. Ask again with the words of a group:');
    expect(lines.at(-1)).toMatch(/^Groups: tickets \(4\), tasks \(4\), /);
    expect((await search('list tickets')).join('\n')).not.toContain('Groups:');
  });

  test('operations with the same summary do not fill the list of hits', async () => {
    const alike = aDomain('music', [
      ...['albums', 'songs', 'genres', 'artists', 'playlists'].map((name) =>
        anEndpoint('music', `${name}_mix`, { summary: 'Creates a mix of a playlist', path: `/${name}/{id}/mix` }),
      ),
      anEndpoint('music', 'playlist_tracks', { summary: 'Gets the tracks', path: '/playlists/{id}/tracks' }),
    ]);
    const index = await buildIndex(
      toCatalogOperations(
        alike.endpoints.map((endpoint) => anOperation(endpoint)),
        [],
      ),
    );
    expect((await findOperations(index, 'playlist', 3)).map(({ name }) => name)).toContain('playlist_tracks');
  });
});

describe('describe_operation', () => {
  const { call } = build();

  test('describes everything that a call needs', async () => {
    const text = textOf(await call('describe_operation', { operation: 'issues_create' }));
    expect(text.split('\n')).toEqual([
      'issues_create (write): POST /repos/{owner}/{repo}/issues of git',
      'Create an issue. Opens a new issue. Anybody who can read the repository may do so.',
      expect.stringMatching(/^Arguments: \{.*"dry_run".*"required":\["owner","repo","title"\].*\}$/),
      'Example arguments: {"owner":"octo","repo":"hello","title":"It broke"}',
      'Returns: {id: integer, labels: [{name: string}]}',
    ]);
  });

  test('accepts an id or operationId, and suggests a name for unknown ones', async () => {
    expect(textOf(await call('describe_operation', { operation: 'git.pulls_merge' }))).toMatch(
      /^pulls_merge \(write\)/,
    );
    expect(textOf(await call('describe_operation', { operation: 'pulls/merge' }))).toMatch(/^pulls_merge/);
    await expect(call('describe_operation', { operation: 'issue_create' })).rejects.toThrow(
      'did you mean "issues_create"?',
    );
    await expect(call('describe_operation', { operation: '__proto__' })).rejects.toThrow('There is no operation');
  });

  test('a schema too large to show is shown as deep as it fits', async () => {
    const wide = (depth: number): Record<string, unknown> => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 12 }, (_, i) => [
          `field_${i}`,
          depth === 0 ? { type: 'string', description: 'x'.repeat(50) } : wide(depth - 1),
        ]),
      ),
    });
    const endpoint = anEndpoint('big', 'huge', { properties: wide(3).properties as Record<string, JsonSchema> });
    const registry = buildRegistry({
      domains: [aDomain('big', [endpoint])],
      operations: [anOperation(endpoint)],
      exposure: 'search',
      tokenBudget: 1,
    });
    const text = textOf(
      await registry.tools.get('describe_operation')!.run(aCall('describe_operation'), { operation: 'huge' }),
    );
    expect(text.length).toBeLessThan(14_000);
    expect(text).toContain('field_11');
  });
});

describe('call_operation', () => {
  test('runs the operation as a direct call does, with its name in the label', async () => {
    const outcome = await build().call('call_operation', {
      operation: 'issues_create',
      arguments: { owner: 'o', repo: 'r', title: 't', dry_run: true },
    });
    expect(JSON.parse(textOf(outcome))).toEqual({
      endpoint: 'git.issues_create',
      tool: 'call_operation/issues_create',
      args: { owner: 'o', repo: 'r', title: 't' },
    });
  });

  test('controls are accepted beside and inside `arguments`, also if the operation renames them', async () => {
    const { call } = build();
    for (const args of [
      { operation: 'issues_create', arguments: { owner: 'o', repo: 'r', title: 't' }, dry_run: true, fields: ['id'] },
      { operation: 'issues_create', arguments: { owner: 'o', repo: 'r', title: 't', dry_run: 'true' }, fields: 'id' },
    ]) {
      expect(JSON.parse(textOf(await call('call_operation', args)))).toMatchObject({
        args: { owner: 'o', repo: 'r', title: 't' },
      });
    }
  });

  test('arguments beside `arguments` are refused with an example', async () => {
    const args = { operation: 'issues_create', owner: 'o', repo: 'r' };
    await expect(build().call('call_operation', args)).rejects.toMatchObject({
      message:
        'Invalid arguments for call_operation; nothing was sent. Fix and call again:\n1. `owner`, `repo` must be inside `arguments`: { operation: "issues_create", arguments: { owner: … } }.',
      details: {
        errors: [
          { path: 'owner', message: 'must be inside `arguments`' },
          { path: 'repo', message: 'must be inside `arguments`' },
        ],
      },
    });
  });

  test('missing `arguments` count as none', async () => {
    expect((await build().call('call_operation', { operation: 'orders_list' })).isError).toBe(false);
  });

  test('wrong arguments are answered with the schema', async () => {
    const outcome = await build().call('call_operation', {
      operation: 'issues_create',
      arguments: { owner: 'o', titel: 't' },
    });
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'validation' } });
    const text = textOf(outcome);
    expect(text).toMatch(/^\[call_operation\/issues_create\] /);
    expect(text).toContain('did you mean `title`');
    expect(text).toContain('Arguments of issues_create: {"type":"object"');
    // The schema says what is required.
    expect(text.split('\n').slice(0, -1)).toEqual([
      '[call_operation/issues_create] Invalid arguments; nothing was sent. Fix and call again:',
      '1. missing `repo` (string)',
      '2. unknown `titel` — did you mean `title`?',
    ]);
    expect((outcome.structured as { message: string }).message).toBe(text);
  });

  test('failures, refusals and questions of the guard are passed on unchanged', async () => {
    const answer: Handler = async () => {
      throw new GatewayError('NOT_CONFIRMED', 'Ask first.', { tool: 'x' });
    };
    const refused = await build((one) => ({ ...one, run: answer })).call('call_operation', {
      operation: 'issues_delete',
    });
    expect(refused).toMatchObject({
      isError: true,
      structured: { failure_mode: 'not_confirmed' },
      content: [{ text: '[call_operation/issues_delete] Ask first.' }],
    });
    const asking: Handler = async () => ({ content: [], isError: false, inputRequired: { requestState: 's' } });
    expect(
      await build((one) => ({ ...one, run: asking })).call('call_operation', { operation: 'issues_delete' }),
    ).toEqual({
      content: [],
      isError: false,
      inputRequired: { requestState: 's' },
    });
    const bad: Handler = async () => {
      throw new GatewayError('INVALID_PARAMS', 'requestState was tampered with');
    };
    await expect(
      build((one) => ({ ...one, run: bad })).call('call_operation', { operation: 'issues_delete' }),
    ).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('arguments beside `arguments` are refused, not lost', async () => {
    await expect(build().call('call_operation', { operation: 'orders_list', owner: 'o' })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
    await expect(build().call('call_operation', { operation: 'nope' })).rejects.toThrow(
      'Use search_operations to find one.',
    );
  });
});

describe('one-line schemas', () => {
  /** The shape of an answer, as describe_operation shows it. */
  const shapeOf = async (outputSchema: JsonSchema | undefined) => {
    const [operation] = toCatalogOperations([anOperation(anEndpoint('d', 'f', { outputSchema }))], []);
    return /^Returns: (.*)$/m.exec(await describeOperation(operation!))?.[1];
  };

  test('signatures show required arguments and some of the others', () => {
    const properties = Object.fromEntries(['b', 'a', ...'cdefghij'].map((key) => [key, {}]));
    expect(toSignature('f', anEndpoint('d', 'f', { properties, required: ['a'] }))).toBe(
      'f(a, b?, c?, d?, e?, f?, g?, …)',
    );
  });

  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['integer', 'null'] }, 'integer'],
    [
      {
        type: 'array',
        items: { $ref: '#/$defs/A' },
        $defs: { A: { type: 'object', properties: { x: { type: 'number' } } } },
      },
      '[{x: number}]',
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }, { type: 'integer' }] }, 'string | integer'],
    [
      { allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'boolean' } } }] },
      '{a: string, b: boolean}',
    ],
    [
      { $ref: '#/$defs/Loop', $defs: { Loop: { type: 'object', properties: { next: { $ref: '#/$defs/Loop' } } } } },
      '{next: object}',
    ],
    [{ $ref: 'https://elsewhere.test/x' }, 'object'],
    [{}, undefined],
    [true, undefined],
    [undefined, undefined],
  ])('the shape of %j is %s', async (schema, want) => {
    expect(await shapeOf(schema)).toBe(want);
  });

  test('the shape of a large answer is cut', async () => {
    const deep = (n: number): object => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`property_${i}`, n === 0 ? { type: 'string' } : deep(n - 1)]),
      ),
    });
    expect((await shapeOf(deep(3) as JsonSchema))!.length).toBeLessThanOrEqual(601);
  });
});

describe('stems', () => {
  test.each([
    ['create creates creating created creation', 'creat'],
    ['delete deleting deletion', 'delet'],
    ['issue issues', 'issu'],
    ['repository repositories', 'repositori'],
    ['organization organisations organize', 'organiz'],
    ['run runs running', 'run'],
    ['subscription subscriptions subscribe', 'subscrib'],
    ['invitation invitations invite', 'invit'],
    ['notification notify', 'notifi'],
    ['collaborator collaboration collaborate', 'collabor'],
    ['sent send', 'send'],
    ['favourite favorites', 'favorit'],
    ['branch branches', 'branch'],
  ])('%s have the stem %s', (words, want) => {
    expect(new Set(words.split(' ').map(stem))).toEqual(new Set([want]));
  });

  test('words with different meanings have different stems', () => {
    expect(stem('string')).toBe('string');
    expect(stem('status')).toBe('status');
    expect(stem('action')).toBe('action');
    expect(stem('address')).toBe('address');
    expect(stem('settings')).not.toBe(stem('set'));
    expect(stem('constructor')).toBe('constructor');
  });

  test('names in every notation are split into words', () => {
    expect(toStems('listPullRequests_forRepo v2/HTTPServer')).toEqual([
      'list',
      'pull',
      'request',
      'repo',
      'v2',
      'http',
      'server',
    ]);
  });
});

describe('search under load', () => {
  const many = Array.from({ length: 1_500 }, (_, i) =>
    anEndpoint('big', `op_${i}`, { summary: `Operation ${i} about topic ${i % 97}`, path: `/topics/${i % 97}/op${i}` }),
  );
  const bigCatalog = () =>
    toCatalogOperations(
      many.map((endpoint) => anOperation(endpoint)),
      [],
    );

  /** Every look at the clock finds it two milliseconds on: how much fits into a turn does not depend on the machine. */
  const slowDown = () => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 2;
      return now;
    });
  };
  afterEach(() => vi.restoreAllMocks());

  /** In which order work was done and five others had their turns. */
  const amongOthers = async (work: () => Promise<unknown>): Promise<string[]> => {
    slowDown();
    const steps: string[] = [];
    const working = work().then(() => steps.push('done'));
    const others = (async () => {
      for (let turn = 0; turn < 5; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        steps.push('other');
      }
    })();
    await Promise.all([working, others]);
    return steps;
  };
  const LAST = ['other', 'other', 'other', 'other', 'other', 'done'];

  test('building the index yields to other work', async () => {
    expect(await amongOthers(() => buildIndex(bigCatalog()))).toEqual(LAST);
  });

  test('searching the index yields to other work', async () => {
    const index = await buildIndex(bigCatalog());
    expect(await amongOthers(() => findOperations(index, 'operations about a topic', 10))).toEqual(LAST);
  });

  test('describing an operation with many nested arguments yields to other work', async () => {
    const leaf = { type: 'object', properties: { id: { type: 'integer', description: 'Which one it is.' } } };
    const nested = { type: 'object', properties: { near: leaf, far: { type: 'object', properties: { leaf } } } };
    // Each its own: what has been drawn once is not drawn again.
    const open = () => {
      const parts = Array.from({ length: 120 }, (_, i) => [`part_${i}`, structuredClone(nested)]);
      const wide = anEndpoint('big', 'assemble', { effect: 'write', properties: Object.fromEntries(parts) });
      return build(undefined, [aDomain('big', [wide])]);
    };
    const describing = open();
    expect(await amongOthers(() => describing.call('describe_operation', { operation: 'assemble' }))).toEqual(LAST);
    const wrong = { operation: 'assemble', arguments: { part_1: 7 } };
    const refusing = open();
    expect(await amongOthers(() => refusing.call('call_operation', wrong))).toEqual(LAST);
    expect(await describing.call('describe_operation', { operation: 'assemble' })).toMatchObject({ isError: false });
    expect(await refusing.call('call_operation', wrong)).toMatchObject({ isError: true });
  });

  test('results do not depend on earlier or concurrent searches', async () => {
    const domains = [aDomain('big', many)];
    const operations = many.map((endpoint) => anOperation(endpoint));
    const registry = buildRegistry({ domains, operations, exposure: 'search', tokenBudget: 10_000 });
    const tool = registry.tools.get('search_operations')!;
    const search = async () => textOf(await tool.run(aCall('search_operations'), { query: 'operation 7 topic' }));
    const [first, second] = await Promise.all([search(), search()]);
    expect(second).toBe(first);
    expect(await search()).toBe(first);
    expect(first).toContain('op_7(');
  });

  test.each([
    ['a long one', 'create issue '.repeat(50_000)],
    ['many words', Array.from({ length: 50_000 }, (_, i) => `w${i}`).join(' ')],
    ['one long word', 'a'.repeat(500_000)],
    ['one long word in capitals', `${'A'.repeat(500_000)}b`],
    ['blanks', ' '.repeat(500_000)],
    ['surrogates', '\u{1f600}'.repeat(100_000)],
  ])('a hostile query is cut before it is processed: %s', async (_, query) => {
    const index = await buildIndex(bigCatalog());
    const words: number[] = [];
    const spy: SearchIndex = { ...index, knows: (stem) => words.push(stem.length) > 0 && index.knows(stem) };
    expect((await findOperations(spy, query, 10)).length).toBeLessThanOrEqual(10);
    expect(Math.max(0, ...words)).toBeLessThanOrEqual(40);
    expect(splitWords(query).length).toBeLessThanOrEqual(400);
  });

  test('operations are found and called by their fully-qualified names', async () => {
    const { search, call } = build();
    expect(await search({ query: 'git.issues.issues_list', limit: 1 })).toMatch(/^issues_list\(/);
    expect(await call('call_operation', { operation: 'shop.orders_list' })).toMatchObject({ isError: false });
  });
});

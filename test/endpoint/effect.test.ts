import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectOf, type NamedOperation } from '../../src/endpoint/conventions/effect.ts';
import { toSnakeCase } from '../../src/endpoint/names.ts';

const effect = (operation: NamedOperation) => effectOf(operation).effect;
/** An operation whose path says nothing. */
const named = (name: string, method = 'POST', more: Partial<NamedOperation> = {}) =>
  effect({ method, path: '/a', name, ...more });

describe('the reason of an effect names what decided', () => {
  test.each([
    [{ method: 'DELETE', path: '/a' }, 'destructive', 'the HTTP method'],
    [{ method: 'GET', path: '/a' }, 'read', 'the HTTP method'],
    [{ method: 'PUT', path: '/a' }, 'write', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'delete_points' }, 'destructive', 'POST, but named delete_points'],
    [{ method: 'POST', path: '/{i}/_delete_by_query' }, 'destructive', 'POST, but its path is /{i}/_delete_by_query'],
    [{ method: 'POST', path: '/a', summary: 'Deletes a user' }, 'destructive', 'POST, but its summary says "deletes"'],
    [{ method: 'GET', path: '/a', name: 'createCall' }, 'write', 'GET, but named createCall'],
    [
      { method: 'POST', path: '/points/search', name: 'search_points', summary: 'Search points' },
      'read',
      'POST, but named search_points at /points/search',
    ],
  ] as const)('%j', (operation, want, from) => {
    expect(effectOf(operation)).toEqual({ effect: want, from });
  });
});

describe('a deletion among other verbs, and words that say nothing can be undone, make a write destructive', () => {
  test.each([
    'Create, update or delete users in bulk',
    'Reboots, rebuilds or deletes an instance',
    'Bulk index or delete documents',
    'Gets a message and deletes it',
    'Add/remove tags',
    'Update, delete, or create records',
    'Create or update an alias. Adds or removes aliases',
    'Moves the record & purges its cache',
    'Deactivate a user. This is destructive: the user is deprovisioned from all apps.',
    'Closes the account permanently',
    'Merge two contacts. This cannot be undone.',
    "Merge two contacts. It can't be reversed.",
    'Closing a dispute is irreversible.',
  ])('%s', (summary) => {
    expect(named('manage_it', 'POST', { summary })).toBe('destructive');
    expect(named('manage_it', 'POST', { summary: 'Manage it', description: summary })).toBe(
      /destructive|permanent|undone|reversed|irreversible/.test(summary) ? 'destructive' : 'write',
    );
  });

  test.each([
    'Restore deleted or removed items',
    'Create a delete marker',
    'Create update or delete requests',
    'Grants the permission to read, write or delete objects',
    'Sets whether members may add or remove others',
    'Add a pick-up or drop-off point',
    'Applies a non-destructive edit',
    'Archives the page; it is not permanently gone',
    'Create a permanent link',
  ])('this does not: %s', (summary) => {
    expect(named('manage_it', 'POST', { summary })).toBe('write');
  });

  test('a GET with such a description reads, and the reason quotes the words', () => {
    const description = 'Reports can be kept. What is removed here cannot be undone.';
    expect(named('get_report', 'GET', { summary: 'List created or deleted items', description })).toBe('read');
    expect(effectOf({ method: 'PUT', path: '/a', name: 'close', summary: 'Close', description }).from).toBe(
      'PUT, but its description says "cannot be undone"',
    );
  });

  test.each(['findOneAndDelete', 'find_and_delete', 'getAndDeleteMessage', 'createOrDeleteUsers'])('%s', (name) => {
    expect(effect({ method: 'POST', path: `/${name}`, name })).toBe('destructive');
    expect(effect({ method: 'POST', path: `/${name}` })).toBe('destructive');
  });
});

describe('a name for deletion makes a request that may change data destructive', () => {
  test.each([
    'deleteUser',
    'users/delete-user',
    'purge_queue',
    'terminateInstances',
    'TerminateInstances',
    'POST_DeleteVolume',
    'PostAppsSecretsDelete',
    'CatsController_remove',
    'users_bulk_destroy',
    'admin.users.session.wipe',
    'revokeToken',
    'truncate_table',
    'uninstall_plugin',
    'deregister_task_definition',
    'batchDelete',
    'soft_delete_user',
    'blog_post_delete',
    'data_set_delete',
    'list_remove_member',
    'mailing_list_delete',
    'scheduleKeyDeletion',
    'create_deletion_request',
    'submit_bulk_delete',
    'account_deletion',
    'clear_payload',
    'cancelSubscription',
    'PostOrdersOrderCancel',
    'flushAll',
    'volume_prune',
    'reset_tuner',
    'delete_software_update',
    'confirmDelete',
    'confirmAccountDelete',
    'confirm_deletion',
    'stopAndDelete',
    'disable_and_remove',
    'withdraw_and_destroy',
    'find_one_and_delete',
    'getThenPurge',
    // A generator makes the same of `POST /delete-policies`, which deletes them.
    'delete_policies_create',
  ])('%s', (name) => {
    expect(named(name)).toBe('destructive');
    expect(named(name, 'PUT')).toBe('destructive');
  });

  test.each([
    'undelete',
    'unDeleteUser',
    'restoreDeletedUser',
    'cancel_delete',
    'CancelKeyDeletion',
    'approve_removal',
    'set_auto_delete',
    'update_delete_policy',
    'create_remove_token',
    'enable_deletion_protection',
    'disable_delete_protection',
    'configure_delete_rule',
    'list_deleted',
    'removable',
    'create_dropdown',
    'drop_off_create',
    'password_reset',
    'reset_password_confirm',
    'request_password_reset',
    'create_empty_repository',
    'kill_switch_update',
  ])('but not %s', (name) => {
    expect(named(name)).toBe('write');
  });
});

describe('a path that names a deletion makes a request destructive', () => {
  test.each([
    ['/users/{id}/delete', 'destructive'],
    ['/users/{id}:purge', 'destructive'],
    ['/items:batchDelete', 'destructive'],
    ['/chat.delete', 'destructive'],
    ['/delete/{id}/', 'destructive'],
    ['/delete/users/{id}', 'destructive'],
    ['/{index}/_delete_by_query', 'destructive'],
    ['/messages/bulk-delete', 'destructive'],
    ['/collections/{name}/points/payload/clear', 'destructive'],
    ['/orders/{id}/cancel', 'destructive'],
    ['/#Action=DeleteVolume', 'destructive'],
    ['/#X-Amz-Target=DynamoDB_20120810.DeleteTable', 'destructive'],
    ['/users/{id}/undelete', 'write'],
    ['/deleted/{id}/restore', 'write'],
    ['/dropdown', 'write'],
    ['/members/bulk', 'write'],
    ['/password/reset', 'write'],
  ])('POST %s', (path, want) => {
    expect(effect({ method: 'POST', path })).toBe(want);
  });

  test('if the name says that something else is done with a deletion, only the verb alone counts', () => {
    const at = (path: string) => effect({ method: 'POST', path, name: 'actions/create-remove-token' });
    expect([at('/runners/remove-token'), at('/runners/remove')]).toEqual(['write', 'destructive']);
  });
});

describe('the first verb of a summary decides about the effect', () => {
  test.each([
    ['Permanently erase a user', 'destructive'],
    ['(Deprecated) Delete a user', 'destructive'],
    ['This endpoint deletes a user', 'destructive'],
    ['Allows you to remove a member', 'destructive'],
    ['<p>Terminates the instances.</p>', 'destructive'],
    ['Kill a container', 'destructive'],
    ['Cancels the quote.', 'destructive'],
    ['Cancels a deletion', 'write'],
    ['Reset the password of a user', 'write'],
    ['Undelete a user', 'write'],
    ['Creates a user who may delete others', 'write'],
  ])('%s', (summary, want) => {
    expect(effect({ method: 'POST', path: '/a', summary })).toBe(want);
  });
});

describe('a GET reads unless its name or path says otherwise', () => {
  test.each([
    [{ path: '/cookies/delete' }, 'destructive'],
    [{ path: '/delete/{id}' }, 'destructive'],
    [{ path: '/a', name: 'auth_revoke', summary: 'Revokes a token.' }, 'destructive'],
    [{ path: '/#Action=TerminateInstances', name: 'GET_TerminateInstances' }, 'destructive'],
    [{ path: '/#Action=RunInstances', name: 'GET_RunInstances' }, 'write'],
    [{ path: '/#Action=DescribeInstances', name: 'GET_DescribeInstances' }, 'read'],
    [{ path: '/calls/create', name: 'create-call' }, 'write'],
    [{ path: '/a', name: 'getDeleteRequest' }, 'read'],
    [{ path: '/a', name: 'delete_requests_list' }, 'read'],
    [{ path: '/deleted_users' }, 'read'],
    [{ path: '/delete-requests', summary: 'List of requests' }, 'read'],
    [{ path: '/delete-requests', name: 'list-delete-requests' }, 'read'],
    [{ path: '/delete-job', name: 'getDeleteJob' }, 'destructive'],
    [{ path: '/users/{id}/delete', name: 'getUsersIdDelete', summary: 'Delete a user' }, 'destructive'],
    [{ path: '/users/{id}/delete', name: 'getUsersIdDelete' }, 'destructive'],
    [{ path: '/delete/users/{id}', name: 'getDeleteUsersId' }, 'destructive'],
    [{ path: '/a', name: 'showUser', summary: 'Delete a user' }, 'destructive'],
    [{ path: '/admin/purge', name: 'fetch_purge', summary: 'Returns what was purged' }, 'destructive'],
    [{ path: '/tasks/delete', summary: 'Returns the tasks that delete' }, 'destructive'],
    [{ path: '/a', name: 'messages', summary: 'Retrieves and deletes messages' }, 'destructive'],
    [{ path: '/a', summary: '(Remove) a user' }, 'destructive'],
    [{ path: '/drops/{delete}', summary: 'Lists what was removed' }, 'read'],
    [{ path: '/reset' }, 'read'],
    [{ path: '/a', name: 'update_status', summary: 'Shows how the update goes' }, 'read'],
  ])('%j', (operation, want) => {
    expect(effect({ method: 'GET', ...operation })).toBe(want);
  });
});

describe('a POST counts as a read only if name, path and summary say so', () => {
  test.each([
    [{ path: '/v1/search', name: 'post-search', summary: 'Search by title' }, 'read'],
    [{ path: '/{index}/_search', name: 'search-1', summary: 'Run a search' }, 'read'],
    [{ path: '/{index}/_count', name: 'count', summary: 'Count search results' }, 'read'],
    [{ path: '/files/list_folder', name: 'files/list_folder', summary: 'Lists a folder' }, 'read'],
    [
      { path: '/#X-Amz-Target=DynamoDB_20120810.ListTables', name: 'ListTables', summary: 'Returns table names.' },
      'read',
    ],
    [
      {
        path: '/collections/{name}/points/query',
        name: 'query_points',
        summary: 'Query points',
        description: 'Universally query points. But also enables hybrid queries.',
        takesStatement: (): boolean => false,
      },
      'read',
    ],
    [{ path: '/users/search', name: 'users_search', summary: 'Search for issues of the set' }, 'read'],
    [{ path: '/points/search', name: 'search_points' }, 'write'],
    [{ path: '/price-list', name: 'postPriceList', summary: 'List of prices' }, 'write'],
    [{ path: '/watch-list', name: 'watchList', summary: 'List' }, 'write'],
    [{ path: '/users/{id}/saved-search', name: 'postSavedSearch', summary: 'Search' }, 'write'],
    [{ path: '/users/find', name: 'findUser', summary: 'Find or create a user' }, 'write'],
    [{ path: '/messages/list', name: 'listMessages', summary: 'Lists, then marks them' }, 'write'],
    [{ path: '/messages/get', name: 'getMessages', summary: 'Get messages, marking them' }, 'write'],
    [{ path: '/messages/get', name: 'getMessages', summary: 'Retrieves and deletes messages' }, 'destructive'],
    [{ path: '/x/list', name: 'listX', summary: 'Lists, then removes' }, 'destructive'],
    [
      {
        path: '/queues/{name}/get',
        name: 'get_messages',
        summary: 'Get messages',
        description: 'Not a GET, as it will alter the state of the queue.',
      },
      'write',
    ],
    [{ path: '/search', summary: 'Search things' }, 'read'],
    [{ path: '/search' }, 'write'],
    [{ path: '/searches', name: 'create_search' }, 'write'],
    [{ path: '/search', name: 'search_create' }, 'write'],
    [{ path: '/search/jobs', name: 'search_jobs' }, 'write'],
    [{ path: '/users/find_or_create', name: 'find_or_create_user' }, 'write'],
    [{ path: '/get_token', name: 'get_token' }, 'write'],
    [{ path: '/users/search', name: 'search_users', summary: 'Starts a search' }, 'write'],
    [{ path: '/notifications/read', name: 'read_notifications' }, 'write'],
    [{ path: '/graphql', name: 'graphql' }, 'write'],
    [{ path: '/query', name: 'query_database', summary: 'Query a database' }, 'write'],
    [{ path: '/query', name: 'query_database', summary: 'Query a database', takesStatement: () => true }, 'write'],
    [{ path: '/query', name: 'query_database', summary: 'Query a database', takesStatement: () => false }, 'read'],
  ])('%j', (operation, want) => {
    expect(effect({ method: 'POST', ...operation })).toBe(want);
  });

  test('a PUT or PATCH never counts as a read', () => {
    expect([named('search', 'PUT', { path: '/search' }), named('search', 'PATCH', { path: '/search' })]).toEqual([
      'write',
      'write',
    ]);
  });
});

/** The rules of 0.1, in which one word was enough: what they call destructive stays so. */
const deletionsBefore = /^(?:delete|remove|destroy|purge|erase|wipe|drop|revoke|terminate)$/;
const othersBefore =
  /^(?:un|undo|get|list|read|find|fetch|search|query|count|check|is|has|can|preview|validate|test|create|add|update|set|edit|save|replace|restore|cancel|approve|reject)$/;

function wasDestructive({ method, path, name = '', summary = '' }: NamedOperation): boolean {
  const deletes = (text: string) => {
    const verb = toSnakeCase(text)
      .split('_')
      .find((word) => deletionsBefore.test(word) || othersBefore.test(word));
    return verb !== undefined && deletionsBefore.test(verb);
  };
  const last = path
    .split(/[?#]/, 1)[0]!
    .split('/')
    .findLast((segment) => segment !== '' && !/^\{[^{}]*\}$/.test(segment));
  const [first = '', second = ''] = toSnakeCase(summary.slice(0, 100)).split('_');
  const verb = /^(?:bulk|batch|mass|permanently|hard|soft|force)$/.test(first) ? second : first;
  return (
    method === 'DELETE' ||
    deletes(name) ||
    deletes((last ?? '').replaceAll(/\{[^{}]*\}/g, ' ')) ||
    deletionsBefore.test(verb.replace(/s$/, ''))
  );
}

/** Where a deletion is no verb, or the object of another: the only ways in which a text may say less than it did. */
const DELETION = '(?:delete|remove|destroy|purge|erase|wipe|drop|revoke|terminate)';
const EXCUSES = [
  // Verbs like `get` and `cancel`, which were in the list already.
  `(?:^|_)(?:abort|undelete|recover|prevent|reverse|configure|describe|show|view|retrieve|lookup|no|not)_(?:.*_)?${DELETION}`,
  // A drop-off is a place.
  'drop_(?:off|down|box|in|out|points?|zones?|ship|shipping)(?:_|$)',
  // `delete-requests`, `remove-token`: things.
  `${DELETION}_(?:requests?|jobs?|policies|token|protection|status)(?:_|$)`,
].map((pattern) => new RegExp(pattern));

function withoutExcuses({ method, path, name = '', summary = '' }: NamedOperation): NamedOperation {
  const isExcused = (text: string) => EXCUSES.some((excuse) => excuse.test(toSnakeCase(text)));
  const orNothing = (text: string) => (isExcused(text) ? '' : text);
  return { method, path: orNothing(path), name: orNothing(name), summary };
}

describe('what earlier rules found destructive stays destructive', () => {
  const verb = fc.constantFrom(
    ...'delete remove destroy purge erase wipe drop revoke terminate'.split(' '),
    ...'get list fetch show view find search create update set confirm stop disable enable withdraw auto'.split(' '),
    ...'cancel abort approve post put patch on before after pre reset clear and or then not retrieve describe'.split(
      ' ',
    ),
  );
  const noun = fc.constantFrom(
    ...'user users account id request jobs policies token protection status off v1'.split(' '),
  );
  const phrase = fc.array(fc.oneof({ weight: 3, arbitrary: verb }, { weight: 2, arbitrary: noun }), { maxLength: 5 });
  const title = (word: string) => word[0]!.toUpperCase() + word.slice(1);
  const name = fc.tuple(phrase, fc.nat(3)).map(([words, style]) => {
    if (style === 0) return words.map((word, at) => (at === 0 ? word : title(word))).join('');
    if (style === 1) return words.map(title).join('');
    return words.join(style === 2 ? '_' : '-');
  });
  const segment = fc.oneof(
    name,
    verb,
    fc.constant('{id}'),
    fc.tuple(fc.oneof(noun, verb, fc.constant('{id}')), verb).map((parts) => parts.join(':')),
  );
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
  const summary = fc
    .tuple(fc.constantFrom('', '(Beta) ', '(', 'Permanently ', 'bulk '), phrase, fc.constantFrom('', 's', ' a user.'))
    .map(([before, words, after]) => before + title(`${words.join(' ')} `).trim() + after);
  const operation = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'HEAD'),
    path,
    name: fc.option(name, { nil: undefined }),
    summary: fc.option(summary, { nil: undefined }),
  });

  test('except where the word is a thing or the object of another verb', () => {
    fc.assert(
      fc.property(operation, (one) => {
        fc.pre(wasDestructive(withoutExcuses(one)));
        return effect(one) === 'destructive';
      }),
      { numRuns: 5_000 },
    );
  });

  test('a POST with a word for a change in its name or summary does not read', () => {
    const change = fc.constantFrom('create', 'update', 'delete', 'remove', 'disable', 'mark', 'drop');
    const joiner = fc.constantFrom('and ', 'or ', ', then ', '');
    const read = { method: 'POST', path: '/users/search', takesStatement: () => false };
    fc.assert(
      fc.property(phrase, change, joiner, phrase, (before, verb, join, after) => {
        const sentence = `Search ${before.join(' ')} ${join}${verb} ${after.join(' ')}`;
        const words = ['search', ...before, verb, ...after].join('_');
        return [
          { ...read, name: 'search_users', summary: sentence },
          { ...read, name: words, summary: 'Search users' },
        ].every((one) => effect(one) !== 'read');
      }),
    );
    expect(effect({ ...read, name: 'search_users', summary: 'Search users' })).toBe('read');
  });
});

describe('the quick test for words of deletions and endings', () => {
  test.each(['Deles the item', 'Rmes the item', 'Add/rM tags', 'Create, dEl tags', 'Create, RMS tags'])(
    'lets no short word pass: %s',
    (summary) => expect(effect({ method: 'POST', path: '/things', name: 'thing', summary })).toBe('destructive'),
  );

  test.each(['addDelTags', 'delTags', 'addDELTags', 'add_rm'])('also not in a name: %s', (name) =>
    expect(named(name)).toBe(named(`${name}\u00b7`)),
  );

  test('cuts a name at the same place as the full test', () => {
    const fill = (chars: number, first: string, last: string) =>
      first + ' a'.repeat(300).slice(0, chars - first.length - last.length) + last;
    const cuts: Partial<NamedOperation>[] = [
      { summary: `${fill(117, 'Updates', ' and ')}delivers` },
      { summary: `${fill(122, '(Beta) Updates', ' and ')}delivers` },
      { summary: `${fill(237, 'Updates', ', ')}delivers` },
      { name: `${fill(509, 'items', '_')}delivers` },
      { path: `${fill(510, '/items', '_')}delivers` },
      { path: `${fill(512, '/items', '{i}')}delivers` },
    ];
    const effects = cuts.map((cut) => effect({ method: 'POST', path: '/a', name: 'thing', ...cut }));
    expect(effects).toEqual(cuts.map(() => 'destructive'));
  });

  const piece = fc.constantFrom(
    ...['del', 'rm', 'Del', 'RM', 'dEl', 'rM', 'DEL', 's', 'es', 'S', 'e', 'model', 'form', 'void', 'empt', 'ies', 'y'],
    ...['Create', 'tags', 'T', 'a', '1', '&', '(', ')', ' ', ' ', '_', '/', ', ', ' and ', ' or ', '.', ':', '{id}'],
  );
  const text = fc
    .tuple(fc.constantFrom(0, 0, 0, 110, 230, 500), fc.array(piece, { maxLength: 7 }))
    .map(([chars, pieces]) => 'Things '.repeat(chars / 7) + pieces.join(''));

  test('never changes an effect', () => {
    // Letters that ASCII does not have make the test give up; alone they are no word.
    const isSame = (one: NamedOperation, inFull: Partial<NamedOperation>) =>
      effect(one) === effect({ ...one, ...inFull });
    const things = { method: 'POST', path: '/things', name: 'things', summary: 'Things' };
    fc.assert(
      fc.property(text, fc.constantFrom('GET', 'POST'), (words, method) => {
        const one = { ...things, method };
        return (
          isSame({ ...one, name: words }, { summary: 'Things ·' }) &&
          isSame({ ...one, path: `/${words}` }, { summary: 'Things ·' }) &&
          isSame({ ...one, summary: words }, { name: 'things·' })
        );
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a GET whose path ends with an action', () => {
  test.each([
    '/logout',
    '/sign-out',
    '/shutdown',
    '/system/restart',
    '/cache/flush',
    '/api-key/rotate',
    '/jobs/{id}/trigger',
  ])('writes: %s', (path) => expect(effectOf({ method: 'GET', path }).effect).not.toBe('read'));

  test('reads if its name or summary says so', () => {
    expect(effectOf({ method: 'GET', path: '/jobs/retry', name: 'list_retries' }).effect).toBe('read');
    expect(effectOf({ method: 'GET', path: '/logout', summary: 'Shows the page after the logout.' }).effect).toBe(
      'read',
    );
    expect(effectOf({ method: 'GET', path: '/triggers' }).effect).toBe('read');
  });
});

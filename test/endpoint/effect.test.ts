import { describe, expect, test } from 'vitest';
import { effectOf, type NamedOperation } from '../../src/endpoint/conventions/effect.ts';

const effect = (operation: NamedOperation) => effectOf(operation).effect;
/** An operation whose path says nothing. */
const named = (name: string, method = 'POST', more: Partial<NamedOperation> = {}) =>
  effect({ method, path: '/a', name, ...more });

describe('the reason says what decided', () => {
  test.each([
    [{ method: 'DELETE', path: '/a' }, 'destructive', 'the HTTP method'],
    [{ method: 'GET', path: '/a' }, 'read', 'the HTTP method'],
    [{ method: 'PUT', path: '/a' }, 'write', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'delete_points' }, 'destructive', 'POST, but named delete_points'],
    [{ method: 'POST', path: '/{i}/_delete_by_query' }, 'destructive', 'POST, but its path is /{i}/_delete_by_query'],
    [{ method: 'POST', path: '/a', summary: 'Deletes a user' }, 'destructive', 'POST, but its summary says "deletes"'],
    [{ method: 'GET', path: '/a', name: 'createCall' }, 'write', 'GET, but named createCall'],
    [
      { method: 'POST', path: '/points/search', name: 'search_points' },
      'read',
      'POST, but named search_points at /points/search',
    ],
  ] as const)('%j', (operation, want, from) => {
    expect(effectOf(operation)).toEqual({ effect: want, from });
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
    'delete_policies_create',
    'enable_deletion_protection',
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

describe('so does a path', () => {
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

  test('where the name says that something else is done with a deletion, only the bare verb counts', () => {
    const at = (path: string) => effect({ method: 'POST', path, name: 'actions/create-remove-token' });
    expect([at('/runners/remove-token'), at('/runners/remove')]).toEqual(['write', 'destructive']);
  });
});

describe('and the verb a summary begins with', () => {
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

describe('a GET', () => {
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
    [{ path: '/tasks/delete', summary: 'Returns the tasks that delete' }, 'read'],
    [{ path: '/drops/{delete}', summary: 'Lists what was removed' }, 'read'],
    [{ path: '/reset' }, 'read'],
    [{ path: '/a', name: 'update_status', summary: 'Shows how the update goes' }, 'read'],
  ])('%j', (operation, want) => {
    expect(effect({ method: 'GET', ...operation })).toBe(want);
  });
});

describe('a POST reads only where everything says so', () => {
  test.each([
    [{ path: '/v1/search', name: 'post-search', summary: 'Search by title' }, 'read'],
    [{ path: '/{index}/_search', name: 'search-1', summary: 'Run a search' }, 'read'],
    [{ path: '/{index}/_count', name: 'count', summary: 'Count search results' }, 'read'],
    [{ path: '/files/list_folder', name: 'files/list_folder' }, 'read'],
    [{ path: '/#X-Amz-Target=DynamoDB_20120810.ListTables', name: 'ListTables' }, 'read'],
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

  test('a PUT or PATCH never does', () => {
    expect([named('search', 'PUT', { path: '/search' }), named('search', 'PATCH', { path: '/search' })]).toEqual([
      'write',
      'write',
    ]);
  });
});

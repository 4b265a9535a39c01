import { describe, expect, test } from 'vitest';
import { effectOf } from '../../src/endpoint/conventions/effect.ts';

describe('effectOf()', () => {
  test.each([
    [{ method: 'DELETE', path: '/a' }, 'destructive', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'deleteUser' }, 'destructive', 'its name'],
    [{ method: 'POST', path: '/a', name: 'users/delete-user' }, 'destructive', 'its name'],
    [{ method: 'POST', path: '/a', name: 'purge_queue' }, 'destructive', 'its name'],
    [{ method: 'PUT', path: '/a', name: 'remove_label' }, 'destructive', 'its name'],
    [{ method: 'POST', path: '/users/{id}/delete' }, 'destructive', 'its path'],
    [{ method: 'POST', path: '/users/{id}:purge' }, 'destructive', 'its path'],
    [{ method: 'POST', path: '/chat.delete' }, 'destructive', 'its path'],
    [{ method: 'POST', path: '/delete/{id}/' }, 'destructive', 'its path'],
    [{ method: 'GET', path: '/cookies/delete' }, 'destructive', 'its path'],
    [{ method: 'POST', path: '/images/prune', summary: 'Deletes unused images' }, 'destructive', 'its summary'],
    [{ method: 'POST', path: '/a', summary: 'Permanently erase a user' }, 'destructive', 'its summary'],
    [{ method: 'POST', path: '/a', name: 'undelete' }, 'write', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'unDeleteUser' }, 'write', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'restoreDeletedUser' }, 'write', 'the HTTP method'],
    [{ method: 'POST', path: '/a', name: 'cancel_delete', summary: 'Cancels a deletion' }, 'write', 'the HTTP method'],
    [{ method: 'GET', path: '/deleted', name: 'getDeleteRequest' }, 'read', 'the HTTP method'],
    [{ method: 'GET', path: '/drops/{delete}', summary: 'Lists what was removed' }, 'read', 'the HTTP method'],
    [{ method: 'POST', path: '/dropdown', name: 'removable' }, 'write', 'the HTTP method'],
  ] as const)('%j', (operation, effect, from) => {
    expect(effectOf(operation)).toEqual({ effect, from });
  });
});

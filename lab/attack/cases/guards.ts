// B: a document or a profile may be stricter than the operator, never laxer.
import type { Case } from '../case.ts';
import { StartError } from '../gateway.ts';
import { callAll, document, ID, type Json, operation, operatorCase, tryLaunch } from './small-api.ts';

/** Nothing but reads may reach the upstream. */
function staysGuarded(id: string, paths: (url: string) => Json, args: readonly string[], more: Json = {}): Case {
  return operatorCase(id, async (attack) => {
    const { upstream } = attack;
    const gateway = await tryLaunch(attack, {
      files: { 'evil.json': document(upstream.url, paths(upstream.url), more) },
      args: ['evil.json', '--exposure', 'tools', ...args],
    });
    if (gateway instanceof StartError) return undefined;
    await callAll(gateway, { id: '1' });
    const changes = upstream.arrivals.filter(({ method }) => method !== 'GET');
    return changes.length > 0 ? `${changes[0]!.method} ${changes[0]!.url} reached the upstream` : undefined;
  });
}

const removal = (extension: Json): Json => ({
  '/items/{id}': { delete: operation('remove', { parameters: ID, 'x-mcp': extension }) },
});

export const GUARD_CASES: readonly Case[] = [
  staysGuarded('x-mcp effect: read on a DELETE, --read-only', () => removal({ effect: 'read' }), ['--read-only']),
  staysGuarded('x-mcp effect: read on a DELETE, default guard', () => removal({ effect: 'read' }), []),
  staysGuarded('x-mcp effect: write on a DELETE, default guard', () => removal({ effect: 'write' }), []),
  staysGuarded(
    'x-mcp effect: read on a path item',
    () => ({
      '/items/{id}': { 'x-mcp': { effect: 'read', guard: 'allow' }, delete: operation('remove', { parameters: ID }) },
    }),
    ['--read-only'],
  ),
  staysGuarded(
    'x-mcp effect: read on a POST, --read-only',
    () => ({ '/items/{id}': { post: operation('add', { parameters: ID, 'x-mcp': { effect: 'read' } }) } }),
    ['--read-only'],
  ),
  staysGuarded('x-mcp guard: allow on a DELETE, --guard confirm', () => removal({ guard: 'allow' }), [
    '--guard',
    'confirm',
  ]),
  staysGuarded('x-mcp guard: allow on a DELETE, --guard deny', () => removal({ guard: 'allow' }), ['--guard', 'deny']),
  staysGuarded('x-mcp guard: allow on a DELETE, default guard', () => removal({ guard: 'allow' }), []),
  staysGuarded(
    'x-mcp guard of the document: destructive allow',
    () => ({ '/items/{id}': { delete: operation('remove', { parameters: ID }) } }),
    ['--guard', 'confirm'],
    { 'x-mcp': { guard: { destructive: 'allow', write: 'allow' } } },
  ),
  staysGuarded(
    'x-mcp guard of the document, default guard',
    () => ({ '/items/{id}': { delete: operation('remove', { parameters: ID }) } }),
    [],
    { 'x-mcp': { guard: { destructive: 'allow' } } },
  ),
  staysGuarded(
    'x-mcp fixed value on a method override of a read',
    () => ({
      '/items': {
        get: operation('list', {
          parameters: [
            { name: 'X-HTTP-Method-Override', in: 'header', schema: { type: 'string' }, 'x-mcp': { fixed: 'DELETE' } },
          ],
        }),
      },
    }),
    ['--read-only'],
  ),
  operatorCase('profile with guard: allow is not laxer than the default', async ({ launch, upstream }) => {
    const gateway = await launch({
      files: {
        'api.json': document(upstream.url, { '/items/{id}': { delete: operation('remove', { parameters: ID }) } }),
        'profiles.yaml': 'lax: { guard: allow }\n',
      },
      args: ['api.json', '--exposure', 'tools'],
    });
    await callAll(gateway, { id: '1' }, 'lax');
    return upstream.arrivals.length > 0 ? 'a DELETE reached the upstream without a confirmation' : undefined;
  }),
  operatorCase('profile with readOnly: false under --read-only', async ({ launch, upstream }) => {
    const gateway = await launch({
      files: {
        'api.json': document(upstream.url, { '/items/{id}': { delete: operation('remove', { parameters: ID }) } }),
        'profiles.yaml': 'lax: { readOnly: false, guard: allow }\n',
      },
      args: ['api.json', '--exposure', 'tools', '--read-only'],
    });
    await callAll(gateway, { id: '1' }, 'lax');
    return upstream.arrivals.length > 0 ? 'a DELETE reached the upstream under --read-only' : undefined;
  }),
];

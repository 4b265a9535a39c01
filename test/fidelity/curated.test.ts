// A domain file can hide, rename and fill in arguments: the resulting operation can always be called.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { useRealHttp } from '../support/real-http.ts';
import { open } from './gateway.ts';

useRealHttp();

const string = { type: 'string' };
const order = { type: 'object', required: ['item', 'shop'], properties: { item: string, shop: string, note: string } };
const contact = {
  type: 'object',
  properties: { mail: string, phone: string, name: string },
  anyOf: [{ required: ['mail', 'name'] }, { required: ['phone', 'name'] }],
};
const posting = (operationId: string, schema: object, body: object = {}) => ({
  post: {
    operationId,
    requestBody: { content: { 'application/json': { schema } }, ...body },
    responses: { 200: { description: 'It.' } },
  },
});

const DOCUMENT = stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: '{{origin}}/v1' }],
  paths: {
    '/orders': posting('order', order),
    '/wishes': posting('wish', order, { required: false }),
    '/contacts': posting('contact', contact),
    '/hints': posting('hint', contact, { required: false }),
    '/lists': {
      get: {
        operationId: 'list',
        parameters: [
          { name: 'tenant', in: 'query', required: true, schema: { ...string, default: 'main' } },
          { name: 'day', in: 'query', required: true, schema: string },
        ],
        responses: { 200: { description: 'It.' } },
      },
    },
  },
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function openWith(operations: object) {
  const folder = await mkdtemp(join(tmpdir(), 'curated-'));
  folders.push(folder);
  return open({
    documents: [],
    paths: async (echo) => {
      await writeFile(join(folder, 'api.yaml'), DOCUMENT.replaceAll('{{origin}}', echo.origin));
      const file = join(folder, 'shop.yaml');
      await writeFile(file, stringify({ name: 'shop', prefix: '', openapi: './api.yaml', operations }));
      return [file];
    },
  });
}

/** Calls one tool: the request line with its body, or what the refusal says is wrong. */
async function outcome(operations: object, tool: string, args: Record<string, unknown>): Promise<string> {
  const opened = await openWith(operations);
  try {
    const { result, requests } = await opened.call(tool, args);
    const [request] = requests;
    if (request === undefined)
      return result.text
        .split('\n')
        .filter((line) => /^\d/.test(line))
        .join('\n');
    return `${request.target.slice(3)} ${request.body.toString()}`.trim();
  } finally {
    await opened.close();
  }
}

describe('an argument that a domain file changes', () => {
  test.each<[string, object, string, Record<string, unknown>, string]>([
    [
      'hidden and not required is left out',
      { order: { args: { shop: { hide: true, required: false } } } },
      'order',
      { item: 'x' },
      '/orders {"item":"x"}',
    ],
    [
      'hidden with a default is sent with it',
      { order: { args: { shop: { hide: true, default: 'a' } } } },
      'order',
      { item: 'x' },
      '/orders {"item":"x","shop":"a"}',
    ],
    [
      'hidden with a default of the document is sent with that',
      { list: { args: { tenant: { hide: true } } } },
      'list_lists',
      { day: '1' },
      '/lists?day=1&tenant=main',
    ],
    [
      'fixed is sent',
      { order: { args: { shop: { fixed: 'a' } } } },
      'order',
      { item: 'x' },
      '/orders {"item":"x","shop":"a"}',
    ],
    [
      'not required may be missing',
      { order: { args: { shop: { required: false } } } },
      'order',
      { item: 'x' },
      '/orders {"item":"x"}',
    ],
    [
      'not required may be missing from an optional body',
      { wish: { args: { shop: { required: false } } } },
      'wish',
      { item: 'x' },
      '/wishes {"item":"x"}',
    ],
    [
      'hidden in an optional body is not required together with others',
      { wish: { args: { shop: { hide: true, required: false } } } },
      'wish',
      { note: 'n', item: 'x' },
      '/wishes {"item":"x","note":"n"}',
    ],
    [
      'renamed in an optional body is reported as missing under its new name',
      { wish: { args: { shop: { rename: 'store' } } } },
      'wish',
      { item: 'x' },
      '1. missing `store` (string), needed together with `item`',
    ],
    [
      'renamed in an optional body is sent under its original name',
      { wish: { args: { shop: { rename: 'store' } } } },
      'wish',
      { item: 'x', store: 'a' },
      '/wishes {"item":"x","shop":"a"}',
    ],
    [
      'fixed in an optional body makes the body required',
      { wish: { args: { shop: { fixed: 'a' } } } },
      'wish',
      {},
      '1. missing `item` (string)',
    ],
    [
      'fixed in an alternative set of fields need not be given',
      { contact: { args: { name: { fixed: 'me' } } } },
      'contact',
      { phone: '1' },
      '/contacts {"phone":"1","name":"me"}',
    ],
    [
      'hidden in an alternative set of fields leaves the other set',
      { contact: { args: { mail: { hide: true } } } },
      'contact',
      { phone: '1', name: 'n' },
      '/contacts {"phone":"1","name":"n"}',
    ],
    [
      'renamed in an alternative set of fields counts under its new name',
      { hint: { args: { phone: { rename: 'tel' } } } },
      'hint',
      { tel: '1', name: 'n' },
      '/hints {"phone":"1","name":"n"}',
    ],
    [
      'not required in an alternative set of fields may be missing',
      { contact: { args: { name: { required: false } } } },
      'contact',
      { phone: '1' },
      '/contacts {"phone":"1"}',
    ],
  ])('%s', async (_, operations, tool, args, sent) => {
    expect(await outcome(operations, tool, args)).toBe(sent);
  });

  test('cannot be hidden in the last alternative set of fields', async () => {
    const args = { mail: { hide: true }, phone: { hide: true } };
    await expect(openWith({ contact: { args } })).rejects.toThrow(
      /operations\.contact\.args\.mail: is hidden, but the API requires mail and name, or phone and name; show one of these, or give it a value/,
    );
  });
});

describe('body: { required: false }', () => {
  const optional = { body: { required: false } };
  test.each<[string, object, string, Record<string, unknown>, string]>([
    ['an empty body may be left out', { order: optional }, 'order', {}, '/orders'],
    [
      'an incomplete body is refused',
      { order: optional },
      'order',
      { item: 'x' },
      '1. missing `shop` (string), needed together with `item`',
    ],
    [
      'a complete body is sent',
      { order: optional },
      'order',
      { item: 'x', shop: 'a' },
      '/orders {"item":"x","shop":"a"}',
    ],
    ['alternative sets of fields only count if a body is sent', { contact: optional }, 'contact', {}, '/contacts'],
  ])('%s', async (_, operations, tool, args, sent) => {
    expect(await outcome(operations, tool, args)).toBe(sent);
  });
});

// B: mistakes in domain files, profiles and documents stop the start or are said.
import type { Case } from '../case.ts';
import { envelope, httpDoor, modernHeaders, post } from '../doors.ts';
import { StartError } from '../gateway.ts';
import { callAll, document, handWritten, operation, operatorCase, toolNames, tryLaunch } from './small-api.ts';

/** A start that must be refused, with a word in its message. */
function refusesStart(
  id: string,
  files: (url: string) => Record<string, string>,
  args: readonly string[],
  word: RegExp,
): Case {
  return operatorCase(id, async (attack) => {
    const gateway = await tryLaunch(attack, { files: files(attack.upstream.url), args });
    if (!(gateway instanceof StartError)) return 'it started';
    return word.test(gateway.log) ? undefined : `the message does not say ${word}: ${gateway.log.slice(-300)}`;
  });
}

const RESPONSE_SCHEMA = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  additionalProperties: false,
};

export const FILE_CASES: readonly Case[] = [
  refusesStart('method: PSOT', (url) => ({ 'a.yaml': handWritten(url, { method: 'PSOT' }) }), ['a.yaml'], /PSOT/),
  refusesStart(
    'a default that does not fit its schema',
    (url) => ({ 'a.yaml': handWritten(url, { args: { n: { type: 'integer', default: 'many' } } }) }),
    ['a.yaml'],
    /default/i,
  ),
  refusesStart(
    'a default outside its enum',
    (url) => ({ 'a.yaml': handWritten(url, { args: { n: { type: 'string', enum: ['a', 'b'], default: 'c' } } }) }),
    ['a.yaml'],
    /default/i,
  ),
  refusesStart(
    'a curated default that does not fit',
    (url) => ({
      'api.json': document(url, {
        '/x': {
          get: operation('x', { parameters: [{ name: 'n', in: 'query', schema: { type: 'integer', maximum: 10 } }] }),
        },
      }),
      'a.yaml': JSON.stringify({
        name: 'a',
        openapi: './api.json',
        operations: { x: { args: { n: { default: 99 } } } },
      }),
    }),
    ['a.yaml'],
    /default/i,
  ),
  refusesStart(
    'duplicate keys in a YAML domain file',
    (url) => ({
      'a.yaml': `name: a\nbaseUrl: ${url}\nendpoints:\n  look: { path: /look, summary: Looks. }\n  look: { path: /other, summary: Other. }\n`,
    }),
    ['a.yaml'],
    /look|duplicate|unique/i,
  ),
  refusesStart(
    'duplicate keys in a JSON domain file',
    (url) => ({
      'd/a.json': `{"name":"a","baseUrl":"${url}","guard":{"destructive":"deny"},"guard":{"destructive":"allow"},"endpoints":{"look":{"path":"/look","summary":"Looks."}}}`,
    }),
    ['d/a.json'],
    /guard|duplicate|unique/i,
  ),
  refusesStart(
    'duplicate keys in profiles.yaml',
    (url) => ({ 'a.yaml': handWritten(url, {}), 'profiles.yaml': 'x: { readOnly: true }\nx: { readOnly: false }\n' }),
    ['a.yaml'],
    /unique|duplicate|already/i,
  ),
  refusesStart(
    'response.pick on a known schema that has no such path',
    (url) => ({ 'a.yaml': handWritten(url, { outputSchema: RESPONSE_SCHEMA, response: { pick: ['nmae'] } }) }),
    ['a.yaml'],
    /nmae/,
  ),
  operatorCase('response.pick that matches nothing returns nothing', async ({ launch, upstream }) => {
    const gateway = await launch({
      files: { 'a.yaml': handWritten(upstream.url, { response: { pick: ['nothing.here'] } }) },
      args: ['a.yaml', '--exposure', 'tools'],
    });
    for (const answer of [
      { id: 1, password: 'hidden-password' },
      [{ password: 'hidden-password' }],
      'hidden-password',
      [['hidden-password']],
    ]) {
      upstream.respond((_arrival, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answer));
      });
      const leak = (await callAll(gateway)).find(({ text }) => text.includes('hidden-password'));
      if (leak) return `the whole answer came out: ${leak.text.slice(0, 200)}`;
    }
    return undefined;
  }),
  operatorCase('response.pick and fields together show nothing outside pick', async ({ launch, upstream }) => {
    const gateway = await launch({
      files: { 'a.yaml': handWritten(upstream.url, { response: { pick: ['id'] } }) },
      args: ['a.yaml', '--exposure', 'tools'],
    });
    upstream.respond((_arrival, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 1, password: 'hidden-password' }));
    });
    for (const fields of ['password', '*', '**', '$', '$.password', 'id,password', '.', '']) {
      const leak = (await callAll(gateway, { fields })).find(({ text }) => text.includes('hidden-password'));
      if (leak) return `fields: ${fields} shows the password`;
    }
    return undefined;
  }),
  operatorCase('$ref into a sibling folder is not followed', async (attack) => {
    const { upstream } = attack;
    const gateway = await tryLaunch(attack, {
      files: {
        'apis/evil/evil.json': document(upstream.url, {
          '/x': {
            get: operation('look', {
              parameters: [{ name: 'q', in: 'query', schema: { $ref: '../other/private.json' } }],
            }),
          },
        }),
        'apis/other/private.json': JSON.stringify({
          type: 'string',
          description: 'hidden-private words',
          enum: ['hidden-private'],
        }),
      },
      args: ['apis/evil/evil.json', '--exposure', 'tools'],
    });
    if (gateway instanceof StartError) return undefined;
    const { text } = await httpDoor(gateway, 'modern').ask('tools/list', {});
    return text.includes('hidden-private') ? 'a file of a sibling folder stands in tools/list' : undefined;
  }),
  operatorCase('$ref into a sibling folder of a document that a domain file names', async (attack) => {
    const { upstream } = attack;
    const gateway = await tryLaunch(attack, {
      files: {
        'domains/evil.yaml': JSON.stringify({ name: 'evil', openapi: '../apis/evil/evil.json' }),
        'domains/private.json': JSON.stringify({ type: 'string', description: 'hidden-private words' }),
        'apis/other/private.json': JSON.stringify({ type: 'string', description: 'hidden-private words' }),
        'apis/evil/evil.json': document(upstream.url, {
          '/x': {
            get: operation('look', {
              parameters: ['../other/private.json', '../../domains/private.json'].map(($ref, index) => ({
                name: `q${index}`,
                in: 'query',
                schema: { $ref },
              })),
            }),
          },
        }),
      },
      args: ['domains/evil.yaml', '--exposure', 'tools'],
    });
    if (gateway instanceof StartError) return undefined;
    const { text } = await httpDoor(gateway, 'modern').ask('tools/list', {});
    return text.includes('hidden-private') ? 'a file of a sibling folder stands in tools/list' : undefined;
  }),
  operatorCase('$ref out of the folder by file: URL, absolute path and encoded dots', async (attack) => {
    const { upstream } = attack;
    for (const ref of [
      'file:///etc/passwd',
      '/etc/passwd',
      '..%2fprivate.json',
      '../../private.json',
      '\\..\\private.json',
    ]) {
      const gateway = await tryLaunch(attack, {
        files: {
          'a/b/evil.json': document(upstream.url, {
            '/x': {
              get: operation('look', {
                description: 'x',
                parameters: [{ name: 'q', in: 'query', schema: { $ref: ref } }],
              }),
            },
          }),
          'private.json': JSON.stringify({ description: 'hidden-private' }),
          'a/private.json': JSON.stringify({ description: 'hidden-private' }),
        },
        args: ['a/b/evil.json', '--exposure', 'tools'],
      });
      if (gateway instanceof StartError) continue;
      const { text } = await httpDoor(gateway, 'modern').ask('tools/list', {});
      await gateway.kill();
      if (/hidden-private|root:x/.test(text)) return `${ref} was followed`;
    }
    return undefined;
  }),
  ...(['json', 'yaml'] as const).map((kind) =>
    operatorCase(
      `duplicate keys in a ${kind.toUpperCase()} document are reported with their place; the last wins`,
      async (attack) => {
        const { upstream } = attack;
        const first = '"get":{"operationId":"first","summary":"First.","responses":{"200":{"description":"x"}}}';
        const last = first.replaceAll('first', 'last').replace('First', 'Last');
        // JSON is YAML: the same text under both names.
        const text = `{"openapi":"3.1.0","info":{"title":"Twice","version":"1"},"servers":[{"url":"${upstream.url}"}],\n"paths":{"/x":{${first},\n${last}}}}`;
        const gateway = await tryLaunch(attack, {
          files: { [`twice.${kind}`]: text },
          args: [`twice.${kind}`, '--exposure', 'tools'],
        });
        if (gateway instanceof StartError) return `it did not start: ${gateway.log.slice(-300)}`;
        const names = await toolNames(gateway);
        if (!names.some((name) => name.includes('last'))) return `the last does not win: ${names.join(', ')}`;
        return /duplicate|twice|repeated/i.test(gateway.log()) && /\b(?:line )?[23]\b/.test(gateway.log())
          ? undefined
          : `no warning with a place: ${gateway.log().slice(0, 300)}`;
      },
    ),
  ),
  operatorCase('duplicate keys in a message are an error, in both eras', async ({ launch, upstream }) => {
    const gateway = await launch({
      files: { 'a.yaml': handWritten(upstream.url, { args: { q: { type: 'string' } } }) },
      args: ['a.yaml', '--exposure', 'tools'],
    });
    const params = envelope({ name: 'hand_look', arguments: {} });
    const meta = JSON.stringify(params._meta);
    for (const [text, headers] of [
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hand_look","arguments":{"q":"safe","q":"evil"}}}',
        {},
      ],
      [
        '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"hand_look","arguments":{}}}',
        {},
      ],
      [
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hand_look","arguments":{"q":"safe","q":"evil"},"_meta":${meta}}}`,
        modernHeaders('tools/call', params),
      ],
    ] as [string, Record<string, string>][]) {
      const { result } = await post(gateway.http, text, headers);
      if (result || upstream.arrivals.length > 0) return `executed: ${text.slice(0, 120)}`;
    }
    return undefined;
  }),
];

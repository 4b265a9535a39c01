// B: a profile shows and serves its own operations only.
import type { Case } from '../case.ts';
import { envelope, httpDoor, modernHeaders, post } from '../doors.ts';
import type { Launch } from '../gateway.ts';
import { document, ID, type Json, operation, operatorCase } from './small-api.ts';

const API_OF_TWO = (url: string) =>
  document(url, {
    '/open': { get: operation('open_door', { tags: ['public'] }) },
    '/open/{id}': { get: operation('open_one', { tags: ['public'], parameters: ID, 'x-mcp': { expose: 'both' } }) },
    '/hidden-payroll': { get: operation('hidden_payroll', { tags: ['secret'] }) },
    '/hidden-files/{id}': {
      get: operation('hidden_file', {
        tags: ['secret'],
        parameters: [{ ...ID[0], schema: { type: 'string', enum: ['hidden-a', 'hidden-b'] } }],
        'x-mcp': { expose: 'both' },
      }),
    },
    '/hidden-items/{id}': { delete: operation('hidden_remove', { tags: ['secret'], parameters: ID }) },
  });

const TWO_DOMAINS = (url: string): Launch => ({
  files: {
    'd/two.json': API_OF_TWO(url),
    'd/two.yaml': JSON.stringify({ name: 'two', baseUrl: url, openapi: './two.json', description: 'An API.' }),
    'd/other.yaml': JSON.stringify({
      name: 'other',
      baseUrl: url,
      description: 'The hidden-other API.',
      endpoints: { hidden_look: { path: '/hidden-look', summary: 'Looks at hidden things.' } },
      prompts: {
        hidden_prompt: {
          description: 'A hidden-prompt.',
          arguments: { who: { values: ['hidden-person'] } },
          text: 'Ask {{who}}.',
        },
      },
      resources: { 'guide://hidden-guide': { name: 'hidden-guide', text: 'hidden-guide text' } },
    }),
    'profiles.yaml':
      'guest: { domains: [two], tags: [public], exposure: tools }\nseeker: { domains: [two], tags: [public], exposure: search }\nstaff: { domains: [two], exposure: tools }\n',
  },
  args: ['d', '--exposure', 'tools'],
});

export const PROFILE_CASES: readonly Case[] = [
  operatorCase(
    'a profile’s lists, resources, prompts, completion and search show only its operations',
    async ({ launch, upstream }) => {
      const gateway = await launch(TWO_DOMAINS(upstream.url));
      for (const profile of ['guest', 'seeker']) {
        for (const era of ['modern', 'legacy'] as const) {
          const door = httpDoor(gateway, era, profile);
          const texts: [string, string][] = [];
          const note = async (method: string, params: Json) =>
            texts.push([`${method} ${JSON.stringify(params)}`, (await door.ask(method, params)).text]);
          for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
            await note(method, {});
          const { result } = await door.ask('resources/list', {});
          for (const { uri } of (result?.resources ?? []) as { uri: string }[]) await note('resources/read', { uri });
          for (const query of ['everything', 'remove', 'payroll', 'look', 'file'])
            await note('tools/call', { name: 'search_operations', arguments: { query } });
          await note('tools/call', { name: 'describe_operation', arguments: { operation: 'x' } });
          await note('completion/complete', {
            ref: { type: 'ref/resource', uri: 'two://open/{id}' },
            argument: { name: 'id', value: '' },
          });
          if (era === 'modern') await note('server/discover', {});
          else
            await note('initialize', {
              protocolVersion: '2025-11-25',
              capabilities: {},
              clientInfo: { name: 'x', version: '0' },
            });
          const leak = texts.find(([, text]) => /hidden/i.test(text));
          if (leak) return `${profile}, ${era}: ${leak[0]} shows ${/.{0,40}hidden.{0,40}/i.exec(leak[1])?.[0]}`;
        }
      }
      return undefined;
    },
  ),
  operatorCase(
    'a profile refuses what it does not list: calls, reads, prompts, completions',
    async ({ launch, upstream }) => {
      const gateway = await launch(TWO_DOMAINS(upstream.url));
      for (const profile of ['guest', 'seeker']) {
        const door = httpDoor(gateway, 'modern', profile);
        const answers = [
          await door.ask('tools/call', { name: 'two_hidden_payroll', arguments: {} }),
          await door.ask('tools/call', {
            name: 'call_operation',
            arguments: { operation: 'two_hidden_payroll', arguments: {} },
          }),
          await door.ask('tools/call', { name: 'describe_operation', arguments: { operation: 'two_hidden_payroll' } }),
          await door.ask('resources/read', { uri: 'two://hidden-files/hidden-a' }),
          await door.ask('resources/read', { uri: 'guide://hidden-guide' }),
          await door.ask('resources/read', { uri: 'landbridge://domains/other' }),
          await door.ask('resources/read', { uri: 'landbridge://domains/other/openapi' }),
          await door.ask('prompts/get', { name: 'hidden_prompt', arguments: { who: 'x' } }),
          await door.ask('completion/complete', {
            ref: { type: 'ref/prompt', name: 'hidden_prompt' },
            argument: { name: 'who', value: '' },
          }),
          await door.ask('completion/complete', {
            ref: { type: 'ref/resource', uri: 'two://hidden-files/{id}' },
            argument: { name: 'id', value: '' },
          }),
        ];
        if (upstream.arrivals.length > 0) return `${profile}: ${upstream.arrivals[0]!.url} reached the upstream`;
        const served = answers.findIndex(({ result }) => result && result.isError !== true);
        if (served >= 0) return `${profile}: request ${served} was served: ${answers[served]!.text.slice(0, 200)}`;
      }
      return undefined;
    },
  ),
  operatorCase('a confirmation of one profile is none in another', async ({ launch, upstream }) => {
    const gateway = await launch(TWO_DOMAINS(upstream.url));
    const body = { name: 'two_hidden_remove', arguments: { id: '1' } };
    // legacy: a token in the refusal
    const first = await httpDoor(gateway, 'legacy', 'staff').ask('tools/call', body);
    const token = /confirmation_token[^A-Za-z0-9]{1,10}([\w.~-]{20,})/.exec(first.text)?.[1];
    if (token)
      await httpDoor(gateway, 'legacy').ask('tools/call', {
        ...body,
        arguments: { id: '1', confirmation_token: token },
      });
    // modern: a signed state
    const capable = { elicitation: { form: {} } };
    const ask = (url: string, params: Json) => {
      const full = envelope(params, capable);
      return post(
        url,
        JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: full }),
        modernHeaders('tools/call', full),
      );
    };
    const { result } = await ask(`${gateway.http}/staff`, body);
    const state = result?.requestState;
    const inputs = Object.keys((result?.inputRequests ?? {}) as object);
    if (state) {
      await ask(gateway.http, {
        ...body,
        requestState: state,
        inputResponses: Object.fromEntries(
          inputs.map((name) => [name, { action: 'accept', content: { confirm: true } }]),
        ),
      });
    }
    if (!token && !state) return 'no confirmation was asked for at all';
    return upstream.arrivals.length > 0 ? 'a DELETE went through with the confirmation of another profile' : undefined;
  }),
  operatorCase('a legacy session of one profile is none in another', async ({ launch, upstream }) => {
    const gateway = await launch(TWO_DOMAINS(upstream.url));
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'x', version: '0' },
      },
    });
    const session = await fetch(`${gateway.http}/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: initialize,
    }).then((response) => response.headers.get('mcp-session-id'));
    if (!session) return undefined;
    // With a session of its own profile the gateway would ask on the stream; with a foreign one it cannot.
    const answer = await Promise.race([
      post(
        `${gateway.http}/staff`,
        JSON.stringify({
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'two_hidden_remove', arguments: { id: '1' } },
        }),
        { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      ),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 2_000)),
    ]);
    return answer === undefined ? 'the session of another profile was taken: the gateway asks its client' : undefined;
  }),
];

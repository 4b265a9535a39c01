// A: what a large catalog does when it is first asked. Each case has a gateway of its own, so that nothing is warm.
import type { Case } from '../case.ts';
import { type Door, httpDoor, type Params } from '../doors.ts';
import { document, type Json, operation } from './small-api.ts';

const OPERATIONS = 2_500;
const TAGS = 60;
const text = { type: 'string', description: 'What it is called, as people say it. Shown wherever it is listed.' };
const leaf = { type: 'object', properties: { id: { type: 'integer' }, label: text, note: text } };
const branch = { type: 'object', properties: { first: leaf, second: leaf, others: { type: 'array', items: leaf } } };
/** Forty arguments, each of which goes four levels deep. */
const WIDE = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `part_${index}`,
      { type: 'object', properties: { near: branch, far: { type: 'array', items: branch }, name: text } },
    ]),
  ),
};

const catalog = (url: string): string =>
  document(url, {
    ...Object.fromEntries(
      Array.from({ length: OPERATIONS }, (_, index) => [
        `/things${index % 400}/{id}/parts${index}`,
        {
          get: operation(`get_part_${index}_of_thing`, {
            summary: `Gets part ${index} of a thing, with the colour ${index * 7}`,
            description:
              'Returns the part as it is known. Those that were replaced are left out of what is shown. '.repeat(5),
            tags: [`group${index % TAGS}`],
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          }),
        },
      ]),
    ),
    '/assemblies': {
      post: operation('assemble', {
        summary: 'Assembles a thing.',
        requestBody: { required: true, content: { 'application/json': { schema: WIDE } } },
      }),
    },
  } as Json);

type Mode = 'search' | 'grouped' | 'tools';

/** `asked`: one after the other, each of a gateway that was never asked for it. */
function first(id: string, exposure: Mode, asked: readonly (readonly [method: string, params: Params])[]): Case {
  return {
    part: 'A',
    id: `first: ${id}, ${OPERATIONS} operations, exposure ${exposure}`,
    limitMs: 40_000,
    run: async ({ launch, upstream, limits }) => {
      const gateway = await launch({
        files: { 'api.json': catalog(upstream.url) },
        args: ['api.json', '--exposure', exposure],
      });
      const doors: Door[] = [httpDoor(gateway, 'legacy'), httpDoor(gateway, 'modern')];
      await gateway.watch();
      for (const door of doors)
        for (const [method, params] of asked) {
          const { error, text: said } = await door.ask(method, params);
          if (error?.code === -32603) return `internal error: ${said.slice(0, 200)}`;
          const { worstMs } = await gateway.figures();
          if (worstMs > limits.stallMs)
            return `${door.name}: ${method}: a parallel client waited ${Math.round(worstMs)} ms`;
        }
      return undefined;
    },
  };
}

const call = (name: string, args: Params): readonly [string, Params] => ['tools/call', { name, arguments: args }];

export const FIRST_CALL_CASES: readonly Case[] = [
  first('what is made once it listens', 'search', [['ping', {}]]),
  first('searches', 'search', [
    call('search_operations', { query: 'which part of the thing has the colour red and is it replaced' }),
    call('search_operations', { query: 'blargh fnord qux' }),
    call('call_operation', { operation: 'get_prat_17_of_thing' }),
  ]),
  first('a description, and the lesson of a wrong call', 'search', [
    call('describe_operation', { operation: 'assemble' }),
    call('call_operation', { operation: 'assemble', arguments: { part_1: 7, nothing: 1 } }),
  ]),
  first('a description by the name of an action', 'grouped', [
    call('describe_operation', { operation: 'get_part_1700_of_thing' }),
    call('describe_operation', { operation: 'no_such_thing' }),
    call('describe_operation', { operation: 'assemble' }),
  ]),
  ...(['search', 'grouped', 'tools'] as const).map((mode) =>
    first('lists, and a tool nobody has', mode, [
      ['tools/list', {}],
      ['resources/list', {}],
      call('get_prat_17_of_thing', {}),
    ]),
  ),
];

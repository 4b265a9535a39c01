// What the cases of part B share: small documents, and ways to start a gateway on them and call all it has.
import type { Attack, Case } from '../case.ts';
import { type Answer, httpDoor } from '../doors.ts';
import { type Gateway, type Launch, StartError } from '../gateway.ts';

export type Json = Record<string, unknown>;

export function operation(id: string, more: Json = {}): Json {
  return { operationId: id, summary: `${id} it.`, responses: { 200: { description: 'Done.' } }, ...more };
}

export function document(url: string, paths: Json, more: Json = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Evil', version: '1' },
    servers: [{ url }],
    paths,
    ...more,
  });
}

export async function toolNames(gateway: Gateway, profile = ''): Promise<string[]> {
  const { result } = await httpDoor(gateway, 'modern', profile).ask('tools/list', {});
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}

/** Calls every tool there is, in both eras, with the arguments given. */
export async function callAll(gateway: Gateway, args: Json = {}, profile = ''): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const name of await toolNames(gateway, profile)) {
    for (const era of ['modern', 'legacy'] as const) {
      answers.push(await httpDoor(gateway, era, profile).ask('tools/call', { name, arguments: args }));
    }
  }
  return answers;
}

/** Starts, or says why not: a start that is refused sends nothing, which is safe too. */
export async function tryLaunch({ launch }: Attack, how: Launch): Promise<Gateway | StartError> {
  try {
    return await launch(how);
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
}

export function operatorCase(id: string, run: Case['run']): Case {
  return { part: 'B', id, run, limitMs: 40_000 };
}

export const ID = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];

export const handWritten = (url: string, endpoint: Json, more: Json = {}) =>
  JSON.stringify({
    name: 'hand',
    baseUrl: url,
    endpoints: { look: { path: '/look', summary: 'Looks.', ...endpoint } },
    ...more,
  });

// Names that follow from a definition (tools) or that it mentions elsewhere (paging, examples, pinned): the former must be
// usable, the latter declared.

import type { Endpoint, Pagination } from '../../endpoint/model.ts';
import { TOOL_NAME } from '../../endpoint/names.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import type { DefinedArguments } from './argument-plan.ts';
import type { DomainDefinition, EndpointDefinition } from './definition-types.ts';

/** Checks where one endpoint refers to its own arguments. */
export function checkUses(
  definition: EndpointDefinition,
  plan: DefinedArguments,
  at: string[],
  problems: Problem[],
): void {
  problems.push(...checkPaging(definition.pagination, [...plan.properties.keys()], at));
  checkExamples(definition, plan, at, problems);
}

export function joinToolName(prefix: string, action: string): string {
  return prefix === '' ? action : `${prefix}_${action}`;
}

/** The public name of an action; `fix` is what to do about one that is too long. */
export function buildToolName(
  prefix: string,
  action: string,
  fix: string,
  path: readonly string[],
  problems: Problem[],
): string {
  const toolName = joinToolName(prefix, action);
  if (!TOOL_NAME.test(toolName))
    problems.push({ path, message: `makes the tool name "${toolName}", which is longer than 48 characters; ${fix}` });
  return toolName;
}

/** Clients read resources repeatedly and without confirmation, so only GET can be one. */
export function checkExpose(expose: Endpoint['expose'] | undefined, method: string, at: readonly string[]): Problem[] {
  if (expose === undefined || expose === 'tool' || method === 'GET') return [];
  return [
    { path: [...at, 'expose'], message: `must be tool: only GET can be read as a resource, and this is ${method}` },
  ];
}

/** Tool names of the pinned actions; `namesOf` lists the names by which a file may refer to an endpoint. */
export function readPinned(
  definition: DomainDefinition,
  endpoints: readonly Endpoint[],
  problems: Problem[],
  namesOf: (endpoint: Endpoint) => readonly string[],
): string[] {
  const pinned = new Set<string>();
  for (const [index, name] of (definition.pinned ?? []).entries()) {
    const endpoint = endpoints.find((candidate) => namesOf(candidate).includes(name));
    if (endpoint !== undefined) {
      pinned.add(endpoint.toolName);
      continue;
    }
    const actions = endpoints.map(({ action }) => action);
    problems.push({ path: ['pinned', index], message: `there is no operation "${name}"; ${hint(name, actions)}` });
  }
  for (const endpoint of endpoints) if (definition.endpoints?.[endpoint.action]?.pinned) pinned.add(endpoint.toolName);
  return [...pinned];
}

/** `arg` and `sizeArg` must name arguments that exist. */
export function checkPaging(
  pagination: Pagination | undefined,
  names: readonly string[],
  at: readonly string[],
): Problem[] {
  return (['arg', 'sizeArg'] as const).flatMap((key) => {
    const name = pagination?.[key];
    if (name === undefined || names.includes(name)) return [];
    return [{ path: [...at, 'pagination', key], message: `there is no argument "${name}"; ${hint(name, names)}` }];
  });
}

function checkExamples(
  definition: EndpointDefinition,
  plan: DefinedArguments,
  at: string[],
  problems: Problem[],
): void {
  for (const [index, example] of (definition.examples ?? []).entries()) {
    const path = [...at, 'examples', index];
    for (const key of Object.keys(example)) {
      if (!plan.properties.has(key))
        problems.push({ path, message: `there is no argument "${key}"; ${hint(key, [...plan.properties.keys()])}` });
    }
    for (const key of plan.required) {
      if (example[key] === undefined) problems.push({ path, message: `is missing the required argument "${key}"` });
    }
    const reading = plan.parse?.(example);
    if (reading?.ok === false) problems.push({ path, message: `is refused: ${reading.problems.join('; ')}` });
  }
}

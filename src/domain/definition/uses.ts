// Names that a definition mentions elsewhere (paging, examples, pinned) must be names it declares.

import type { Endpoint } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import type { ArgumentPlan } from './declared-arguments.ts';
import type { DomainDefinition, EndpointDefinition } from './definition-types.ts';

/** Checks what one endpoint says about its own arguments. */
export function checkUses(given: EndpointDefinition, plan: ArgumentPlan, at: string[], problems: Problem[]): void {
  checkPaging(given, plan.properties, at, problems);
  checkExamples(given, plan, at, problems);
}

/** Resources are read, again and again and without asking: only GET will do. */
export function checkExpose(expose: Endpoint['expose'] | undefined, method: string, at: readonly string[]): Problem[] {
  if (expose === undefined || expose === 'tool' || method === 'GET') return [];
  return [
    { path: [...at, 'expose'], message: `must be tool: only GET can be read as a resource, and this is ${method}` },
  ];
}

/** Tool names of the pinned actions. */
export function readPinned(
  definition: DomainDefinition,
  endpoints: readonly Endpoint[],
  problems: Problem[],
): string[] {
  const pinned = new Set<string>();
  for (const [index, name] of (definition.pinned ?? []).entries()) {
    const found = endpoints.find((endpoint) => endpoint.action === name || endpoint.toolName === name);
    if (found !== undefined) pinned.add(found.toolName);
    else
      problems.push({
        path: ['pinned', index],
        message: `there is no endpoint "${name}"; ${hint(
          name,
          endpoints.map((endpoint) => endpoint.action),
        )}`,
      });
  }
  for (const endpoint of endpoints) if (definition.endpoints?.[endpoint.action]?.pinned) pinned.add(endpoint.toolName);
  return [...pinned];
}

function checkPaging(
  given: EndpointDefinition,
  properties: ReadonlyMap<string, unknown>,
  at: string[],
  problems: Problem[],
): void {
  for (const key of ['arg', 'sizeArg'] as const) {
    const name = given.pagination?.[key];
    if (name !== undefined && !properties.has(name)) {
      problems.push({
        path: [...at, 'pagination', key],
        message: `there is no argument "${name}"; ${hint(name, [...properties.keys()])}`,
      });
    }
  }
}

function checkExamples(given: EndpointDefinition, plan: ArgumentPlan, at: string[], problems: Problem[]): void {
  for (const [index, example] of (given.examples ?? []).entries()) {
    const path = [...at, 'examples', index];
    for (const key of Object.keys(example)) {
      if (!plan.properties.has(key))
        problems.push({ path, message: `there is no argument "${key}"; ${hint(key, [...plan.properties.keys()])}` });
    }
    for (const key of plan.required) {
      if (example[key] === undefined) problems.push({ path, message: `lacks the required argument "${key}"` });
    }
    const parsed = plan.parse?.(example);
    if (parsed?.ok === false) problems.push({ path, message: `is refused: ${parsed.problems.join('; ')}` });
  }
}

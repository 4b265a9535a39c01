// completion/complete: enumerated and declared values of prompt arguments and template variables.
import type { PromptTable } from '../catalog/resources-and-prompts/prompts.ts';
import type { ResourceTable } from '../catalog/resources-and-prompts/resources.ts';
import { GatewayError } from '../errors.ts';
import type { Params } from './wire/jsonrpc.ts';

const MAX_VALUES = 100;

export interface Completion {
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

export function complete(params: Params | undefined, prompts: PromptTable, resources: ResourceTable): Completion {
  const { ref, argument } = (params ?? {}) as { ref?: Record<string, unknown>; argument?: Record<string, unknown> };
  const { name, value } = argument ?? {};
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw new GatewayError('INVALID_PARAMS', 'Invalid params: "argument" must have a name and a value, both strings.');
  }
  const valuesByName = valuesOf(ref, prompts, resources);
  const prefix = value.toLowerCase();
  const values = (Object.hasOwn(valuesByName, name) ? (valuesByName[name] ?? []) : []).filter((item) =>
    item.toLowerCase().startsWith(prefix),
  );
  return { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES };
}

function valuesOf(
  ref: Record<string, unknown> | undefined,
  prompts: PromptTable,
  { templates, resources }: ResourceTable,
): Readonly<Record<string, readonly string[]>> {
  if (ref?.type === 'ref/prompt') {
    const name = toName(ref.name);
    const prompt = prompts.get(name);
    if (prompt) return prompt.values;
    throw new GatewayError('INVALID_PARAMS', `There is no prompt "${name}", so its arguments cannot be completed.`);
  }
  if (ref?.type === 'ref/resource') {
    const uri = toName(ref.uri);
    const template = templates.find(({ definition }) => definition.uri === uri);
    if (template) return template.values;
    if (resources.has(uri)) return {};
    throw new GatewayError(
      'INVALID_PARAMS',
      `There is no resource template ${uri}, so its variables cannot be completed.`,
    );
  }
  throw new GatewayError(
    'INVALID_PARAMS',
    'Invalid params: "ref" must be {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}.',
  );
}

/** Does not call String(): a foreign object may have a toString that throws. */
function toName(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GatewayError(
    'INVALID_PARAMS',
    'Invalid params: "ref" must name a prompt, or a resource template by its uri.',
  );
}

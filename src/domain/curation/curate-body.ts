// `body: { required: false }` of an imported operation, and what every curation of arguments asks about the body around them.
import { isObject } from '../../endpoint/is-object.ts';
import type { Arg, Endpoint, JsonSchema } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { type BodyRules, readBodyRules, withBodyRules } from '../../schema/body-rules.ts';
import { withFields } from './copy-endpoint.ts';

export function isInBody({ to }: Pick<Arg, 'to'>): boolean {
  return to.some(({ in: where }) => where === 'body' || where === 'body-root');
}

/** Rules that concern several arguments of the body. Builds the schema. */
export function bodyRulesOf({ args, body, inputSchema }: Endpoint): BodyRules {
  const keys = args.filter(isInBody).map(({ key }) => key);
  return readBodyRules(inputSchema, keys, body?.required === false);
}

export function curateBody(
  endpoint: Endpoint,
  { required }: { readonly required: boolean },
  at: readonly string[],
  problems: Problem[],
): Endpoint {
  const { body, args, fixed } = endpoint;
  const refuse = (message: string, ...more: string[]): Endpoint => {
    problems.push({ path: [...at, 'body', ...more], message });
    return endpoint;
  };
  if (body === undefined) return refuse('has no effect: the operation sends no body; remove it');
  if (required) {
    const fields = args.filter(isInBody).map(({ key }) => key);
    const example = fields[0] === undefined ? '' : `, such as args: { ${fields[0]}: { required: true } }`;
    return refuse(`true has no effect here; set it on the arguments in the body${example}`, 'required');
  }
  if (fixed.some((value) => isInBody({ to: [value.to] })))
    return refuse('false has no effect: the document fixes a value in the body, so it is always sent', 'required');
  const changes: Partial<Endpoint> = {
    body: { ...body, required: false },
    args: args.map((arg) => (isInBody(arg) ? { ...arg, required: false } : arg)),
  };
  return withFields(endpoint, changes, () => withOptionalBody(endpoint));
}

function withOptionalBody(endpoint: Endpoint): JsonSchema {
  const { inputSchema } = endpoint;
  if (!isObject(inputSchema) || endpoint.body?.required === false) return inputSchema;
  const { required, ...rest } = inputSchema;
  const rules = bodyRulesOf(endpoint);
  const others = Array.isArray(required) ? required.filter((key) => !rules.keys.includes(key)) : [];
  const schema = others.length === 0 ? rest : { ...rest, required: others };
  return withBodyRules(schema, { ...rules, optional: true });
}

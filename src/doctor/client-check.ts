// Reads the clients' rules: what would a client refuse or cut?
import { isObject } from '../endpoint/is-object.ts';
import { CLIENTS, type ClientId, type ClientRules, COMPOSITION, type Need } from './client-rules.ts';

export { CLIENTS, type ClientId } from './client-rules.ts';

type Node = Record<string, unknown>;

interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** What a client would refuse or cut, as sentences; empty when the tool is fine. */
export function checkTool(definition: ToolDefinition, client: ClientId, server = 'landbridge'): string[] {
  const rules = CLIENTS[client];
  const problems: string[] = [];
  const fullName = `${rules.prefix.replace('{server}', server)}${definition.name}`;
  if (!rules.name.test(definition.name))
    problems.push(`the name ${JSON.stringify(definition.name)} must match ${rules.name.source}`);
  if (fullName.length > rules.maxName)
    problems.push(
      `the name is sent as ${fullName}: ${fullName.length} characters, at most ${rules.maxName} are accepted`,
    );
  const length = definition.description?.length ?? 0;
  if (rules.maxDescription !== undefined && length > rules.maxDescription) {
    problems.push(`the description has ${length} characters and is cut at ${rules.maxDescription}`);
  }
  return [...problems, ...checkSchema(definition.inputSchema, rules)];
}

/** What is wrong with a list as a whole. */
export function checkToolCount(count: number, client: ClientId): string[] {
  const { maxTools } = CLIENTS[client];
  return maxTools !== undefined && count > maxTools
    ? [`${count} tools are offered, at most ${maxTools} are usable`]
    : [];
}

interface Tally {
  readonly rules: ClientRules;
  readonly problems: string[];
  properties: number;
  enumValues: number;
}

function checkSchema(schema: unknown, rules: ClientRules): string[] {
  if (!isObject(schema)) return ['the input schema must be an object'];
  const problems: string[] = [];
  const { properties, type } = schema;
  if (type !== 'object') problems.push('the root of the input schema must have type "object"');
  if (rules.needs.includes('root_properties') && !isObject(properties))
    problems.push('the root of the input schema must have properties, even if empty');
  for (const keyword of rules.notAtRoot)
    if (Object.hasOwn(schema, keyword)) problems.push(`${keyword} is refused at the root`);
  for (const key of isObject(properties) ? Object.keys(properties) : [])
    if (rules.keys?.test(key) === false)
      problems.push(`the argument name ${JSON.stringify(key)} must match ${rules.keys.source}`);
  const tally: Tally = { rules, problems, properties: 0, enumValues: 0 };
  checkNode(schema, 'arguments', 1, tally);
  const { limits } = rules;
  const size = JSON.stringify(schema).length;
  if (isAbove(tally.properties, limits.properties)) problems.push(`more than ${limits.properties} properties`);
  if (isAbove(tally.enumValues, limits.enumValues)) problems.push(`more than ${limits.enumValues} enum values`);
  if (isAbove(size, limits.characters))
    problems.push(`the schema has ${size} characters, at most ${limits.characters} are accepted`);
  return problems;
}

function isAbove(count: number, limit: number | undefined): boolean {
  return limit !== undefined && count > limit;
}

function checkNode(node: unknown, path: string, depth: number, tally: Tally): void {
  const { rules, problems } = tally;
  const say = (problem: string) => problems.push(`${path}: ${problem}`);
  if (!isObject(node)) {
    if (rules.needs.includes('typed_nodes')) say('a schema must be an object with a type');
    return;
  }
  for (const keyword of rules.notAnywhere) if (Object.hasOwn(node, keyword)) say(`${keyword} is refused`);
  if (isAbove(depth, rules.limits.depth)) say(`nested deeper than ${rules.limits.depth} levels`);
  for (const [need, check] of Object.entries(NODE_CHECKS))
    if (rules.needs.includes(need as Need)) check(node).forEach(say);
  const { format, type } = node;
  if (typeof format === 'string' && rules.formats && !rules.formats[String(type)]?.includes(format))
    say(`format ${format} is refused`);
  if (Array.isArray(node.enum)) tally.enumValues += node.enum.length;
  for (const [key, child, kind] of childrenOf(node)) {
    if (kind === 'property') tally.properties++;
    checkNode(child, `${path}.${key}`, kind === 'branch' ? depth : depth + 1, tally);
  }
}

/** What is wrong with one node, for clients with that need. */
const NODE_CHECKS: Readonly<Record<Exclude<Need, 'root_properties'>, (node: Node) => readonly string[]>> = {
  array_items: ({ type, items }) =>
    [type].flat().includes('array') && !isObject(items) ? ['an array needs items'] : [],
  typed_nodes: ({ type, anyOf }) => (type === undefined && !Array.isArray(anyOf) ? ['a type is missing'] : []),
  single_type: ({ type }) => (Array.isArray(type) ? ['a list of types is refused'] : []),
  lone_any_of: (node) =>
    node.anyOf !== undefined && Object.keys(node).length > 1 ? ['a schema with anyOf must have no other keyword'] : [],
  string_enums: ({ type, enum: values }) =>
    Array.isArray(values) && (type !== 'string' || values.some((value) => typeof value !== 'string' || value === ''))
      ? ['enum must hold non-empty strings on a string']
      : [],
  declared_required: ({ required, properties }) =>
    (Array.isArray(required) ? required.map(String) : [])
      .filter((name) => !Object.hasOwn(isObject(properties) ? properties : {}, name))
      .map((name) => `required ${name} is not declared`),
  matching_keywords: ({ type, properties, required, items }) => [
    ...(type !== 'object' && (properties !== undefined || required !== undefined)
      ? ['properties and required are accepted only with type object']
      : []),
    ...(type !== 'array' && items !== undefined ? ['items is accepted only with type array'] : []),
  ],
};

function* childrenOf(node: Node): Generator<[key: string, child: unknown, kind: 'property' | 'value' | 'branch']> {
  const { properties, items, additionalProperties } = node;
  if (isObject(properties)) for (const key of Object.keys(properties)) yield [key, properties[key], 'property'];
  if (isObject(items)) yield ['items', items, 'value'];
  if (isObject(additionalProperties)) yield ['*', additionalProperties, 'value'];
  for (const keyword of COMPOSITION) {
    const branches = node[keyword];
    if (Array.isArray(branches))
      for (const [index, branch] of branches.entries()) yield [`${keyword}[${index}]`, branch, 'branch'];
  }
}

// Reads the clients' rules: what would a client refuse or cut?
import { isObject } from '../endpoint/is-object.ts';
import { CLIENTS, type ClientId, type ClientRules, COMPOSITION, type Need } from './client-rules.ts';

export { CLIENTS, type ClientId, type ClientRules } from './client-rules.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** What a client would refuse or cut, as sentences; empty when the tool is fine. */
export function checkTool(definition: ToolDefinition, client: ClientId, server = 'landbridge'): string[] {
  const rules = CLIENTS[client];
  const problems: string[] = [];
  const sent = `${rules.prefix.replace('{server}', server)}${definition.name}`;
  if (!rules.name.test(definition.name))
    problems.push(`the name ${JSON.stringify(definition.name)} must match ${rules.name.source}`);
  if (sent.length > rules.maxName)
    problems.push(`the name is sent as ${sent}: ${sent.length} characters, at most ${rules.maxName} are accepted`);
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
  const tally: Tally = { rules, problems: [], properties: 0, enumValues: 0 };
  if (!isObject(schema)) return ['the input schema must be an object'];
  if (schema.type !== 'object') tally.problems.push('the root must have type "object"');
  if (needs(tally, 'root_properties') && !isObject(schema.properties))
    tally.problems.push('the root must have properties, even if empty');
  for (const keyword of rules.notAtRoot)
    if (Object.hasOwn(schema, keyword)) tally.problems.push(`${keyword} is refused at the root`);
  if (rules.keys && isObject(schema.properties)) {
    for (const key of Object.keys(schema.properties)) {
      if (!rules.keys.test(key))
        tally.problems.push(`the argument name ${JSON.stringify(key)} must match ${rules.keys.source}`);
    }
  }
  checkNode(schema, 'arguments', 1, tally);
  const { limits } = rules;
  const size = JSON.stringify(schema).length;
  if (limits.properties !== undefined && tally.properties > limits.properties)
    tally.problems.push(`more than ${limits.properties} properties`);
  if (limits.enumValues !== undefined && tally.enumValues > limits.enumValues)
    tally.problems.push(`more than ${limits.enumValues} enum values`);
  if (limits.characters !== undefined && size > limits.characters) {
    tally.problems.push(`the schema has ${size} characters, at most ${limits.characters} are accepted`);
  }
  return tally.problems;
}

function checkNode(node: unknown, path: string, depth: number, tally: Tally): void {
  const { rules, problems } = tally;
  if (!isObject(node)) {
    if (needs(tally, 'typed_nodes')) problems.push(`${path}: a schema must be an object with a type`);
    return;
  }
  for (const keyword of rules.notAnywhere)
    if (Object.hasOwn(node, keyword)) problems.push(`${path}: ${keyword} is refused`);
  if (rules.limits.depth !== undefined && depth > rules.limits.depth)
    problems.push(`${path}: nested deeper than ${rules.limits.depth} levels`);
  checkShape(node, path, tally);
  if (Array.isArray(node.enum)) tally.enumValues += node.enum.length;
  for (const [key, child, kind] of childrenOf(node)) {
    if (kind === 'property') tally.properties++;
    checkNode(child, `${path}.${key}`, kind === 'branch' ? depth : depth + 1, tally);
  }
}

function checkShape(node: Record<string, unknown>, path: string, tally: Tally): void {
  const { rules, problems } = tally;
  const { type } = node;
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (needs(tally, 'array_items') && isArray && !isObject(node.items)) problems.push(`${path}: an array needs items`);
  if (needs(tally, 'typed_nodes') && type === undefined && !Array.isArray(node.anyOf))
    problems.push(`${path}: a type is missing`);
  if (needs(tally, 'single_type') && Array.isArray(type)) problems.push(`${path}: a list of types is refused`);
  if (needs(tally, 'lone_any_of') && node.anyOf !== undefined && Object.keys(node).length > 1)
    problems.push(`${path}: nothing may stand beside anyOf`);
  if (
    needs(tally, 'string_enums') &&
    Array.isArray(node.enum) &&
    (type !== 'string' || node.enum.some((value) => typeof value !== 'string' || value === ''))
  ) {
    problems.push(`${path}: enum must hold non-empty strings on a string`);
  }
  if (needs(tally, 'declared_required') && Array.isArray(node.required)) {
    const declared = isObject(node.properties) ? node.properties : {};
    for (const name of node.required)
      if (!Object.hasOwn(declared, String(name))) problems.push(`${path}: required ${String(name)} is not declared`);
  }
  if (needs(tally, 'matching_keywords')) {
    if (type !== 'object' && (node.properties !== undefined || node.required !== undefined))
      problems.push(`${path}: properties belong to objects`);
    if (type !== 'array' && node.items !== undefined) problems.push(`${path}: items belong to arrays`);
  }
  const allowed = rules.formats?.[String(type)];
  if (typeof node.format === 'string' && rules.formats && !allowed?.includes(node.format))
    problems.push(`${path}: format ${node.format} is refused`);
}

function childrenOf(node: Record<string, unknown>): [string, unknown, 'property' | 'value' | 'branch'][] {
  const children: [string, unknown, 'property' | 'value' | 'branch'][] = [];
  if (isObject(node.properties))
    for (const key of Object.keys(node.properties)) children.push([key, node.properties[key], 'property']);
  if (isObject(node.items)) children.push(['items', node.items, 'value']);
  if (isObject(node.additionalProperties)) children.push(['*', node.additionalProperties, 'value']);
  for (const keyword of COMPOSITION) {
    const branches = node[keyword];
    if (Array.isArray(branches))
      for (const [index, branch] of branches.entries()) children.push([`${keyword}[${index}]`, branch, 'branch']);
  }
  return children;
}

function needs(tally: Tally, need: Need): boolean {
  return tally.rules.needs.includes(need);
}

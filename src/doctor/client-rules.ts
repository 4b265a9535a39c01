// What each client and model provider accepts in a tool definition, as data, and checks of a tool against it. Sources are the
// providers' references and issues about tools, or whole sessions, that were refused.
import { isObject } from '../endpoint/is-object.ts';

interface ClientRules {
  readonly title: string;
  /** The tool's own name. */
  readonly name: RegExp;
  /** Longest name as sent, prefix included. */
  readonly maxName: number;
  /** What the client puts before the name; `{server}` is the configured server name. */
  readonly prefix: string;
  /** Top-level argument names. */
  readonly keys?: RegExp;
  /** Characters of the description, UTF-16. */
  readonly maxDescription?: number;
  /** Keywords refused at the root. */
  readonly notAtRoot: readonly string[];
  /** Keywords refused anywhere. */
  readonly notAnywhere: readonly string[];
  /** Formats accepted, by type; undefined: any. */
  readonly formats?: Readonly<Record<string, readonly string[]>>;
  /** Structural requirements, beside an object at the root. */
  readonly needs: readonly Need[];
  readonly limits: {
    readonly depth?: number;
    readonly properties?: number;
    readonly enumValues?: number;
    readonly characters?: number;
  };
  /** Tools in one list. */
  readonly maxTools?: number;
}

type Need =
  | 'root_properties'
  | 'array_items'
  | 'typed_nodes'
  | 'single_type'
  | 'lone_any_of'
  | 'string_enums'
  | 'declared_required'
  | 'matching_keywords';

const COMPOSITION = ['oneOf', 'anyOf', 'allOf'] as const;
const words = (text: string): readonly string[] => text.split(/\s+/);

const LENIENT = {
  name: /^[a-zA-Z0-9_-]+$/,
  maxName: 64,
  prefix: '',
  notAtRoot: [],
  notAnywhere: [],
  needs: [],
  limits: {},
} satisfies Partial<ClientRules>;

const CLAUDE = { ...LENIENT, maxName: 128, keys: /^[a-zA-Z0-9_.-]{1,64}$/, notAtRoot: COMPOSITION };

const RULES = {
  mcp: {
    ...LENIENT,
    title: 'MCP 2026-07-28',
    name: /^[A-Za-z0-9_.-]+$/,
    maxName: 128,
    notAnywhere: ['x-mcp-header'],
  },
  claude: { ...CLAUDE, title: 'Claude API' },
  claude_desktop: { ...CLAUDE, title: 'Claude Desktop and claude.ai', maxName: 64 },
  claude_code: { ...CLAUDE, title: 'Claude Code', prefix: 'mcp__{server}__', maxDescription: 2_048 },
  openai: {
    ...LENIENT,
    title: 'OpenAI, Codex and Copilot',
    notAtRoot: [...COMPOSITION, 'enum', 'not'],
    notAnywhere: words('allOf not if then else dependentRequired dependentSchemas patternProperties $dynamicRef'),
    needs: ['root_properties', 'array_items', 'declared_required'],
    limits: { depth: 10, properties: 5_000, enumValues: 1_000, characters: 120_000 },
    maxTools: 128,
  },
  gemini: {
    ...LENIENT,
    title: 'Gemini and Vertex AI',
    name: /^[A-Za-z_][A-Za-z0-9_.-]*$/,
    keys: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    notAtRoot: COMPOSITION,
    notAnywhere:
      words(`$schema $id $ref $defs definitions $anchor $dynamicRef $comment allOf oneOf not if then else const
      exclusiveMinimum exclusiveMaximum multipleOf uniqueItems contains prefixItems propertyNames patternProperties
      dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems examples readOnly writeOnly deprecated
      contentEncoding contentMediaType`),
    formats: { string: ['date-time', 'enum'], integer: ['int32', 'int64'], number: ['float', 'double'] },
    needs: [
      'array_items',
      'typed_nodes',
      'single_type',
      'lone_any_of',
      'string_enums',
      'declared_required',
      'matching_keywords',
    ],
    maxTools: 128,
  },
  vscode: {
    ...LENIENT,
    title: 'VS Code and GitHub Copilot',
    name: /^[a-z0-9_-]+$/,
    notAnywhere: ['$dynamicRef'],
    needs: ['root_properties', 'array_items'],
    maxTools: 128,
  },
  cursor: { ...LENIENT, title: 'Cursor', maxName: 60, prefix: '{server}_', maxTools: 40 },
  chatgpt: {
    ...LENIENT,
    title: 'ChatGPT connectors',
    notAtRoot: COMPOSITION,
    needs: ['root_properties', 'array_items'],
    // 5,000 tokens per tool, at four characters each.
    limits: { characters: 20_000 },
  },
} satisfies Record<string, ClientRules>;

export type ClientId = keyof typeof RULES;

export const CLIENTS: Readonly<Record<ClientId, ClientRules>> = Object.freeze(RULES);

type Node = Record<string, unknown>;

interface ToolDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** What a client would refuse or cut, as sentences; empty if it accepts the tool. */
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

interface SchemaTotals {
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
  const totals: SchemaTotals = { rules, problems, properties: 0, enumValues: 0 };
  checkNode(schema, 'arguments', 1, totals);
  const { limits } = rules;
  const size = JSON.stringify(schema).length;
  if (isAbove(totals.properties, limits.properties)) problems.push(`more than ${limits.properties} properties`);
  if (isAbove(totals.enumValues, limits.enumValues)) problems.push(`more than ${limits.enumValues} enum values`);
  if (isAbove(size, limits.characters))
    problems.push(`the schema has ${size} characters, at most ${limits.characters} are accepted`);
  return problems;
}

function isAbove(count: number, limit: number | undefined): boolean {
  return limit !== undefined && count > limit;
}

function checkNode(node: unknown, path: string, depth: number, totals: SchemaTotals): void {
  const { rules, problems } = totals;
  const report = (problem: string) => problems.push(`${path}: ${problem}`);
  if (!isObject(node)) {
    if (rules.needs.includes('typed_nodes')) report('a schema must be an object with a type');
    return;
  }
  for (const keyword of rules.notAnywhere) if (Object.hasOwn(node, keyword)) report(`${keyword} is refused`);
  if (isAbove(depth, rules.limits.depth)) report(`nested deeper than ${rules.limits.depth} levels`);
  for (const [need, check] of Object.entries(NODE_CHECKS))
    if (rules.needs.includes(need as Need)) check(node).forEach(report);
  const { format, type } = node;
  if (typeof format === 'string' && rules.formats && !rules.formats[String(type)]?.includes(format))
    report(`format ${format} is refused`);
  if (Array.isArray(node.enum)) totals.enumValues += node.enum.length;
  for (const [key, child, kind] of childrenOf(node)) {
    if (kind === 'property') totals.properties++;
    checkNode(child, `${path}.${key}`, kind === 'branch' ? depth : depth + 1, totals);
  }
}

/** What is wrong with one node, for clients with that requirement. */
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

// What each client and model provider accepts in a tool definition, as data. Sources are the providers' references and the
// issues where a tool, or a whole session, was refused.

export type ClientId =
  | 'mcp'
  | 'claude'
  | 'claude_desktop'
  | 'claude_code'
  | 'openai'
  | 'gemini'
  | 'vscode'
  | 'cursor'
  | 'chatgpt';

export interface ClientRules {
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
  /** Structural demands. */
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

export type Need =
  | 'root_object'
  | 'root_properties'
  | 'array_items'
  | 'typed_nodes'
  | 'single_type'
  | 'lone_any_of'
  | 'string_enums'
  | 'declared_required'
  | 'matching_keywords'
  | 'plain_ref';

export const COMPOSITION = ['oneOf', 'anyOf', 'allOf'] as const;
const BASE: readonly Need[] = ['root_object'];
const WORDS = /^[a-zA-Z0-9_-]+$/;

export const CLIENTS: Readonly<Record<ClientId, ClientRules>> = Object.freeze({
  mcp: {
    title: 'MCP 2026-07-28',
    name: /^[A-Za-z0-9_.-]+$/,
    maxName: 128,
    prefix: '',
    notAtRoot: [],
    notAnywhere: ['x-mcp-header'],
    needs: BASE,
    limits: {},
  },
  claude: {
    title: 'Claude API',
    name: WORDS,
    maxName: 128,
    prefix: '',
    keys: /^[a-zA-Z0-9_.-]{1,64}$/,
    notAtRoot: COMPOSITION,
    notAnywhere: [],
    needs: BASE,
    limits: {},
  },
  claude_desktop: {
    title: 'Claude Desktop and claude.ai',
    name: WORDS,
    maxName: 64,
    prefix: '',
    keys: /^[a-zA-Z0-9_.-]{1,64}$/,
    notAtRoot: COMPOSITION,
    notAnywhere: [],
    needs: BASE,
    limits: {},
  },
  claude_code: {
    title: 'Claude Code',
    name: WORDS,
    maxName: 128,
    prefix: 'mcp__{server}__',
    keys: /^[a-zA-Z0-9_.-]{1,64}$/,
    maxDescription: 2_048,
    notAtRoot: COMPOSITION,
    notAnywhere: [],
    needs: BASE,
    limits: {},
  },
  openai: {
    title: 'OpenAI, Codex and Copilot',
    name: WORDS,
    maxName: 64,
    prefix: '',
    notAtRoot: [...COMPOSITION, 'enum', 'not'],
    notAnywhere: [
      'allOf',
      'not',
      'if',
      'then',
      'else',
      'dependentRequired',
      'dependentSchemas',
      'patternProperties',
      '$dynamicRef',
    ],
    needs: ['root_object', 'root_properties', 'array_items', 'declared_required'],
    limits: { depth: 10, properties: 5_000, enumValues: 1_000, characters: 120_000 },
    maxTools: 128,
  },
  gemini: {
    title: 'Gemini and Vertex AI',
    name: /^[A-Za-z_][A-Za-z0-9_.-]*$/,
    maxName: 64,
    prefix: '',
    keys: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    notAtRoot: COMPOSITION,
    notAnywhere: [
      '$schema',
      '$id',
      '$ref',
      '$defs',
      'definitions',
      '$anchor',
      '$dynamicRef',
      '$comment',
      'allOf',
      'oneOf',
      'not',
      'if',
      'then',
      'else',
      'const',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'multipleOf',
      'uniqueItems',
      'contains',
      'prefixItems',
      'propertyNames',
      'patternProperties',
      'dependentRequired',
      'dependentSchemas',
      'unevaluatedProperties',
      'unevaluatedItems',
      'examples',
      'readOnly',
      'writeOnly',
      'deprecated',
      'contentEncoding',
      'contentMediaType',
    ],
    formats: { string: ['date-time', 'enum'], integer: ['int32', 'int64'], number: ['float', 'double'] },
    needs: [
      'root_object',
      'array_items',
      'typed_nodes',
      'single_type',
      'lone_any_of',
      'string_enums',
      'declared_required',
      'matching_keywords',
      'plain_ref',
    ],
    limits: {},
    maxTools: 128,
  },
  vscode: {
    title: 'VS Code and GitHub Copilot',
    name: /^[a-z0-9_-]+$/,
    maxName: 64,
    prefix: '',
    notAtRoot: [],
    notAnywhere: ['$dynamicRef'],
    needs: ['root_object', 'root_properties', 'array_items'],
    limits: {},
    maxTools: 128,
  },
  cursor: {
    title: 'Cursor',
    name: WORDS,
    maxName: 60,
    prefix: '{server}_',
    notAtRoot: [],
    notAnywhere: [],
    needs: BASE,
    limits: {},
    maxTools: 40,
  },
  chatgpt: {
    title: 'ChatGPT connectors',
    name: WORDS,
    maxName: 64,
    prefix: '',
    notAtRoot: COMPOSITION,
    notAnywhere: [],
    // 5,000 tokens per tool, at four characters each.
    needs: ['root_object', 'root_properties', 'array_items'],
    limits: { characters: 20_000 },
  },
});

// What each client and model provider accepts in a tool definition, as data. Sources are the providers' references and the
// issues where a tool, or a whole session, was refused.

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
  /** Structural demands, beside an object at the root. */
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
  | 'root_properties'
  | 'array_items'
  | 'typed_nodes'
  | 'single_type'
  | 'lone_any_of'
  | 'string_enums'
  | 'declared_required'
  | 'matching_keywords';

export const COMPOSITION = ['oneOf', 'anyOf', 'allOf'] as const;
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

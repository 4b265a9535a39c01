// The files of docs/ that are made of schemas, by path: what stands above the tables, and the tables.
import { buildDomainSchema, buildProfilesSchema, listGaps, renderReference } from './reference.ts';

const NOTE = '<!-- Made by npm run docs of the schemas in src/domain/definition and src/profiles.ts: change those. -->';

const EDITORS = (kind: 'domain' | 'profiles', file: string) => `## In an editor

Editors that know YAML schemas (VS Code with the YAML extension, JetBrains, Neovim, Helix …) complete and check the file while you
write, when its first line names the schema:

- \`landbridge import\` writes the schema beside the domain file and that line into it.
- \`landbridge schema${kind === 'domain' ? '' : ' profiles'}\` prints it, with \`npx\` too. Put it beside ${file} as
  \`.${kind}.schema.json\` and begin the file with \`# yaml-language-server: $schema=.${kind}.schema.json\`.
- Where the package is installed, the line may name its own:
  \`# yaml-language-server: $schema=${kind === 'domain' ? '../' : './'}node_modules/landbridge/docs/schemas/${kind}.schema.json\`.
- In a clone of this repository: \`# yaml-language-server: $schema=${kind === 'domain' ? '../' : ''}docs/schemas/${kind}.schema.json\`.`;

const DOMAIN_INTRO = `# Domain files

${NOTE}

A domain file describes one API, and how models get it: written by hand, or laid over an OpenAPI document. YAML and JSON files have
the fields below; TypeScript and JavaScript files hand the same object to \`defineDomain()\`. Files in \`domains/\` are loaded in
order of name; adding one adds a domain.

\`\`\`yaml
# domains/shop.yaml
name: shop
baseUrl: { env: SHOP_BASE_URL, default: https://shop.example/v1 }
credentials:
  key: { kind: apiKey, field: X-API-Key, env: SHOP_KEY }
endpoints:
  list_orders:
    path: /orders
    summary: Lists orders, newest first.
    tags: [orders]
    args:
      status: { type: string, enum: [open, paid, shipped], description: Only orders in this state. }
      page: { type: integer, minimum: 1, default: 1, description: "Page number, from 1." }
    pagination: { kind: page, arg: page }
    response: { pick: [id, status, customer.name] }
  cancel_order:
    method: POST
    path: /orders/{id}/cancel
    summary: Cancels an order.
    effect: destructive
    args:
      id: { type: integer, required: true, description: "Number of the order, from list_orders." }
      reason: { type: string }
\`\`\`

A mistake stops the start. Every one of the file is told at once, with its place and what to write instead:

\`\`\`
domains/shop.yaml:5:10 credentials.key.kind: "api_key" is not a kind; did you mean "apiKey"? (apiKey, bearer, basic, …)
\`\`\`

With \`--json\` they are data: \`{"error": {"code": "BAD_DOMAIN", "problems": [{"file", "line", "column", "field", "message"}]}}\`.

Values may come from the environment only where this page says so. The example of a field is a value it may have in its place.

${EDITORS('domain', 'the domain file')}`;

const PROFILES_INTRO = `# Profiles

${NOTE}

\`profiles.yaml\` (or the file that \`--profiles\` names) declares parts of the catalog by name. Each is served at \`/mcp/<name>\`; \`--profile\`
picks one for stdio and TCP. A profile is stricter than the deployment, never laxer.

\`\`\`yaml
# profiles.yaml
reader: { effects: [read] }
support: { domains: [tasks], tags: [tasks], exposure: tools, guard: confirm }
\`\`\`

A name that nothing has stops the start, and so does a profile that would serve nothing; file, line, field and fix are told.

${EDITORS('profiles', '`profiles.yaml`')}`;

/** As a reader meets them. */
const ORDER = [
  ...['domain', 'apiKey', 'bearer', 'basic', 'oauth2', 'awsSigv4', 'login', 'scheme'],
  ...['endpoint', 'argument', 'placement', 'encoding', 'response', 'pagination'],
  ...['filter', 'operation', 'argumentChange', 'addition', 'prompt', 'resource'],
];

/** Text of every file by its path in the repository. */
export function buildReferenceFiles(): Readonly<Record<string, string>> {
  const domain = buildDomainSchema();
  const profiles = buildProfilesSchema();
  const gaps = [...listGaps(domain), ...listGaps(profiles)];
  if (gaps.length > 0) throw new Error(`The reference is not complete:\n${gaps.join('\n')}`);
  return {
    'docs/domain-files.md': renderReference(DOMAIN_INTRO, domain, ORDER),
    'docs/profiles.md': renderReference(PROFILES_INTRO, profiles),
    'docs/schemas/domain.schema.json': `${JSON.stringify(domain, null, 2)}\n`,
    'docs/schemas/profiles.schema.json': `${JSON.stringify(profiles, null, 2)}\n`,
  };
}

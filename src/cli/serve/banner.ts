// What a person sees when the gateway is up: what it offers, where it is, and how to connect a client.
import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolEntry } from '../../catalog/registry.ts';
import { BUNDLED_DOMAINS, type Config, isTyped } from '../../config/read-config.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import { type Domain, EFFECTS } from '../../endpoint/model.ts';
import type { Gateway } from '../../gateway.ts';
import { describeCost } from '../exposure-cost.ts';
import { mayBeWritten } from '../import/import-secrets.ts';
import { digestWarnings } from '../terminal/digest-lines.ts';
import { colours as pc } from '../terminal/palette.ts';
import { colourEffect, count, fitLines, renderTable, shown, withCommas, wrapLines } from '../terminal/terminal.ts';
import { listCredentials } from './credential-lines.ts';

export interface Addresses {
  readonly http?: string | undefined;
  /** The address for clients, if it differs from the one that is listened on. */
  readonly url?: string | undefined;
  readonly tcp?: string | undefined;
  /** For operators. */
  readonly admin?: string | undefined;
  readonly stdio: boolean;
  /** Whether HTTP and TCP speak TLS. */
  readonly tls?: boolean;
  /** Who may call over HTTP and TCP: `2 keys`. Absent: everybody. */
  readonly authentication?: string | undefined;
  /** The port can be reached from other machines, and callers are not authenticated. */
  readonly isWideOpen?: boolean | undefined;
}

export const OPEN_TO_ALL =
  'No authentication: whoever reaches this port from another machine may call these APIs with your credentials (--allow-unauthenticated).';

/** Who may call; nothing where that is everybody on this machine. */
export function describeCallers({ authentication, isWideOpen }: Addresses): string[] {
  return [
    ...(authentication === undefined ? [] : [`authentication: ${authentication}`]),
    ...(isWideOpen ? [OPEN_TO_ALL] : []),
  ];
}

/** The client fills in this variable from its environment, so that no file and no command line contains a key. */
export const KEY_VARIABLE = 'MCP_GATEWAY_KEY';

const MAX_TOOLS_PER_DOMAIN = 25;

/** How this gateway was started, so that what people paste starts the same one. */
export interface Launch {
  readonly config: Config;
  readonly envFiles: readonly string[];
  /** Show every warning, not only the first few of each kind. */
  readonly verbose: boolean;
  /** Processes that serve. Default: 1. */
  readonly workers?: number;
}

/** All of it on one line, for programs. */
export function renderLine(gateway: Gateway, at: Addresses, workers = 1): string {
  const { http, tcp, tls, admin } = at;
  const overTcp = `MCP over TCP${tls ? ' (TLS)' : ''}`;
  const { name, version, registry } = gateway;
  const where = [http && `MCP over HTTP ${http}`, tcp && `${overTcp} ${tcp}`, admin && `admin ${admin}`]
    .filter(Boolean)
    .join(', ');
  const callers = describeCallers(at).map((text) => `; ${text}`);
  return `${name} ${version}: ${where}; ${count(registry.operations.length, 'operation')}, ${count(registry.tools.size, 'tool')} (exposure ${registry.exposure}), ${describeCost(gateway)}${workers > 1 ? `; ${workers} workers` : ''}${callers.join('')}\n`;
}

/** For a terminal of this many columns. */
export function renderBanner(gateway: Gateway, at: Addresses, launch: Launch, columns: number): string {
  const { domains, registry, name, version } = gateway;
  const { url = at.http } = at;
  const { workers = 1 } = launch;
  const quarantineSize = domains.reduce((sum, domain) => sum + domain.quarantined.length, 0);
  // Tables are cut to the width of the terminal and sentences are wrapped; lines meant for pasting stay whole.
  const wrap = (text: string) => wrapLines(text, columns);
  const cut = (text: string) => fitLines(text, columns);
  const parts = [
    wrap(
      `${pc.bold(name)} ${version}  ${count(domains.length, 'domain')}, ${count(registry.operations.length, 'operation')}, ${count(registry.tools.size, 'tool')} (exposure ${registry.exposure})${workers > 1 ? `, ${workers} workers` : ''}`,
    ),
    wrap(renderAddresses(at, [...gateway.profiles.keys()])),
    wrap(renderCallers(at)),
    launch.config.readOnly && wrap(pc.yellow('Read-only: everything that is not a read is refused.')),
    quarantineSize > 0 &&
      wrap(pc.yellow(`${count(quarantineSize, 'operation')} could not be imported; "landbridge tools" says why.`)),
    ...(isOneByOne(registry)
      ? domains.map((domain) => `${wrap(renderTitle(domain))}\n${cut(renderOperations(domain, registry))}`)
      : [cut(renderTools(gateway)), wrap(renderDomains(gateway))]),
    wrap(`tools/list costs ${describeCost(gateway)}; "landbridge tools" counts them, for every exposure.`),
    wrap(renderCredentials(gateway)),
    wrap(digestWarnings(domains, launch.verbose).join('\n')),
    url && renderSnippets(url, at.authentication !== undefined, launch),
    url && renderExample(gateway, url, at.authentication !== undefined, launch),
  ];
  return `${parts.filter((part): part is string => typeof part === 'string' && part !== '').join('\n\n')}\n`;
}

/** Each tool is one operation under its own name: not so in grouped and search mode. */
function isOneByOne({ tools, operations }: Gateway['registry']): boolean {
  const names = new Set(operations.map(({ name }) => name));
  return [...tools.values()].every((entry) => entry.operations.length === 1 && names.has(entry.tool.name));
}

/** The tools a client sees. */
function renderTools({ domains, registry }: Gateway): string {
  const tools = [...registry.tools.values()];
  const rows = tools
    .slice(0, MAX_TOOLS_PER_DOMAIN * domains.length)
    .map(({ tool }) => [`  ${tool.name}`, shown(tool.description ?? '').split('. ', 1)[0]!]);
  return `${renderTable(['  tool', 'does'], rows)}${renderMore(tools.length - rows.length)}`;
}

/** How much of each API is behind them. */
function renderDomains({ domains, registry }: Gateway): string {
  const rows = domains.map((domain) => {
    const own = registry.operations.filter(({ endpoint }) => endpoint.domain === domain.name);
    const effects = EFFECTS.flatMap((effect) => {
      const many = own.filter(({ endpoint }) => endpoint.effect === effect).length;
      return many > 0 ? [`${withCommas(many)} ${effect}`] : [];
    });
    return [`  ${domain.name}`, count(own.length, 'operation'), effects.join(', '), addressesOf(domain)];
  });
  return renderTable(['  domain', '', 'effects', 'API'], rows);
}

function renderMore(more: number): string {
  return more > 0 ? pc.dim(`\n  … and ${more} more`) : '';
}

function addressesOf({ endpoints }: Domain): string {
  return shown([...new Set(endpoints.map(({ baseUrl }) => baseUrl))].join(', '));
}

function renderTitle(domain: Domain): string {
  return `${pc.cyan(domain.name)}  ${shown(domain.title)} ${pc.dim(addressesOf(domain))}`;
}

function renderOperations(domain: Domain, registry: Gateway['registry']): string {
  const operations = registry.operations.filter(({ endpoint }) => endpoint.domain === domain.name);
  const rows = operations
    .slice(0, MAX_TOOLS_PER_DOMAIN)
    .map(({ name: tool, endpoint }) => [
      `  ${tool}`,
      endpoint.method,
      shown(endpoint.path),
      colourEffect(endpoint.effect),
    ]);
  const table = rows.length > 0 ? renderTable(['  tool', 'method', 'path', 'effect'], rows) : pc.dim('  no tools');
  return `${table}${renderMore(operations.length - rows.length)}`;
}

function renderCredentials({ domains }: Gateway): string {
  const lines = listCredentials(domains).map((line) => `\n  ${shown(line)}`);
  return lines.length === 0 ? '' : `${pc.bold('Credentials sent')}${lines.join('')}`;
}

function renderAddresses({ http, tcp, tls, stdio, admin }: Addresses, profiles: readonly string[]): string {
  const rows = [
    ...(http
      ? [
          ['  MCP over HTTP', http],
          ...profiles.map((name) => [`  profile ${name}`, `${http}/${name}`]),
          ['  health', `${http.replace(/\/mcp$/, '')}/healthz, /readyz`],
        ]
      : []),
    ...(tcp ? [['  MCP over TCP', tls ? `${tcp} (TLS)` : tcp]] : []),
    ...(stdio ? [['  MCP over stdio', 'this process']] : []),
    ...(admin ? [['  admin', `${admin}/metrics, /readyz, /log-level`]] : []),
  ];
  return `${pc.bold('Listening')}\n${rows.map(([label, where]) => `${label!.padEnd(18)}${pc.green(where!)}`).join('\n')}`;
}

function renderCallers(at: Addresses): string {
  const lines = describeCallers(at).map((line) => (line === OPEN_TO_ALL ? pc.yellow(line) : line));
  return lines.join('\n');
}

function renderSnippets(url: string, isAuthenticated: boolean, launch: Launch): string {
  const desktop = JSON.stringify({ mcpServers: { landbridge: stdioCommand(launch) } });
  // Filled in by the client, so that no file contains the key.
  const headers = isAuthenticated && { headers: { Authorization: `Bearer \${env:${KEY_VARIABLE}}` } };
  const claude = isAuthenticated ? ` --header 'Authorization: Bearer \${${KEY_VARIABLE}}'` : '';
  const rows: [string, string][] = [
    ['Claude Code', `claude mcp add --transport http landbridge ${url}${claude}`],
    ...(fromStdin(launch) ? [] : [['Claude Desktop  claude_desktop_config.json', desktop] as [string, string]]),
    ['Cursor  ~/.cursor/mcp.json', JSON.stringify({ mcpServers: { landbridge: { url, ...headers } } })],
    ['VS Code  .vscode/mcp.json', JSON.stringify({ servers: { landbridge: { type: 'http', url, ...headers } } })],
  ];
  return `${pc.bold('Connect a client')}\n${rows.map(([who, what]) => `  ${pc.dim(`${who}:`)}\n    ${what}`).join('\n')}`;
}

/** A document from stdin cannot be piped in again. */
function fromStdin({ config }: Launch): boolean {
  return config.paths.includes('-');
}

/** Desktop clients start servers from an unknown folder, so every path is absolute. */
export function stdioCommand(launch: Launch): { command: string; args: string[] } {
  const { config } = launch;
  const { paths, file, readOnly, guard, confirm, exposure, tokenBudget, profiles, profile } = config;
  const absolute = (path: string) => (isWebAddress(path) || isAbsolute(path) ? path : resolve(path));
  // All other settings are in the file.
  const ifTyped = (name: keyof Config, words: () => string[]) => (isTyped(config, name) ? words() : []);
  const args = [
    ...(file === undefined || isTyped(config, 'domains') ? paths.map(absolute) : []),
    ...flag('--config', file && absolute(file)),
    ...sourceFlags(launch, absolute),
    ...ifTyped('readOnly', () => (readOnly ? ['--read-only'] : [])),
    ...ifTyped('guard', () => flag('--guard', guard)),
    ...ifTyped('confirm', () => flag('--confirm', confirm)),
    ...ifTyped('exposure', () => flag('--exposure', exposure)),
    ...ifTyped('tokenBudget', () => flag('--token-budget', String(tokenBudget))),
    ...(typeof profiles === 'string' && (file === undefined || isTyped(config, 'profiles'))
      ? flag('--profiles', absolute(profiles))
      : []),
    ...ifTyped('profile', () => flag('--profile', profile)),
    // stdio is served by one process, whatever the file says.
    ...(config.workers === 1 ? [] : ['--workers', '1']),
  ];
  const script = process.argv[1] ?? '';
  // npx runs the program from a temporary folder, so the command has to use npx as well.
  const program = /[\\/]_npx[\\/]/.test(script) ? ['npx', '-y', 'landbridge'] : [process.execPath, script];
  return { command: program[0]!, args: [...program.slice(1), 'serve', '--stdio', ...args] };
}

/** Where the API is and what goes with it. A header that was typed out may be a secret: those are left out. */
function sourceFlags({ config, envFiles }: Launch, toPath: (path: string) => string): string[] {
  const { baseUrl, headers, refsRoot } = config;
  return [
    ...(isTyped(config, 'baseUrl') ? flag('--base-url', baseUrl) : []),
    ...(isTyped(config, 'headers') ? headers : []).filter(mayBeWritten).flatMap((header) => flag('--header', header)),
    ...(isTyped(config, 'refsRoot') ? flag('--refs-root', refsRoot && toPath(refsRoot)) : []),
    ...envFiles.flatMap((file) => flag('--dotenv', toPath(file))),
  ];
}

function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}

/** The flags with which `call`, from this folder, finds the same APIs. */
function callFlags(launch: Launch): string {
  const { paths, file } = launch.config;
  const isImplied = paths.length === 1 && (paths[0] === 'domains' || paths[0] === BUNDLED_DOMAINS);
  const isTold = file === undefined ? !isImplied : isTyped(launch.config, 'domains');
  const domains = isTold ? paths.flatMap((path) => flag('--domains', path)) : [];
  const config = file === 'landbridge.yaml' ? [] : flag('--config', file);
  return [...config, ...domains, ...sourceFlags(launch, (path) => path)]
    .map((word) => ` ${/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`}`)
    .join('');
}

function renderExample({ registry }: Gateway, url: string, isAuthenticated: boolean, launch: Launch): string {
  const key = isAuthenticated ? ` -H "Authorization: Bearer $${KEY_VARIABLE}"` : '';
  const list = `curl -s ${url} -H 'Content-Type: application/json'${key} -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`;
  const lines = [list];
  const easy = findEasyTool(registry);
  if (easy) {
    const params = JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: easy.tool.name, arguments: {} },
    });
    lines.push(`curl -s ${url} -H 'Content-Type: application/json'${key} -d '${params}'`);
  }
  const script = relative('.', process.argv[1] ?? '');
  if (easy && !script.includes('_npx') && !fromStdin(launch))
    lines.push(`node ${script} call ${easy.tool.name}${callFlags(launch)}`);
  return `${pc.bold('Try it')}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** Something that can be called as it is: a read without required arguments, best of an API on this very machine. */
function findEasyTool(registry: Gateway['registry']): ToolEntry | undefined {
  const easy = [...registry.tools.values()].filter(({ tool, operations }) => {
    const { required } = tool.inputSchema as { required?: unknown[] };
    return operations.length === 1 && !required?.length && operations[0]?.endpoint.effect === 'read';
  });
  return easy.find(({ operations }) => operations[0]?.endpoint.baseUrl.startsWith('http://127.0.0.1')) ?? easy[0];
}

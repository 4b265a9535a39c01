// What a person sees when the gateway is up. It fits on their screen: where it listens, what it offers, what is missing, one line to
// try it, and how to connect a client. `landbridge tools` lists the rest.
import type { CatalogOperation } from '../../catalog/tree.ts';
import { type Domain, EFFECTS } from '../../endpoint/model.ts';
import type { Gateway } from '../../gateway.ts';
import { describeCost } from '../exposure-cost.ts';
import { listWarnings } from '../terminal/digest-lines.ts';
import { type Invocation, programCommand, sameArguments, shellQuote } from '../terminal/invocation.ts';
import { colours as pc } from '../terminal/palette.ts';
import { count, cropLines, renderTable, shown, visibleWidth, withCommas, wrapLines } from '../terminal/terminal.ts';
import { isReady, listCredentials, listMissing } from './credential-lines.ts';

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
  readonly isOpenToAll?: boolean | undefined;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

export const OPEN_TO_ALL =
  'No authentication: anyone who can reach this port from another machine can call these APIs with your credentials (--allow-unauthenticated).';

/** Who may call; empty if that is everybody on this machine. */
export function describeCallers({ authentication, isOpenToAll }: Addresses): string[] {
  return [
    ...(authentication === undefined ? [] : [`authentication: ${authentication}`]),
    ...(isOpenToAll ? [OPEN_TO_ALL] : []),
  ];
}

/** The client fills in this variable from its environment, so that no file and no command line contains a key. */
export const KEY_VARIABLE = 'MCP_GATEWAY_KEY';

/** What the lists keep at least when there is little space: with all that is usual, 24 lines. */
const MIN_API_ROWS = 2;
const MIN_NOTE_ROWS = 3;
/** How many operations are searched for one that can be called as it is. */
const MAX_CANDIDATES = 40;

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

/** For a terminal of this size. With --verbose nothing is left out, and it may be longer than the screen. */
export function renderBanner(gateway: Gateway, at: Addresses, invocation: Invocation, screen: Screen): string {
  const { columns } = screen;
  const { url = at.http } = at;
  const wrap = (text: string) => wrapLines(text, columns).split('\n');
  const head = [wrap(renderTitle(gateway, invocation)), renderAddresses(at, gateway, invocation).flatMap(wrap)];
  const foot = [
    ...(url === undefined ? [] : [renderExample(gateway, url, at, invocation), renderClients(url, at, invocation)]),
    renderMore(invocation),
  ];
  const apis = renderTable(
    [],
    gateway.domains.map((domain) => toRow(domain, gateway)),
  );
  const notes = listNotes(gateway, at, invocation).map(wrap);
  // Beside the lines themselves: an empty one above each part, one for the cursor, and the title of the notes.
  const rowCount = [...head, ...foot].flat().reduce((sum, line) => sum + Math.ceil(visibleWidth(line) / columns), 0);
  const between = head.length + foot.length + (notes.length > 0 ? 3 : 1);
  const space = invocation.verbose ? Infinity : screen.rows - rowCount - between;
  const apiLines = cutList(
    apis.split('\n').map((line) => [cropLines(line, columns)]),
    Math.max(MIN_API_ROWS, space - notes.flat().length),
    (more) => `  … and ${count(more, 'API')} more`,
  );
  const noteLines = cutList(
    notes,
    Math.max(MIN_NOTE_ROWS, space - apiLines.length),
    (more) => `  … and ${more} more: --verbose shows all`,
  );
  const lists = [apiLines, ...(notes.length > 0 ? [[pc.bold('Needs attention'), ...noteLines]] : [])];
  return `${[...head, ...lists, ...foot].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The first items that fit, whole, and how many more there are. */
function cutList(items: readonly (readonly string[])[], space: number, more: (rest: number) => string): string[] {
  if (items.flat().length <= space) return items.flat();
  const lines: string[] = [];
  let itemCount = 0;
  for (const item of items) {
    // One line is for the rest; the first item is shown whatever its length.
    if (itemCount > 0 && lines.length + item.length > space - 1) break;
    lines.push(...item);
    itemCount++;
  }
  return itemCount === items.length ? lines : [...lines, pc.dim(more(items.length - itemCount))];
}

function renderTitle(gateway: Gateway, { config, workers = 1 }: Invocation): string {
  const { name, version, domains } = gateway;
  const { operations, tools } = gateway.registry;
  const title = `${pc.bold(name)} ${version} serves ${count(domains.length, 'API')}: ${count(operations.length, 'operation')} as ${count(tools.size, 'tool')}, ${describeCost(gateway)}`;
  return `${title}${workers > 1 ? `, ${workers} workers` : ''}${config.readOnly ? `, ${pc.yellow('read-only')}` : ''}`;
}

function renderAddresses(
  { http, tcp, tls, stdio, admin, authentication }: Addresses,
  gateway: Gateway,
  invocation: Invocation,
) {
  const profiles = [...gateway.profiles.keys()];
  const rows = [
    ...(http ? [['MCP over HTTP', http]] : []),
    ...(http && profiles.length > 0 ? [['profiles', profiles.map((name) => `${http}/${name}`).join(', ')]] : []),
    ...(http ? [['health', `${http.replace(/\/mcp$/, '')}/healthz, /readyz`]] : []),
    ...(tcp ? [['MCP over TCP', tls ? `${tcp} (TLS)` : tcp]] : []),
    ...(stdio ? [['MCP over stdio', 'this process']] : []),
    ...(admin ? [['admin', `${admin}/metrics, /readyz, /log-level`]] : []),
    ...(authentication === undefined ? [] : [['authentication', authentication]]),
    ...(invocation.verbose ? listCredentials(gateway.domains).map((line) => ['credential', shown(line)]) : []),
  ];
  return rows.map(([label, where]) => `  ${label!.padEnd(16)}${pc.green(where!)}`);
}

/** The row of one API: its name, its operations by effect, and its address. */
function toRow({ name, endpoints }: Domain, { registry }: Gateway): string[] {
  const own = registry.operations.filter(({ endpoint }) => endpoint.domain === name);
  const effects = EFFECTS.flatMap((effect) => {
    const many = own.filter(({ endpoint }) => endpoint.effect === effect).length;
    return many > 0 ? [`${withCommas(many)} ${effect}`] : [];
  });
  const urls = [...new Set(endpoints.map(({ baseUrl }) => baseUrl))];
  const where = shown(urls[0] ?? '').replace(/^https:\/\//, '');
  const more = urls.length > 1 ? ` and ${urls.length - 1} other base URL${urls.length > 2 ? 's' : ''}` : '';
  return [`  ${pc.cyan(name)}`, effects.join(', ') || 'no operations', `${where}${more}`];
}

/** What an operator should see before anybody calls, each with its fix. */
function listNotes({ domains }: Gateway, at: Addresses, invocation: Invocation): string[] {
  const program = programCommand(invocation);
  const missing = invocation.verbose ? [] : listMissing(domains);
  const variables = missing.flatMap((one) => one.variables);
  const warnings = listWarnings(domains).filter((text) => !variables.some((variable) => text.includes(variable)));
  const quarantined = domains.reduce((sum, domain) => sum + domain.quarantined.length, 0);
  const notes = [
    ...(at.isOpenToAll ? [OPEN_TO_ALL] : []),
    ...missing.map(
      (one) =>
        `${one.domain}: set ${one.variables.join(' and ')}, which ${one.operations === 1 ? '1 operation needs' : `${withCommas(one.operations)} operations need`}${one.hasOthers ? ` (other ways: ${program} doctor)` : ''}`,
    ),
    ...(quarantined === 0
      ? []
      : [`${count(quarantined, 'operation')} could not be imported: "${program} tools" says why`]),
    ...warnings,
  ];
  return notes.map((text) => `  ${pc.yellow('!')} ${shown(text)}`);
}

function renderExample({ registry }: Gateway, url: string, at: Addresses, invocation: Invocation): string[] {
  const easy = findEasy(registry.operations);
  const key = at.authentication === undefined ? '' : ` --header "Authorization: Bearer $${KEY_VARIABLE}"`;
  const words = easy === undefined ? `tools --url ${url}${key}` : `call --url ${url}${key} ${easy.name}`;
  return [pc.bold('Try it, in another terminal'), `  ${programCommand(invocation)} ${words}`];
}

/** One line for every way to connect. What `install` writes, it shows first. */
function renderClients(url: string, at: Addresses, invocation: Invocation): string[] {
  const program = programCommand(invocation);
  const key = at.authentication === undefined ? '' : ` --header 'Authorization: Bearer \${${KEY_VARIABLE}}'`;
  const remote = ['claude-code', 'cursor', 'vscode'].map(
    (client) => `  ${program} install ${client} --url ${url}${key}`,
  );
  // A document from stdin cannot be piped in again.
  const isFromStdin = invocation.config.paths.includes('-');
  const words = ['install', 'claude-desktop', ...sameArguments(invocation)].map(shellQuote).join(' ');
  return [pc.bold('Connect a client'), ...remote, ...(isFromStdin ? [] : [`  ${program} ${words}`])];
}

function renderMore(invocation: Invocation): string[] {
  const program = programCommand(invocation);
  return [`More: ${program} tools (all tools and costs), --help (all commands)`];
}

/** Something that can be called as it is: a read without required arguments, best of an API on this very machine. */
function findEasy(operations: readonly CatalogOperation[]): CatalogOperation | undefined {
  const easy = operations
    .filter(({ endpoint }) => endpoint.effect === 'read' && !endpoint.path.includes('{') && isReady(endpoint))
    .slice(0, MAX_CANDIDATES)
    .filter(({ endpoint }) => {
      const { required } = endpoint.inputSchema as { required?: readonly string[] };
      return !required?.length;
    });
  return easy.find(({ endpoint }) => endpoint.baseUrl.startsWith('http://127.0.0.1')) ?? easy[0];
}

// landbridge install <client>: writes this gateway into the configuration of an MCP client. It shows the change first, asks at a
// terminal, and keeps a copy of the old file.

import { readFile, realpath, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { type Config, envFilesOf, type Flags, isOverridden, readConfig } from '../../config/read-config.ts';
import { refuseUnknownVariables } from '../../config/unknown-variables.ts';
import { secretsIn } from '../../credentials/secrets.ts';
import { bareHost } from '../../endpoint/address.ts';
import {
  type Environment,
  expand,
  findReferences,
  recordLookups,
  replaceReferences,
  VARIABLE_NAME,
} from '../../endpoint/environment.ts';
import { splitHeaderLine } from '../../endpoint/headers/header-fields.ts';
import { hint } from '../../endpoint/suggest.ts';
import { GatewayError, usageError } from '../../errors.ts';
import { backUp, replaceFile } from '../import/back-up.ts';
import { mayBeWritten, variableFor } from '../import/import-secrets.ts';
import type { Io } from '../io.ts';
import { withGateway } from '../open-gateway.ts';
import { readGatewayUrl, readHeaderFlags } from '../remote/remote-gateway.ts';
import { refuseFiles } from '../remote/with-remote.ts';
import { KEY_VARIABLE } from '../serve/banner.ts';
import { askToWrite, isPersonThere } from '../terminal/ask-person.ts';
import { stdioCommand } from '../terminal/invocation.ts';
import { diffLines } from '../terminal/line-diff.ts';
import { colours as pc } from '../terminal/palette.ts';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';
import { type InstallScope, MCP_CLIENTS, type McpClient } from './mcp-clients.ts';

export interface InstallFlags extends Flags {
  readonly url?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly withValues?: boolean;
  readonly uninstall?: boolean;
  readonly yes?: boolean;
}

export async function runInstall(
  io: Io,
  clientName: string,
  files: readonly string[],
  flags: InstallFlags,
): Promise<number> {
  const client = findClient(clientName);
  const name = flags.name ?? 'landbridge';
  if (!flags.uninstall) refuseName(client, name);
  const file = chooseFile(client, flags.scope, io.env);
  const entry = flags.uninstall ? undefined : await buildEntry(io, client, files, flags);
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new GatewayError('BAD_CONFIG', `Cannot read ${file}: ${error.message}.`, {}, error);
  });
  const edit = client.format === 'toml' ? editToml : editJson;
  const after = edit(before, file, client.section, name, entry?.value);
  if (after === before) {
    io.stdout.write(`There is nothing to change in ${file}.\n`);
    return 0;
  }
  io.stdout.write(`${[pc.bold(`${file}${before === '' ? ' (new)' : ''}`), ...diffLines(before, after)].join('\n')}\n`);
  for (const note of entry?.notes ?? []) io.stderr.write(`${note}\n`);
  if (!(flags.yes || (isPersonThere(io) && (await askToWrite(io))))) {
    io.stderr.write('Nothing was written. Add --yes to write it.\n');
    return 1;
  }
  const backup = await write(file, before, after, flags.withValues ?? false);
  const copy = backup === undefined ? '' : ` (backup: ${backup})`;
  io.stdout.write(`${pc.green('✓')} ${file}${copy}\n${client.next}\n`);
  if (entry !== undefined && flags.url !== undefined && !(await isListening(new URL(flags.url))))
    io.stderr.write(`Nothing answers at ${new URL(flags.url).host} yet. Start the gateway, or check the address.\n`);
  return 0;
}

const PROBE_MS = 1_000;

/** Whether a connection opens within a second. Nothing is sent. */
function isListening({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const host = bareHost(hostname);
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: PROBE_MS });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true));
    socket.once('timeout', () => finish(false));
    socket.once('error', () => finish(false));
  });
}

function findClient(name: string): McpClient {
  const names = Object.keys(MCP_CLIENTS);
  const client = Object.hasOwn(MCP_CLIENTS, name) ? MCP_CLIENTS[name] : undefined;
  if (client) return client;
  throw usageError(`There is no client "${name}"; ${hint(name, names)}`);
}

function refuseName({ title, names = /./ }: McpClient, name: string): void {
  if (names.test(name)) return;
  const near = name
    .split(/[^\w-]+/)
    .filter((part) => part !== '')
    .join('-')
    .slice(0, 64);
  const message = `${title} takes only letters, digits, "-" and "_" in the name of a server: write --name ${near || 'landbridge'}.`;
  throw usageError(message);
}

function chooseFile(client: McpClient, scope: string | undefined, env: Environment): string {
  const scopes = Object.keys(client.files);
  const file = client.files[(scope ?? 'user') as InstallScope];
  if (file && scopes.includes(scope ?? 'user')) return file(env);
  throw usageError(`--scope for ${client.title} must be ${scopes.join(' or ')}.`);
}

async function buildEntry(
  io: Io,
  client: McpClient,
  files: readonly string[],
  flags: InstallFlags,
): Promise<{ value: object; notes: readonly string[] }> {
  if (flags.url !== undefined) refuseFiles(files, flags);
  const config = readConfig({ ...flags, paths: files }, io.env, flags.url === undefined ? 'all' : 'nothing');
  const lines = isOverridden(config, 'headers') ? config.headers : [];
  refuseSecrets(lines, flags);
  if (flags.url !== undefined) {
    refuseUnknownVariables(config.unknownVariables);
    return describeRemote(client, flags.url, config, flags.withValues ?? false);
  }
  if (config.paths.includes('-')) throw usageError('A client cannot send the document on stdin: give a file or URL.');
  const { headers, values } = splitHeaders(lines, io.env);
  const { command, args } = stdioCommand({
    config: { ...config, headers },
    envFiles: envFilesOf(flags),
    verbose: false,
    script: io.script,
  });
  const lookups = new Set<string>();
  // Not only credentials need variables: base URLs and plain headers do too.
  const recording = recordLookups(config.env, lookups);
  const domains = await withGateway(io, { ...config, env: recording }, async (gateway) => gateway.domains);
  const ofHeaders = headers.flatMap((line) => findReferences(line).map(({ name }) => name));
  const ofDomains = domains.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ security }) => security.flat().flatMap((one) => secretsIn(one).map((each) => each.variable))),
  );
  // Variables of an env file are read by the gateway itself; a secret typed into a header has no variable.
  const isOurs = (name: string) =>
    VARIABLE_NAME.test(name) && (io.env[name] !== undefined || config.env[name] === undefined);
  const variables = [
    ...new Set([...ofHeaders, ...ofDomains, ...[...lookups, ...config.fileVariables].filter((name) => io.env[name])]),
  ].filter(isOurs);
  return describeLocal(client, command, args, variables, flags.withValues ? { ...io.env, ...values } : {});
}

/** Secrets on the command line are written only with --with-values: such files are shared and committed. */
function refuseSecrets(lines: readonly string[], { withValues }: InstallFlags): void {
  const line = lines.find((one) => !mayBeWritten(one));
  if (line === undefined || withValues) return;
  const { name, value } = splitHeaderLine(line);
  const scheme = /^(Bearer|Basic|Token) /i.exec(value)?.[1];
  const example = `${name}: ${scheme === undefined ? '' : `${scheme} `}\${${variableFor('', name)}}`;
  throw usageError(
    `The value of --header ${name} may be a secret, and other people may read the client's file. Set a variable and write --header '${example}', or add --with-values to write the value.`,
  );
}

/** Passes typed secrets as variables of the entry: a command line is visible to every user of the machine. */
function splitHeaders(
  lines: readonly string[],
  env: Environment,
): { headers: string[]; values: Record<string, string> } {
  const values: Record<string, string> = {};
  const headers = lines.map((line) => {
    if (mayBeWritten(line)) return line;
    const { name, value } = splitHeaderLine(line);
    const scheme = /^[A-Za-z][\w-]* (?=\S)/.exec(value)?.[0] ?? '';
    const variable = variableFor('landbridge', name);
    values[variable] = expand(value.slice(scheme.length), env).text;
    return `${name}: ${scheme}\${${variable}}`;
  });
  return { headers, values };
}

function describeRemote(
  client: McpClient,
  url: string,
  config: Config,
  withValues: boolean,
): { value: object; notes: readonly string[] } {
  const { env, profile } = config;
  const { lines, notes } = withKey(config);
  if (!client.remote)
    throw usageError(
      `${client.title} does not read URLs from this file: add the URL in its settings (Connectors). Without --url, it starts the gateway itself.`,
    );
  const refer = (text: string) =>
    replaceReferences(text, ({ name, fallback, start, end }) => {
      // No client reads files or fills in defaults.
      if (!VARIABLE_NAME.test(name) || fallback) return text.slice(start, end);
      return client.reference?.(name) ?? `\${${name}}`;
    });
  const references = lines.map(splitHeaderLine).map(({ name, value }) => [name, refer(value)] as const);
  const headers = withValues ? readHeaderFlags(lines, env) : Object.fromEntries(references);
  return { value: client.remote({ url: readGatewayUrl(url, profile), headers }), notes };
}

/** If the settings here require a key, the client is configured to send one from a variable, not from its file. */
function withKey({ headers, auth, apiKeys, apiKeysFile }: Config): { lines: readonly string[]; notes: string[] } {
  const isKey = (line: string) => /^(?:authorization|x-api-key)\s*:/i.test(line);
  const isOpen = auth === undefined && apiKeys.length === 0 && apiKeysFile === undefined;
  if (isOpen || headers.some(isKey)) return { lines: headers, notes: [] };
  return {
    lines: [...headers, `Authorization: Bearer \${${KEY_VARIABLE}}`],
    notes: [`Callers of that gateway need a key: set ${KEY_VARIABLE} in the environment of the client.`],
  };
}

function describeLocal(
  client: McpClient,
  command: string,
  args: readonly string[],
  variables: readonly string[],
  values: Environment,
): { value: object; notes: readonly string[] } {
  const isReferring = client.format === 'toml' || client.reference !== undefined;
  const own = Object.fromEntries(variables.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
  const others = variables.filter((name) => !Object.hasOwn(own, name));
  const env = {
    ...own,
    ...(client.format === 'toml'
      ? {}
      : Object.fromEntries(others.map((name) => [name, client.reference?.(name) ?? '']))),
  };
  const value = {
    ...client.local,
    command,
    args,
    ...(Object.keys(env).length > 0 && { env }),
    ...(client.format === 'toml' && others.length > 0 && { env_vars: others }),
  };
  const names = others.join(', ');
  const notes =
    others.length === 0
      ? []
      : [
          isReferring
            ? `${client.title} reads ${names} from its environment (--with-values writes the present values into the file).`
            : `${client.title} cannot read variables: fill in ${names} in that file, or use --with-values or --dotenv.`,
        ];
  return { value, notes };
}

/** Replaces the file as a whole; a symbolic link stays one. A file with secret values is readable for its owner only. */
async function write(file: string, before: string, after: string, holdsValues: boolean): Promise<string | undefined> {
  const target = await realpath(file).catch(() => file);
  const { mode } = await stat(target).catch(() => ({ mode: 0o644 }));
  const backup = before === '' ? undefined : await backUp(target);
  await replaceFile(target, after, holdsValues ? 0o600 : mode);
  return backup;
}

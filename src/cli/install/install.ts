// landbridge install <client>: writes this gateway into the configuration of an MCP client. Shows the change first, asks
// at a terminal, keeps a copy of what was there.
import { copyFile, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import { envFilesOf, type Flags, readConfig } from '../../config.ts';
import type { Environment } from '../../endpoint/environment.ts';
import { secretsIn } from '../../endpoint/secrets.ts';
import { hint } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import { load } from '../open-gateway.ts';
import { readGatewayUrl } from '../remote/remote-gateway.ts';
import { stdioCommand } from '../serve/banner.ts';
import { diffLines } from '../terminal/line-diff.ts';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';
import { MCP_CLIENTS, type McpClient, type Scope } from './mcp-clients.ts';

export interface InstallFlags extends Flags {
  readonly url?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly withValues?: boolean;
  readonly uninstall?: boolean;
  readonly yes?: boolean;
}

export async function runInstall(clientName: string, files: readonly string[], flags: InstallFlags): Promise<void> {
  const client = findClient(clientName);
  const name = flags.name ?? 'landbridge';
  const file = chooseFile(client, flags.scope, process.env);
  const entry = flags.uninstall ? undefined : await buildEntry(client, files, flags);
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new GatewayError('BAD_CONFIG', `Cannot read ${file}: ${error.message}.`, {}, error);
  });
  const edit = client.format === 'toml' ? editToml : editJson;
  const after = edit(before, file, client.section, name, entry?.value);
  const out = (text: string) => void process.stdout.write(text);
  if (after === before) return out(`${file} says so already: nothing to do.\n`);
  out(`${[pc.bold(`${file}${before === '' ? ' (new)' : ''}`), ...diffLines(before, after)].join('\n')}\n`);
  for (const note of entry?.notes ?? []) process.stderr.write(`${note}\n`);
  if (!(await mayWrite(flags))) {
    process.stderr.write('Nothing was written. Add --yes to write it.\n');
    process.exitCode = 1;
    return;
  }
  const backup = await write(file, before, after, flags.withValues ?? false);
  out(`${pc.green('✓')} ${file}${backup === undefined ? '' : ` (as it was: ${backup})`}\n${client.next}\n`);
}

function findClient(name: string): McpClient {
  const names = Object.keys(MCP_CLIENTS);
  const client = Object.hasOwn(MCP_CLIENTS, name) ? MCP_CLIENTS[name] : undefined;
  if (client) return client;
  throw new GatewayError('BAD_CONFIG', `There is no client "${name}" here; ${hint(name, names)}`, { usage: true });
}

function chooseFile(client: McpClient, scope: string | undefined, env: Environment): string {
  const scopes = Object.keys(client.files);
  const file = client.files[(scope ?? 'user') as Scope];
  if (file && scopes.includes(scope ?? 'user')) return file(env);
  throw new GatewayError('BAD_CONFIG', `--scope of ${client.title} must be ${scopes.join(' or ')}.`, { usage: true });
}

async function buildEntry(
  client: McpClient,
  files: readonly string[],
  flags: InstallFlags,
): Promise<{ value: object; notes: readonly string[] }> {
  const config = readConfig({ ...flags, paths: files }, process.env);
  const refer = (text: string) =>
    text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name) => client.reference?.(name) ?? `\${${name}}`);
  if (flags.url !== undefined) {
    if (!client.remote)
      throw new GatewayError(
        'BAD_CONFIG',
        `${client.title} takes addresses in its own settings (Connectors), not in this file; without --url it starts the gateway itself.`,
        { usage: true },
      );
    const headers = config.headers.map((line) => [
      line.slice(0, line.indexOf(':')).trim(),
      refer(line.slice(line.indexOf(':') + 1).trim()),
    ]);
    const url = readGatewayUrl(flags.url, config.profile);
    return { value: client.remote({ url, headers: Object.fromEntries(headers) as Record<string, string> }), notes: [] };
  }
  if (config.paths.includes('-'))
    throw new GatewayError('BAD_CONFIG', 'A client cannot pipe the document in: give a file or URL.', { usage: true });
  const { command, args } = stdioCommand({ config, envFiles: envFilesOf(flags), verbose: false });
  const loaded = await load(config);
  await loaded.close();
  const ofHeaders = config.headers.flatMap((line) =>
    [...line.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name!),
  );
  const ofDomains = loaded.domains.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ security }) => security.flat().flatMap((one) => secretsIn(one).map((each) => each.variable))),
  );
  // What an env file brings is read by the gateway itself.
  const isFromFile = (name: string) => process.env[name] === undefined && config.env[name] !== undefined;
  const variables = [...new Set([...ofHeaders, ...ofDomains])].filter((name) => !isFromFile(name));
  return describeLocal(client, command, args, variables, flags.withValues ?? false);
}

function describeLocal(
  client: McpClient,
  command: string,
  args: readonly string[],
  variables: readonly string[],
  withValues: boolean,
): { value: object; notes: readonly string[] } {
  const values = Object.fromEntries(
    variables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const isReferring = client.format === 'toml' || client.reference !== undefined;
  const own = withValues ? values : {};
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
            ? `${client.title} takes ${names} from the environment it is started in (--with-values writes what is set now).`
            : `${client.title} cannot refer to variables: fill in ${names} in that file, or use --with-values or --dotenv.`,
        ];
  return { value, notes };
}

async function mayWrite(flags: InstallFlags): Promise<boolean> {
  if (flags.yes) return true;
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Write this? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

/** As a whole or not at all; a link stays one. Values in it are nobody else's to read. */
async function write(file: string, before: string, after: string, holdsValues: boolean): Promise<string | undefined> {
  await mkdir(dirname(file), { recursive: true });
  const target = await realpath(file).catch(() => file);
  const { mode } = await stat(target).catch(() => ({ mode: 0o644 }));
  const backup = before === '' ? undefined : `${target}.backup`;
  if (backup !== undefined) await copyFile(target, backup);
  const draft = `${target}.${process.pid}.draft`;
  await writeFile(draft, after, { mode: holdsValues ? 0o600 : mode });
  await rename(draft, target);
  return backup;
}

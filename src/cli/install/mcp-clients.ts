// Where each MCP client keeps its servers, and in which form.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../../endpoint/environment.ts';
import { usageError } from '../../errors.ts';
import { variableFor } from '../import/import-secrets.ts';

export type InstallScope = 'user' | 'project';

export interface McpClient {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The key that holds the servers by name. */
  readonly section: string;
  /** The names that it accepts for a server; absent: any. */
  readonly names?: RegExp;
  readonly files: Partial<Record<InstallScope, (env: Environment) => string>>;
  /** How the client's file refers to a variable of its environment; absent if it cannot. */
  readonly reference?: (variable: string) => string;
  /** Absent: this client only starts servers itself. */
  readonly remote?: (plan: { url: string; headers: Readonly<Record<string, string>> }) => object;
  /** What a server that the client starts itself needs beside command, args and env. */
  readonly local?: object;
  readonly next: string;
}

/** os.homedir(), for the environment of the command. */
const home = ({ HOME, USERPROFILE }: Environment, ...path: string[]) =>
  join((process.platform === 'win32' ? USERPROFILE : HOME) || homedir(), ...path);
const here = (path: string) => () => resolve(path);

/** Where programs of this user keep their settings. */
function settings(env: Environment, ...path: string[]): string {
  if (process.platform === 'darwin') return home(env, 'Library', 'Application Support', ...path);
  if (process.platform === 'win32') return join(env.APPDATA || home(env, 'AppData', 'Roaming'), ...path);
  return join(env.XDG_CONFIG_HOME || home(env, '.config'), ...path);
}

const withHeaders = (headers: Readonly<Record<string, string>>) => (Object.keys(headers).length > 0 ? { headers } : {});

const WORD = /^[\w-]{1,64}$/;

export const MCP_CLIENTS: Readonly<Record<string, McpClient>> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    names: WORD,
    files: { user: (env) => home(env, '.claude.json'), project: here('.mcp.json') },
    // Without a default an unset variable would arrive as the text "${NAME}".
    reference: (variable) => `\${${variable}:-}`,
    local: { type: 'stdio' },
    remote: ({ url, headers }) => ({ type: 'http', url, ...withHeaders(headers) }),
    next: 'Restart claude; /mcp lists its servers.',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    files: { user: (env) => settings(env, 'Claude', 'claude_desktop_config.json') },
    next: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    files: { user: (env) => home(env, '.cursor', 'mcp.json'), project: here('.cursor/mcp.json') },
    reference: (variable) => `\${env:${variable}}`,
    remote: ({ url, headers }) => ({ url, ...withHeaders(headers) }),
    next: 'Restart Cursor, and switch the server on under MCP in its settings.',
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    files: { user: (env) => settings(env, 'Code', 'User', 'mcp.json'), project: here('.vscode/mcp.json') },
    reference: (variable) => `\${env:${variable}}`,
    local: { type: 'stdio' },
    remote: ({ url, headers }) => ({ type: 'http', url, ...withHeaders(headers) }),
    next: 'Start the server from "MCP: List Servers" in the command palette.',
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    names: WORD,
    files: {
      user: (env) => join(env.CODEX_HOME || home(env, '.codex'), 'config.toml'),
      project: here('.codex/config.toml'),
    },
    remote: ({ url, headers }) => ({ url, ...toCodexHeaders(headers) }),
    next: 'Restart codex; /mcp lists its servers.',
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    section: 'mcpServers',
    files: { user: (env) => home(env, '.gemini', 'settings.json'), project: here('.gemini/settings.json') },
    reference: (variable) => `$${variable}`,
    remote: ({ url, headers }) => ({ httpUrl: url, ...withHeaders(headers) }),
    next: 'Restart gemini; /mcp lists its servers.',
  },
};

const WHOLE_VARIABLE = /^(Bearer )?\$\{([A-Za-z_]\w*)\}$/;

/** Codex does not expand variables in text: it reads whole header values, or a bearer token, from named variables. */
function toCodexHeaders(headers: Readonly<Record<string, string>>): object {
  const http_headers: Record<string, string> = {};
  const env_http_headers: Record<string, string> = {};
  let bearer: string | undefined;
  for (const [name, value] of Object.entries(headers)) {
    const [, isBearer, variable] = WHOLE_VARIABLE.exec(value) ?? [];
    if (isBearer !== undefined && name.toLowerCase() === 'authorization') bearer = variable;
    else if (variable !== undefined && isBearer === undefined) env_http_headers[name] = variable;
    else if (!value.includes('${')) http_headers[name] = value;
    else
      throw usageError(
        `Codex accepts a variable only as the whole value of a header: put the whole value of ${name} into a variable, --header '${name}: \${${variableFor('', name)}}', or use --with-values.`,
      );
  }
  return {
    ...(bearer !== undefined && { bearer_token_env_var: bearer }),
    ...(Object.keys(env_http_headers).length > 0 && { env_http_headers }),
    ...(Object.keys(http_headers).length > 0 && { http_headers }),
  };
}

// What a running gateway serves, as far as a client can see it: for `tools` and `explain` with --url.

import { costOf, listCost } from '../../catalog/tokens.ts';
import { suggestion } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import { describeType } from '../../schema/explain/show.ts';
import type { SchemaObject } from '../../schema/references.ts';
import type { Io } from '../io.ts';
import { colours as pc } from '../terminal/palette.ts';
import { colourEffect, count, renderTable, shown, withCommas } from '../terminal/terminal.ts';
import { RpcFailure, type RpcParams, type SendRemoteRequest } from './remote-gateway.ts';

interface RemoteTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Limit for a server whose list never ends. */
const MAX_PAGES = 1_000;

export async function printRemoteTools({ stdout }: Io, request: SendRemoteRequest, json: boolean): Promise<number> {
  const tools = await listTools(request);
  const rows = tools.map((tool) => ({ name: tool.name, effect: effectOf(tool), tokens: costOf(tool) }));
  const tokens = listCost(tools);
  if (json) {
    stdout.write(`${JSON.stringify({ tools: rows, tokens })}\n`);
    return 0;
  }
  const lines = rows.map((row) => [shown(row.name), colourEffect(row.effect), String(row.tokens)]);
  const sum = `${pc.bold(count(tools.length, 'tool'))}: tools/list costs ${pc.bold(withCommas(tokens))} tokens.`;
  stdout.write(`${renderTable(['tool', 'effect', 'tokens'], lines)}\n\n${sum}\n`);
  return 0;
}

export async function printRemoteTool(
  io: Io,
  request: SendRemoteRequest,
  name: string,
  json: boolean,
): Promise<number> {
  const tools = await listTools(request);
  const tool = tools.find((one) => one.name === name);
  if (!tool) return printRemoteOperation(io, request, name, tools, json);
  io.stdout.write(json ? `${JSON.stringify(tool)}\n` : render(tool));
  io.stderr.write(
    'This is what the gateway sends to its clients. To see where each part comes from, run "landbridge explain" with the files of the gateway.\n',
  );
  return 0;
}

/** In search mode the gateway describes its operations itself; in a grouped tool they are actions. */
async function printRemoteOperation(
  { stdout, stderr }: Io,
  request: SendRemoteRequest,
  name: string,
  tools: readonly RemoteTool[],
  json: boolean,
): Promise<number> {
  const description = tools.some((tool) => tool.name === 'describe_operation')
    ? await request('tools/call', { name: 'describe_operation', arguments: { operation: name } })
    : undefined;
  if (description && description.isError !== true) {
    const [{ text }] = description.content as [{ text: string }];
    stdout.write(json ? `${JSON.stringify(description)}\n` : `${text}\n`);
    return 0;
  }
  // Calling a name that does not exist runs nothing; the refusal names the tool by which the operation can be called.
  const refusal = await request('tools/call', { name, arguments: {} }).catch((error: unknown) => error);
  const { call } =
    refusal instanceof RpcFailure ? (refusal.data as { call?: { name: string; arguments: RpcParams } }) : {};
  const group = tools.find((tool) => tool.name === call?.name);
  if (group && call) {
    stderr.write(`${name} is called through ${call.name} with ${JSON.stringify(call.arguments)}.\n`);
    stdout.write(json ? `${JSON.stringify(group)}\n` : render(group));
    return 0;
  }
  const names = tools.map((tool) => tool.name);
  throw new GatewayError(
    'BAD_CONFIG',
    `There is no tool "${name}" there.${suggestion(name, names)} "landbridge tools --url …" lists them.`,
  );
}

async function listTools(request: SendRemoteRequest): Promise<RemoteTool[]> {
  const tools: RemoteTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await request('tools/list', cursor === undefined ? {} : { cursor });
    if (Array.isArray(result.tools)) tools.push(...(result.tools as RemoteTool[]));
    cursor = result.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return tools;
}

/**
 * MCP's `destructiveHint` is also true for writes that replace values. Only a tool with a confirmation token is certainly
 * destructive.
 */
function effectOf({ annotations = {}, inputSchema }: RemoteTool): string {
  if (annotations.readOnlyHint === true) return 'read';
  if (annotations.destructiveHint === false) return 'write';
  const { properties = {} } = inputSchema as { properties?: object };
  return Object.hasOwn(properties, 'confirmation_token') ? 'destructive' : 'write or destructive';
}

function render(tool: RemoteTool): string {
  const { name, title, description, inputSchema } = tool;
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Readonly<Record<string, SchemaObject>>;
    required?: readonly string[];
  };
  const rows = Object.entries(properties).map(([key, schema]) => [
    `  ${shown(key)}`,
    shown(describeType(inputSchema, schema)),
    required.includes(key) ? 'required' : '',
    shown(typeof schema.description === 'string' ? schema.description : ''),
  ]);
  const parts = [
    `${pc.bold(shown(name))}${title === undefined ? '' : `  ${shown(title)}`}\n  ${pc.dim('effect'.padEnd(12))}${colourEffect(effectOf(tool))}`,
    ...(description === undefined ? [] : [`  ${shown(description)}`]),
    ...(rows.length === 0 ? [] : [renderTable(['  argument', 'type', '', 'about'], rows)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

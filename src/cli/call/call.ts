// landbridge call: one tool call through the same golden path as any client's, from the shell.
import { createInterface } from 'node:readline/promises';
import type { Content } from '../../call/outcome.ts';
import { type Flags, readConfig } from '../../config.ts';
import type { Args } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { META, MODERN_VERSION } from '../../protocol/eras.ts';
import { withGateway } from '../open-gateway.ts';
import { listCredentials } from '../serve/credential-lines.ts';
import { shown } from '../terminal/terminal.ts';
import { readFileArguments } from './file-arguments.ts';
import { createAnswerFile, withLargeAnswers } from './save-answer.ts';

export interface CallFlags extends Flags {
  readonly args?: string;
  readonly yes?: boolean;
  /** Where the bytes of the answer go. */
  readonly output?: string;
}

interface Result {
  readonly resultType: 'complete' | 'input_required';
  readonly content?: readonly Content[];
  readonly structuredContent?: { readonly confirmation_token?: string };
  readonly isError?: boolean;
  readonly inputRequests?: Readonly<Record<string, { params: { message: string } }>>;
  readonly requestState?: string;
}

export async function runCall(tool: string, pairs: readonly string[], flags: CallFlags): Promise<void> {
  const values = readArgs(pairs, flags.args);
  const file = flags.output === undefined ? undefined : createAnswerFile(flags.output);
  const call = async (gateway: Gateway) => {
    const endpoints = gateway.registry.operations.flatMap(({ name, endpoint }) => (name === tool ? [endpoint] : []));
    for (const line of listCredentials([{ endpoints }])) process.stderr.write(`credential ${shown(line)}\n`);
    const args = await readFileArguments(values, endpoints[0]?.inputSchema ?? true);
    const result = await callTool(gateway, tool, args, flags.yes ?? false);
    if (file !== undefined && !result.isError) file.save();
    print(result, flags.json ?? false, file === undefined ? process.stdout : process.stderr);
    if (result.isError) process.exitCode = 1;
    if (result.structuredContent?.confirmation_token)
      process.stderr.write('From the shell, repeat the command with --yes instead of the token.\n');
  };
  const config = readConfig({ ...flags, exposure: 'tools' }, process.env);
  await withGateway(
    config,
    call,
    file && { onAnswer: file.take, change: (domains) => withLargeAnswers(domains, tool) },
  );
}

function readArgs(pairs: readonly string[], json: string | undefined): Args {
  const args: Record<string, unknown> = Object.create(null);
  if (json !== undefined) {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (cause) {
      throw wrongUsage(`--args is not valid JSON: ${(cause as Error).message}.`, cause);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrongUsage('--args must be a JSON object, for example \'{"id":7}\'.');
    }
    Object.assign(args, value);
  }
  const keys = new Set<string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw wrongUsage(`"${pair}" is not an argument: write key=value, or use --args.`);
    const key = pair.slice(0, at);
    if (keys.has(key)) throw wrongUsage(`"${key}" is given twice: write a list as JSON, ${key}='["a","b"]'.`);
    keys.add(key);
    args[key] = pair.slice(at + 1);
  }
  return args;
}

/** Ends the program with exit code 2. */
function wrongUsage(message: string, cause?: unknown): GatewayError {
  return new GatewayError('BAD_CONFIG', message, { usage: true }, cause);
}

/** The CLI is a client like any other: it can be asked, and answers for the person in front of it. */
async function callTool(gateway: Gateway, name: string, args: Args, yes: boolean): Promise<Result> {
  const askable = yes || (process.stdin.isTTY === true && process.stderr.isTTY === true);
  const _meta = { [META.version]: MODERN_VERSION, [META.capabilities]: askable ? { elicitation: { form: {} } } : {} };
  const send = async (more: Readonly<Record<string, unknown>>): Promise<Result> => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...more, _meta } };
    const reply = await gateway.handle(JSON.stringify(message));
    const { result, error } = JSON.parse(reply?.body ?? '{}') as { result?: Result; error?: { message: string } };
    if (!result) throw new GatewayError('BAD_CONFIG', error?.message ?? 'There was no answer.');
    return result;
  };
  const first = await send({});
  if (first.resultType !== 'input_required') return first;
  const inputResponses: Record<string, unknown> = {};
  for (const [key, { params }] of Object.entries(first.inputRequests ?? {})) {
    const confirm = yes || (await askPerson(params.message));
    inputResponses[key] = confirm ? { action: 'accept', content: { confirm } } : { action: 'decline' };
  }
  return send({ inputResponses, requestState: first.requestState });
}

async function askPerson(message: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${message} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

function print(result: Result, json: boolean, stdout: NodeJS.WriteStream): void {
  if (json) {
    stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const out = result.isError ? process.stderr : stdout;
  for (const block of result.content ?? []) {
    if (block.type === 'text') out.write(`${block.text}\n`);
    else if (block.type === 'image' || block.type === 'audio')
      out.write(`[${block.mimeType}, ${Math.floor(block.data.length * 0.75)} bytes; --json prints it]\n`);
    else out.write(`${JSON.stringify(block)}\n`);
  }
}

// landbridge call: calls a tool from the shell, the same way as any client does. With --url it calls a running gateway.

import type { Content } from '../../call/outcome.ts';
import { type Flags, readConfig } from '../../config/read-config.ts';
import type { Args } from '../../endpoint/model.ts';
import { parseJson } from '../../endpoint/untrusted.ts';
import { usageError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { META, MODERN_VERSION } from '../../protocol/eras.ts';
import { readWords } from '../command-words.ts';
import type { Io, Output } from '../io.ts';
import { withGateway } from '../open-gateway.ts';
import { type AnswerQuestion, RpcFailure, type SendRemoteRequest } from '../remote/remote-gateway.ts';
import { type RemoteFlags, withRemote } from '../remote/with-remote.ts';
import { listCredentials } from '../serve/credential-lines.ts';
import { askPerson } from '../terminal/ask-person.ts';
import { shown } from '../terminal/terminal.ts';
import { readFileArguments } from './file-arguments.ts';
import { createAnswerFile, withLargeAnswers } from './save-answer.ts';

export interface CallFlags extends Flags, RemoteFlags {
  readonly args?: string;
  readonly yes?: boolean;
  /** Where the bytes of the answer go. */
  readonly output?: string;
}

interface Result {
  /** Absent: an older server, whose results are all complete. */
  readonly resultType?: 'complete' | 'input_required';
  readonly content?: readonly Content[];
  readonly structuredContent?: { readonly confirmation_token?: string; readonly failure_mode?: string };
  readonly isError?: boolean;
  readonly inputRequests?: Readonly<Record<string, { params: { message: string } }>>;
  readonly requestState?: string;
}

export async function runCall(io: Io, words: readonly string[], flags: CallFlags): Promise<number> {
  const { tool, files, pairs } = readWords('call', words);
  const values = readArgs(pairs, flags.args);
  const yes = flags.yes ?? false;
  const file = flags.output === undefined ? undefined : createAnswerFile(flags.output);
  const finish = (result: Result) => {
    if (file !== undefined && !result.isError) file.save(io.stdout);
    print(io, result, flags.json ?? false, file === undefined ? io.stdout : io.stderr);
    const { confirmation_token: token, failure_mode: mode } = result.structuredContent ?? {};
    if (token) io.stderr.write('From the shell, repeat the command with --yes instead of the token.\n');
    // Without a terminal nobody could be asked. A person who was asked has said no.
    else if (mode === 'not_confirmed' && !isAskable && !('confirmation_token' in values))
      io.stderr.write('From the shell, repeat the command with --yes if you agree.\n');
    return result.isError || file?.isCut() ? 1 : 0;
  };
  const answer: AnswerQuestion = (params) => answerQuestion(io, params, yes);
  const isAskable = yes || (io.stdin.isTTY === true && io.stderr.isTTY === true);
  if (flags.url !== undefined) {
    if (file !== undefined)
      throw usageError(
        '--output cannot be used with --url: a running gateway does not pass on the bytes that the API sent. Leave one of them out.',
      );
    const callThere = async (request: SendRemoteRequest) => finish(await callRemote(request, tool, values, answer));
    return inShellWords(withRemote(io, files, flags, callThere, isAskable ? answer : undefined));
  }
  const callHere = async (gateway: Gateway) => {
    const endpoints = gateway.registry.operations.flatMap(({ name, endpoint }) => (name === tool ? [endpoint] : []));
    for (const line of listCredentials([{ endpoints }])) io.stderr.write(`credential ${shown(line)}\n`);
    const args = await readFileArguments(values, endpoints[0]?.inputSchema ?? true);
    return finish(await callTool(toRequest(gateway, isAskable), tool, args, answer));
  };
  return inShellWords(
    withGateway(io, readConfig({ ...flags, paths: files }, io.env), callHere, {
      exposure: 'tools',
      ...(file && { onAnswer: file.take, change: (domains) => withLargeAnswers(domains, tool) }),
    }),
  );
}

/** The gateway answers in the words of MCP. A shell has a command for tools/list. */
async function inShellWords(run: Promise<number>): Promise<number> {
  try {
    return await run;
  } catch (error) {
    if (!(error instanceof RpcFailure) || !error.message.includes('tools/list')) throw error;
    const message = error.message.replace(/tools\/list shows/, '"landbridge tools" shows');
    throw new RpcFailure({ code: error.rpcCode, message, data: error.data });
  }
}

function readArgs(pairs: readonly string[], json: string | undefined): Args {
  const args: Record<string, unknown> = Object.create(null);
  if (json !== undefined) {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (cause) {
      throw usageError(`--args is not valid JSON: ${(cause as Error).message}.`, cause);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw usageError('--args must be a JSON object, for example \'{"id":7}\'.');
    }
    Object.assign(args, value);
  }
  const keys = new Set<string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`"${pair}" is not an argument: write key=value, or use --args.`);
    const key = pair.slice(0, at);
    if (keys.has(key)) throw usageError(`"${key}" is given twice: write a list as JSON, ${key}='["a","b"]'.`);
    keys.add(key);
    args[key] = pair.slice(at + 1);
  }
  return args;
}

/** This command is a client like any other: the gateway can ask it questions, and it asks the person at the terminal. */
function toRequest(gateway: Gateway, isAskable: boolean): SendRemoteRequest {
  const capabilities = isAskable ? { elicitation: { form: {} } } : {};
  const _meta = { [META.version]: MODERN_VERSION, [META.capabilities]: capabilities };
  return async (method, params) => {
    const reply = await gateway.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }));
    const { result, error } = JSON.parse(reply?.body ?? '{}') as { result?: Record<string, unknown>; error?: object };
    if (!result) throw new RpcFailure(error ?? { message: 'There was no answer.' });
    return result;
  };
}

/** Operations that a gateway serves through a grouped tool or call_operation are called by their own names as well. */
async function callRemote(
  request: SendRemoteRequest,
  name: string,
  args: Args,
  answer: AnswerQuestion,
): Promise<Result> {
  try {
    return await callTool(request, name, args, answer);
  } catch (error) {
    const { call } = error instanceof RpcFailure ? (error.data as { call?: { name?: unknown; arguments?: Args } }) : {};
    if (typeof call?.name !== 'string') throw error;
    const { arguments: pick = {} } = call;
    const wrapper = 'arguments' in pick ? { ...pick, arguments: args } : { ...pick, ...args };
    return callTool(request, call.name, wrapper, answer);
  }
}

async function callTool(request: SendRemoteRequest, name: string, args: Args, answer: AnswerQuestion): Promise<Result> {
  const call = { name, arguments: args };
  const first = (await request('tools/call', call)) as Result;
  if (first.resultType !== 'input_required') return first;
  const inputResponses: Record<string, unknown> = {};
  for (const [key, { params }] of Object.entries(first.inputRequests ?? {})) inputResponses[key] = await answer(params);
  return (await request('tools/call', { ...call, inputResponses, requestState: first.requestState })) as Result;
}

async function answerQuestion(
  io: Io,
  { message }: { message: string },
  yes: boolean,
): Promise<Record<string, unknown>> {
  const confirm = yes || (await askPerson(io, shown(message), io.stderr));
  return confirm ? { action: 'accept', content: { confirm } } : { action: 'decline' };
}

/** `stdout`: where the answer goes, if it is no error. */
function print({ stderr }: Io, result: Result, json: boolean, stdout: Output): void {
  if (json) {
    stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const out = result.isError ? stderr : stdout;
  for (const block of result.content ?? []) {
    if (block.type === 'text') {
      const { answer, notes } = splitNotes(block.text);
      out.write(`${answer}\n`);
      if (notes !== '') stderr.write(`${notes}\n`);
    } else if (block.type === 'image' || block.type === 'audio')
      out.write('[--output <file> saves it, --json prints it]\n');
    else if (block.type === 'resource' && 'blob' in block.resource) out.write('[--output <file> saves it]\n');
    else out.write(`${JSON.stringify(block)}\n`);
  }
}

/** Lines that may follow an answer: about paging, about what was cut, about arguments that were clamped. */
const MAX_NOTES = 6;

/** Splits a text into its JSON, for programs, and the notes after it, for people. */
function splitNotes(text: string): { answer: string; notes: string } {
  if (!/^\s*[[{"]/.test(text)) return { answer: text, notes: '' };
  let end = text.length;
  for (let lines = 0; lines <= MAX_NOTES && end > 0; lines++) {
    const answer = text.slice(0, end);
    if (parseJson(answer) !== undefined) return { answer, notes: text.slice(end + 1) };
    end = text.lastIndexOf('\n', end - 1);
  }
  return { answer: text, notes: '' };
}

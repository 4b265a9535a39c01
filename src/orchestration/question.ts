// Builds the question that a person reads before confirming a call: the request itself, what it does, with which
// arguments, and what is lost. A model chose the arguments, so they are shown as data that cannot imitate a line of the
// question.

import { isPlainData, toCanonicalJson } from '../call/digest.ts';
import { showHidden } from '../endpoint/hidden.ts';
import type { Args, Endpoint } from '../endpoint/model.ts';
import { wholeCharacters } from '../endpoint/plain-text.ts';
import { isSecret } from '../schema/explain/show.ts';

const MAX_ACTION_CHARS = 2_000;
const MAX_ARGUMENTS = 20;
const MAX_VALUE_CHARS = 200;

const LOSS: Readonly<Record<Endpoint['effect'], string>> = {
  read: 'This only reads.',
  write: 'This changes data at the API.',
  destructive: 'What this removes or overwrites is lost: it may be impossible to undo.',
};

export function buildQuestion(
  operation: Pick<Endpoint, 'summary' | 'effect'>,
  where: string,
  /** The request in one line: `DELETE https://…/pets/7`. */
  action: string,
  args: Args,
  original: Args = args,
  /** Headers that identify the caller to the API. */
  callerHeaders: Readonly<Record<string, string>> = {},
): string {
  const readable = toReadable(args, original);
  const names = Object.keys(readable);
  const lines = names
    .slice(0, MAX_ARGUMENTS)
    .map((name) => `  ${showHidden(name)}: ${showArgument(name, readable[name])}`);
  if (names.length > lines.length) lines.push(`  … and ${names.length - lines.length} more`);
  return [
    cut(action, MAX_ACTION_CHARS),
    `${operation.summary} (${where})`,
    ...(lines.length > 0 ? ['With:', ...lines] : []),
    ...Object.entries(callerHeaders).map(([name, value]) => `With header ${name}: ${showArgument(name, value)}`),
    `${LOSS[operation.effect]} Go on?`,
  ].join('\n');
}

/** The arguments as JSON. One that became a Set or a class instance is shown as the caller wrote it. */
export function toReadable(args: Args, original: Args): Args {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, isPlainData(value) ? value : original[name]]),
  );
}

function showArgument(name: string, value: unknown): string {
  if (isSecret(value, name)) return '(hidden)';
  return cut(showHidden(value === undefined ? 'nothing' : toCanonicalJson(value)), MAX_VALUE_CHARS);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${wholeCharacters(text, max)}… (${text.length} characters)`;
}

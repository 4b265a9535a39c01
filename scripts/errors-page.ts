// docs/errors.md: every failure by its code, with its messages as src/ has them, cause and fix.
import { ERRORS, type ErrorCode } from '../src/errors.ts';
import { GENERATED } from './editors-section.ts';
import { ERROR_FAMILIES, type Family } from './error-families.ts';
import { toAnchor, toRow } from './reference-page.ts';
import type { Thrown } from './thrown-messages.ts';

const INTRO = `# Errors

${GENERATED}

Search this page for a part of the message that you see. \`…\` stands for the parts that vary, such as names and numbers, and for the end of long messages.
Under each message are its cause and its fix. Guide by symptom: [troubleshoot](guides/troubleshoot.md).

There are four kinds of errors:

- **A tool call fails.** The model gets a result with \`isError: true\`. Its \`structuredContent\` has \`failure_mode\` and \`message\`.
- **The start or a command fails.** The program prints one message to stderr and ends. With \`--json\`, the error is on stdout:
  \`{"error": {"code", "message"}}\`, or \`problems\` instead of \`message\` if a file is wrong.
- **HTTP refuses the request.** The answer has an HTTP status and a JSON-RPC error.
- **The protocol refuses the message.** The answer is a JSON-RPC error. It has a code, and over HTTP a status.`;

type Code = ErrorCode | 'HTTP';

const PARTS: readonly (readonly [title: string, intro: string, belongs: (code: Code) => boolean])[] = [
  ['Tool calls', 'The heading is the `failure_mode`.', (code) => wireOf(code) === 'tool'],
  ['Start and commands', 'The heading is the `code`.', (code) => wireOf(code) === 'startup'],
  ['HTTP answers', 'These errors come before the gateway reads a message.', (code) => code === 'HTTP'],
  [
    'Protocol errors',
    'The heading is the name of the error in logs and metrics.',
    (code) => wireOf(code) === 'jsonrpc',
  ],
];
/** Of a line: what is behind it is advice. */
const MAX_LINE = 180;

export function renderErrorsPage(thrown: readonly Thrown[]): string {
  const codes = Object.keys(ERROR_FAMILIES) as Code[];
  const index = codes.map((code) =>
    toRow([`[${titleOf(code)}](#${toAnchor(titleOf(code))})`, numbersOf(code), ERROR_FAMILIES[code].what]),
  );
  const head = [toRow(['error', 'code, status', 'meaning']), toRow(['---', '---', '---'])];
  const parts = PARTS.flatMap(([title, intro, belongs]) => [
    `## ${title}`,
    intro,
    ...codes.filter(belongs).flatMap((code) => renderCode(code, thrown)),
  ]);
  return `${[INTRO, [...head, ...index].join('\n'), ...parts].join('\n\n')}\n`;
}

function renderCode(code: Code, thrown: readonly Thrown[]): string[] {
  const { what, families } = ERROR_FAMILIES[code];
  const numbers = numbersOf(code);
  return [
    `### ${titleOf(code)}`,
    `${what}${numbers === '' || code === 'HTTP' ? '' : ` (${numbers})`}`,
    ...families.flatMap((family) => renderFamily(family, messagesOf(code, family, thrown))),
  ];
}

function renderFamily({ see, cause, fix }: Family, messages: readonly string[]): string[] {
  const all = [...(see === undefined ? [] : [see]), ...messages];
  const different = all.filter((one, index) => all.findIndex((other) => opening(other) === opening(one)) === index);
  const shown = different.map((one) => one.replace(/.+/g, cut));
  return [
    ...(shown.length === 0 ? [] : [`\`\`\`\n${shown.join('\n')}\n\`\`\``]),
    `**Cause:** ${cause}<br>\n**Fix:** ${fix}`,
  ];
}

/** Cuts at a space. */
function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, line.lastIndexOf(' ', MAX_LINE))} …`;
}

/** Messages that begin alike differ in their advice. */
function opening(message: string): string {
  return message.replaceAll('…', '').trim().slice(0, 30);
}

/** Messages whose first family this is. Those without a word of their own say nothing to a reader. */
export function messagesOf(code: Code, family: Family, thrown: readonly Thrown[]): string[] {
  const messages = thrown
    .filter((one) => one.code === code && hasWords(one.message))
    .filter(({ message }) => ERROR_FAMILIES[code].families.find(({ match }) => match?.test(message)) === family)
    .map(({ message }) => message.trim());
  return [...new Set(messages)];
}

/** Whether anything of a message is fixed. */
export function hasWords(message: string): boolean {
  return message.replace(/^\d+|…/g, '').replace(/[^\p{L}]/gu, '').length > 5;
}

function wireOf(code: Code): string | undefined {
  return code === 'HTTP' ? undefined : ERRORS[code].wire;
}

function titleOf(code: Code): string {
  if (code === 'HTTP') return 'Before a message is read';
  const row = ERRORS[code];
  return row.wire === 'tool' ? row.mode : code;
}

interface Row {
  readonly wire: string;
  readonly code?: number;
  readonly status?: number;
  readonly legacy?: { readonly code?: number; readonly status?: number };
}

/** `-32602, HTTP 400` */
function numbersOf(code: Code): string {
  if (code === 'HTTP') return 'HTTP 400 to 503';
  const row: Row = ERRORS[code];
  const { code: number, status, legacy } = row;
  const old = legacy?.code ?? legacy?.status;
  const numbers = [
    ...(number === undefined ? [] : [String(number)]),
    ...(status === undefined ? [] : [`HTTP ${status}`]),
  ];
  return `${numbers.join(', ')}${old === undefined ? '' : `; ${old} for clients of 2025-11-25 and older`}`;
}

// What is wrong with arguments, and the text and details of a refused call: nothing was sent, what is wrong, what is required.
import type { JsonSchema } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { findKeyword, ownSchema } from '../references.ts';
import { cut, describeType, listWithin, namesOf } from './show.ts';

export type ProblemKind =
  | 'missing'
  | 'unknown'
  | 'type'
  | 'enum'
  | 'range'
  | 'length'
  | 'pattern'
  | 'format'
  | 'items'
  | 'variant'
  | 'forbidden'
  | 'limit'
  | 'rule';

/** One thing that is wrong with the arguments of a call, for the model (message) and for programs (the rest). */
export interface ArgumentProblem {
  /** `items[2].price`; empty for the arguments as a whole. */
  readonly path: string;
  readonly problem: ProblemKind;
  /** A whole line, without number. */
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
  readonly suggestion?: string;
}

/** A problem, and what it means for others. */
export interface ProblemCandidate extends ArgumentProblem {
  /** Missing arguments at these paths have the same cause, and need no line of their own. */
  readonly settles?: readonly string[];
  /** A consequence of other problems, which are more useful to report. */
  readonly isLeftover?: true;
}

export const MAX_PROBLEMS = 12;
const MAX_TEXT_CHARS = 4_000;
const MAX_LINE_CHARS = 480;
const MAX_REQUIRED_CHARS = 600;

/** Thrown for arguments that the schema of a tool refuses. */
export class ArgumentsError extends GatewayError {
  /** The message without the list of what is required, for callers that show the whole schema. */
  readonly problemText: string;

  constructor(problemText: string, message: string, details: Record<string, unknown>) {
    super('VALIDATION', message, details);
    this.problemText = problemText;
  }
}

/** The error of a refused call. */
export function refusal(tool: string, schema: JsonSchema, problems: readonly ArgumentProblem[]): ArgumentsError {
  const required = namesOf(findKeyword(schema, schema, 'required'));
  const lines = [`Invalid arguments for ${tool}; nothing was sent. Fix and call again:`, ...numbered(problems)];
  const toText = (all: readonly string[]) => cut(all.join('\n'), MAX_TEXT_CHARS);
  const errors = problems.slice(0, MAX_PROBLEMS);
  const message = toText([...lines, ...requiredLine(schema, required)]);
  return new ArgumentsError(toText(lines), message, { tool, errors, required });
}

function numbered(problems: readonly ArgumentProblem[]): string[] {
  const room = MAX_TEXT_CHARS - 200 - MAX_REQUIRED_CHARS;
  const lines: string[] = [];
  let length = 0;
  for (const [index, { message }] of problems.entries()) {
    if (index === MAX_PROBLEMS) return [...lines, '… and more.'];
    const line = `${index + 1}. ${cut(message.replaceAll('\n', ' '), MAX_LINE_CHARS)}`;
    if (length + line.length > room) return [...lines, `… and ${problems.length - index} more.`];
    lines.push(line);
    length += line.length + 1;
  }
  return lines;
}

/** `Required: {owner: string, repo: string}` */
function requiredLine(schema: JsonSchema, required: readonly string[]): string[] {
  if (required.length === 0) return [];
  const properties = findKeyword(schema, schema, 'properties');
  // More fields never fit.
  const fields = required
    .slice(0, 100)
    .map((name) => `${name}: ${cut(describeType(schema, ownSchema(properties, name) ?? true), 120)}`);
  return [`Required: {${listWithin(fields, MAX_REQUIRED_CHARS - 40)}}`];
}

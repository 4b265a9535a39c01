// The text of a grouped tool, in three layers: what it is for, which actions there are, and what each of them does and
// needs. It never exceeds what the strictest client shows: if all of it does not fit, the third layer moves to the discriminator's
// description, which no client cuts. A lean text has only the first and the third.

import { encode } from '@toon-format/toon';
import { cutText } from '../../endpoint/plain-text.ts';
import { says, TEXT_LIMIT } from '../../schema/description-budget.ts';
import { groupBy } from '../maps.ts';

/** The facts about an action that a description mentions. */
export interface ActionText {
  readonly key: string;
  /** The name inside its group; the key itself in a flat tool. */
  readonly name: string;
  readonly group?: string | undefined;
  readonly description?: string | undefined;
  /** Fields it needs beyond those that every action needs. */
  readonly required: readonly string[];
  readonly destructive: boolean;
}

/** What the description of a grouped tool is written from. */
export interface DescriptionInput {
  readonly toolName: string;
  readonly description?: string | undefined;
  readonly actions: readonly ActionText[];
  /** As few tokens as possible: no listing (the enum has the names), no `Requires:` (the fields name the actions that need them). */
  readonly lean?: boolean | undefined;
}

/** The description of a tool. */
export interface ToolText {
  readonly description: string;
  /** The lines of the actions, for the discriminator, if they did not fit. */
  readonly actionText?: string;
}

const WARNING = '⚠️ DESTRUCTIVE';

/**
 * Writes the description of a grouped tool. It is the default of `strategies.description`.
 *
 * ```ts
 * const { description } = buildDescription({
 *   toolName: 'users',
 *   actions: [{ key: 'list', name: 'list', required: [], destructive: false }],
 * });
 * console.assert(description.includes('list'));
 * ```
 */
export function buildDescription(input: DescriptionInput): ToolText {
  if (input.lean) return buildLeanDescription(input);
  const workflow = input.actions.map(toWorkflowLine).filter((line) => line !== undefined);
  const head = [buildSummary(input), buildListing(input.actions)];
  return splitText(head, workflow.length > 0 ? ['Workflow:', ...workflow] : []);
}

/** One line per action whose description adds something to its name. Destructive actions are always marked. */
function buildLeanDescription(input: DescriptionInput): ToolText {
  const lines = input.actions.flatMap(({ key, description = '', destructive }) => {
    const words = [says(key, description) ? '' : description, destructive ? WARNING : ''].filter((part) => part !== '');
    return words.length === 0 ? [] : [`${key}: ${words.join(' ')}`];
  });
  // An empty summary means that the tool's name is sufficient; the lines of the actions are then the whole description.
  const head = input.description === '' && lines.length > 0 ? [] : [buildSummary(input)];
  return splitText(head, lines);
}

function buildSummary({ toolName, description }: DescriptionInput): string {
  return description === undefined || description === '' ? toolName : description;
}

/** `Actions: list, create`, or `Modules: users (list,create) | billing (refund)`. */
function buildListing(actions: readonly ActionText[]): string {
  const modules = summarizeGroups(actions);
  if (modules.size === 0) return `Actions: ${actions.map((action) => action.key).join(', ')}`;
  const parts = [...modules].map(([group, members]) => `${group} (${members.map((member) => member.name).join(',')})`);
  return `Modules: ${parts.join(' | ')}`;
}

/** The actions of each group, in order; empty for a flat tool. */
function summarizeGroups<Action extends ActionText>(actions: readonly Action[]): Map<string, Action[]> {
  return groupBy(actions, ({ group }) => (group === undefined ? [] : [group]));
}

/** Actions with nothing but a name get no line. */
function toWorkflowLine(action: ActionText): string | undefined {
  const { key, description, required, destructive } = action;
  if (!description && required.length === 0 && !destructive) return undefined;
  const parts = [
    description && required.length > 0 && !/[.!?]$/.test(description) ? `${description}.` : description,
    required.length > 0 ? `Requires: ${required.join(', ')}` : undefined,
    destructive ? WARNING : undefined,
  ].filter((part) => part !== undefined && part !== '');
  return `- '${key}': ${parts.join(' ')}`;
}

/** Head and lines in one text if they fit. Otherwise all lines go to the discriminator. */
function splitText(head: readonly string[], lines: readonly string[]): ToolText {
  const whole = [...head, ...lines].join('\n');
  if (whole.length <= TEXT_LIMIT) return { description: whole };
  return { description: cutText(head.join('\n'), TEXT_LIMIT) || 'See `action`', actionText: lines.join('\n') };
}

interface ActionRow {
  readonly action: string;
  readonly desc: string;
  readonly required: string;
  readonly destructive: boolean;
}

/**
 * The actions as a TOON table, because TOON is good at flat rows.
 *
 * ```ts
 * const { description } = buildToonDescription({
 *   toolName: 'users',
 *   actions: [{ key: 'list', name: 'list', required: [], destructive: false }],
 * });
 * console.assert(description.includes('list'));
 * ```
 */
export function buildToonDescription(input: DescriptionInput): ToolText {
  const groups = summarizeGroups(input.actions);
  const rows =
    groups.size === 0
      ? input.actions.map((action) => toRow(action, action.key))
      : Object.fromEntries(
          [...groups].map(([name, members]) => [name, members.map((member) => toRow(member, member.name))]),
        );
  return splitText([buildSummary(input)], [encode(rows, { delimiter: '|' })]);
}

function toRow({ description, required, destructive }: ActionText, action: string): ActionRow {
  return { action, desc: description ?? '', required: required.join(','), destructive };
}

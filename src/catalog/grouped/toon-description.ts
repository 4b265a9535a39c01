// The text of a grouped tool with its actions as a TOON table: flat rows only, which is what TOON is good at.
import { encode } from '@toon-format/toon';
import {
  type ActionText,
  buildSummary,
  type DescriptionInput,
  place,
  summarizeGroups,
  type ToolText,
} from './grouped-description.ts';

interface ActionRow {
  readonly action: string;
  readonly desc: string;
  readonly required: string;
  readonly destructive: boolean;
}

export function buildToonDescription(input: DescriptionInput): ToolText {
  const groups = summarizeGroups(input.actions);
  const rows =
    groups.size === 0
      ? input.actions.map((action) => toRow(action, action.key))
      : Object.fromEntries(
          [...groups].map(([name, members]) => [name, members.map((member) => toRow(member, member.name))]),
        );
  return place([buildSummary(input)], [encode(rows, { delimiter: '|' })]);
}

function toRow({ description, required, destructive }: ActionText, action: string): ActionRow {
  return { action, desc: description ?? '', required: required.join(','), destructive };
}

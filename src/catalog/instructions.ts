// What the server says about itself, once, so that no tool has to repeat it.
import type { Domain } from '../endpoint/model.ts';
import { cutText, firstSentence, toPlainText } from '../endpoint/plain-text.ts';
import { HARD_LIMIT } from '../schema/description-budget.ts';
import type { ToolEntry } from './tool-entry.ts';

const MAX_DOMAIN_LINES = 40;

export function buildInstructions(domains: readonly Domain[], tools: readonly ToolEntry[]): string {
  const controls = new Set(
    tools.flatMap((tool) => tool.operations.flatMap((operation) => Object.keys(operation.controls))),
  );
  const names = new Set(tools.map(({ tool }) => tool.name));
  const rules = [
    'These tools call REST APIs. Arguments are checked strictly: unknown ones are refused before anything is sent.',
    names.has('search_operations') &&
      'Use search_operations to find an operation, describe_operation for its arguments, then call_operation.',
    names.has('describe_operation') &&
      tools.some(({ pickOf, tool }) => pickOf && tool.name !== 'call_operation') &&
      'describe_operation tells everything about one action of a tool ("tool.action").',
    controls.has('fields') &&
      '`fields` (comma-separated dot paths, e.g. "id,owner.name") keeps only those parts of an answer: use it on lists.',
    controls.has('dry_run') && '`dry_run: true` shows the HTTP request instead of sending it.',
    names.has('call_operation') && 'These stand beside or inside the `arguments` of call_operation.',
    controls.has('confirmation_token') &&
      'Calls that destroy data need the user’s consent: when one is refused with a confirmation_token, ask the user, then repeat the same call with it.',
  ].filter((rule) => typeof rule === 'string');
  const listed = domains.slice(0, MAX_DOMAIN_LINES).map((domain) => {
    const about = firstSentence(toPlainText(domain.description || domain.title));
    return `- ${domain.name}: ${cutText(about, 120)}`;
  });
  if (domains.length > MAX_DOMAIN_LINES) listed.push(`- and ${domains.length - MAX_DOMAIN_LINES} more`);
  const apis = listed.length > 0 ? ['APIs:', ...listed] : [];
  return cutLines([...rules, ...apis], HARD_LIMIT);
}

/** Whole lines only, so that what is left still reads. */
function cutLines(lines: readonly string[], limit: number): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > limit) break;
    text = longer;
  }
  return text;
}

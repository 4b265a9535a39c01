// The server's instructions: what is true for all tools, so that no tool has to repeat it.
import type { Domain } from '../endpoint/model.ts';
import { cutText, firstSentence, toPlainText } from '../endpoint/plain-text.ts';
import { CONTROL_NAMES, type ControlName } from '../orchestration/controls.ts';
import { TEXT_LIMIT } from '../schema/description-budget.ts';
import type { SEARCH_TOOLS } from './search/search-mode.ts';
import type { ToolEntry } from './tool-entry.ts';

const MAX_DOMAIN_LINES = 40;

export function buildInstructions(domains: readonly Domain[], tools: readonly ToolEntry[]): string {
  const names = new Set(tools.map(({ tool }) => tool.name));
  const hasRest = tools.some(({ operations }) => operations.length > 0);
  const rules = [
    `${hasRest ? 'These tools call REST APIs. ' : ''}Arguments are checked strictly: unknown ones are refused before anything is ${hasRest ? 'sent' : 'done'}.`,
    names.has('search_operations') &&
      'Use search_operations to find an operation, describe_operation for its arguments, then call_operation.',
    names.has('describe_operation') &&
      tools.some(({ pickOf, tool }) => pickOf && tool.name !== 'call_operation') &&
      'describe_operation tells everything about one action of a tool ("tool.action").',
    ...describeControls(tools.filter(({ tool }) => !LOOKUP_TOOLS.includes(tool.name))),
    names.has('call_operation') && 'Put these beside or inside the `arguments` of call_operation.',
  ].filter((rule) => typeof rule === 'string');
  const lines = domains.slice(0, MAX_DOMAIN_LINES).map((domain) => {
    const about = firstSentence(toPlainText(domain.description || domain.title));
    return `- ${domain.name}: ${cutText(about, 120)}`;
  });
  if (domains.length > MAX_DOMAIN_LINES) lines.push(`- and ${domains.length - MAX_DOMAIN_LINES} more`);
  const apis = lines.length > 0 ? ['APIs:', ...lines] : [];
  return cutLines([...rules, ...apis], TEXT_LIMIT);
}

/** Tools that call no operation. */
const LOOKUP_TOOLS: readonly string[] = [
  'search_operations',
  'describe_operation',
] satisfies (typeof SEARCH_TOOLS)[number][];

/** The gateway's own arguments. They are announced without a condition only if every tool lists them. */
function describeControls(callers: readonly ToolEntry[]): (string | false)[] {
  const listings = callers.map(({ controls = [] }) => controls);
  const countTakers = (name: ControlName) => listings.filter((keys) => keys.some((key) => key.endsWith(name))).length;
  const announce = (name: ControlName, text: string) =>
    countTakers(name) > 0 && (countTakers(name) < callers.length ? `Where a tool lists it, ${text}` : text);
  const isRest = callers.every(({ operations }) => operations.length > 0);
  const aliases = [...new Set(listings.flat())].filter((key) => !CONTROL_NAMES.includes(key as ControlName));
  return [
    announce(
      'fields',
      '`fields` (comma-separated dot paths, e.g. "id,owner.name") keeps only those parts of an answer: use it on lists.',
    ),
    announce(
      'dry_run',
      isRest
        ? '`dry_run: true` shows the HTTP request instead of sending it.'
        : '`dry_run: true` shows what would be done instead of doing it.',
    ),
    countTakers('confirmation_token') > 0 &&
      'Calls that destroy data need the user’s consent: when one is refused with a confirmation_token, ask the user, then repeat the same call with it.',
    aliases.length > 0 &&
      `If an API has an argument with such a name, the gateway’s own is called ${aliases.sort().join(', ')}.`,
  ];
}

/** Cuts between lines, so that no sentence is cut. */
function cutLines(lines: readonly string[], limit: number): string {
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (longer.length > limit) break;
    text = longer;
  }
  return text;
}

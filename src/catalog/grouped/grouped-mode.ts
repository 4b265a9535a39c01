// Grouped mode: one tool per planned group, made with the same GroupedToolBuilder that library users have.
import type { Domain } from '../../endpoint/model.ts';
import { MAX_TOOL_NAME, toToolName } from '../../endpoint/names.ts';
import { askFor } from '../../endpoint/suggest.ts';
import { says } from '../../schema/description-budget.ts';
import { describeBriefly, toUniqueTexts } from '../endpoint-text.ts';
import type { ToolEntry } from '../tool-entry.ts';
import { cutWords, withSuffix } from '../tool-names.ts';
import type { CatalogDomain } from '../tree.ts';
import { buildActionIndex, describeActionCall } from './action-index.ts';
import { GroupedToolBuilder } from './grouped-tool-builder.ts';
import { type PlannedGroup, planGroups, shortDomain } from './grouping.ts';
import type { Strategies } from './strategies.ts';

/** How detailed the tools are. */
export interface GroupedForm {
  readonly style: 'full' | 'lean';
  /** An operation with several tags is an action of the tool of each tag, not only of the first. */
  readonly everyTag: boolean;
  readonly maxLine: number;
  readonly detail: 'full' | 'slim';
}

/** For lists that have to be short. */
export const SHORTEST_FORM: GroupedForm = { style: 'lean', everyTag: false, maxLine: 52, detail: 'slim' };
/** The longest first. */
export const LONGER_FORMS: readonly GroupedForm[] = [
  { style: 'full', everyTag: true, maxLine: 200, detail: 'full' },
  { style: 'full', everyTag: true, maxLine: 100, detail: 'slim' },
  { ...SHORTEST_FORM, everyTag: true },
];

export function buildGrouped(
  domains: readonly CatalogDomain[],
  reservedNames: Iterable<string>,
  form: GroupedForm,
  strategies: Partial<Strategies> = {},
): ToolEntry[] {
  const names = new Set(reservedNames);
  const elsewhere = async (tool: string, choice: string) => {
    const action = await (await buildActionIndex(entries)).guess(tool, choice);
    if (action === undefined) return undefined;
    return action.tool === tool ? askFor(`"${action.action}"`) : `call ${describeActionCall(action)}.`;
  };
  const entries: ToolEntry[] = domains.flatMap(({ domain, group, operations }) =>
    planGroups(group, operations, form.everyTag).map((plan) => {
      const name = nameGroup(plan, names);
      names.add(name);
      return buildGroup(
        domain,
        plan,
        new GroupedToolBuilder(name, { strategies, detail: form.detail, elsewhere }),
        form,
      );
    }),
  );
  return entries;
}

function buildGroup(domain: Domain, plan: PlannedGroup, builder: GroupedToolBuilder, form: GroupedForm): ToolEntry {
  builder.annotations({ openWorldHint: true });
  if (form.style === 'lean') builder.leanDescription();
  const actions = nameActions(plan);
  const endpoints = plan.members.map(({ endpoint }) => endpoint);
  const lines = endpoints.map((endpoint) => describeBriefly(endpoint, form.maxLine));
  const uniqueLines = toUniqueTexts(endpoints, lines, MAX_SHARED_LINE);
  const texts = plan.members.map(({ endpoint }, index) => {
    const text = endpoint.deprecated ? `${uniqueLines[index]} (deprecated)` : uniqueLines[index]!;
    return says(actions[index]!, text) ? undefined : text;
  });
  plan.members.forEach((operation, index) => {
    const description = texts[index];
    builder.action({ name: actions[index]!, operation, ...(description !== undefined && { description }) });
  });
  // In the lean form, the lines of the actions replace the description, if there are any and the tool's name contains its labels.
  const isRedundant =
    form.style === 'lean' &&
    texts.some((text) => text !== undefined) &&
    plan.labels.length > 0 &&
    plan.labels.every((label) => builder.getName().includes(label));
  builder.description(isRedundant ? '' : describePurpose(domain, plan));
  return builder.toEntry(plan.domain);
}

/** `Read orders, refunds of Shop`. */
function describePurpose({ title }: Domain, { kind, labels, members }: PlannedGroup): string {
  const destroys = members.some(({ endpoint }) => endpoint.effect === 'destructive');
  const verb = kind === 'read' ? 'Read' : destroys ? 'Change or delete' : 'Change';
  const things = labels.map((label) => label.replaceAll('_', ' ')).join(', ');
  return things === '' ? `${verb} data of ${title}` : `${verb} ${things} of ${title}`;
}

/** A line that several actions share is made unique by method and path, which makes it longer. */
const MAX_SHARED_LINE = 260;

/** `github_issues_read`: the domain, as many whole words of the labels as fit, and what the actions do. */
function nameGroup({ domain, kind, labels }: PlannedGroup, names: ReadonlySet<string>): string {
  const room = MAX_TOOL_NAME - kind.length - 1;
  let front = labels.length === 0 ? toToolName(domain) : shortDomain(domain);
  for (const label of labels.filter((one) => one !== domain).slice(0, MAX_LABELS)) {
    const longer = `${front}_${label}`;
    if (longer.length > room) break;
    front = longer;
  }
  const name = `${cutWords(front, room)}_${kind}`;
  if (!names.has(name)) return name;
  let count = 2;
  while (names.has(withSuffix(name, String(count)))) count++;
  return withSuffix(name, String(count));
}

const MAX_LABELS = 3;

/** Action names without what the tool's name already contains, unless that makes two of them the same. */
function nameActions({ domain, labels, members }: PlannedGroup): string[] {
  const whole = members.map(({ endpoint }) => endpoint.action);
  const prefixes = [...new Set([...labels.slice(0, 1), domain])];
  const short = stripSharedEnd(
    whole.map((name) => {
      const prefix = prefixes.find((candidate) => name.startsWith(`${candidate}_`));
      return prefix === undefined ? name : name.slice(prefix.length + 1);
    }),
    labels,
  );
  return new Set(short).size === short.length ? short : whole;
}

/**
 * Removes the words that all names end in, because they do not distinguish them (`_for_authenticated_user`). A single shared word is
 * usually the thing itself, so it is removed only if the tool's labels contain it: in a tool for the store, `delete` alone would not
 * mean `delete_order`.
 */
function stripSharedEnd(names: readonly string[], labels: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const wordLists = names.map((name) => name.split('_'));
  const [first] = wordLists as [string[], ...string[][]];
  let count = 0;
  while (
    count < first.length - 1 &&
    wordLists.every((words) => words.length > count + 1 && words.at(-1 - count) === first.at(-1 - count))
  )
    count++;
  const isInLabels = (word: string) => labels.some((label) => label.split('_').some((part) => isSameWord(part, word)));
  if (count === 1 && !isInLabels(first.at(-1)!)) return [...names];
  return wordLists.map((words) => words.slice(0, words.length - count).join('_'));
}

function isSameWord(a: string, b: string): boolean {
  return a.replace(/s$/, '') === b.replace(/s$/, '');
}

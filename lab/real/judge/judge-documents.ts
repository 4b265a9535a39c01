// The documents that are judged, and what came of it as a table.
import { existsSync } from 'node:fs';
import { OWN, SHARED } from '../../../test/support/corpus.ts';
import type { Report } from '../drive.ts';
import { installPart } from '../install.ts';
import { orSkip, Skip } from '../servers.ts';
import { toTable } from '../table.ts';
import { type Judgement, judgeDocument } from './prism.ts';
import { explainLimit } from './prism-limits.ts';

/** Not harbour-2.0: a list in a header that is left out ends Prism. */
const SMALL = ['library-3.0', 'cafe-3.1', 'cafe-split-3.1', 'examples-3.0'];
const LARGE = [
  'petstore-3.0',
  'museum-3.1',
  'notion-3.1',
  'httpbin-3.0',
  'docker-engine-2.0',
  'slack-web-2.0',
  'peertube-3.0',
  'twilio-v2010-3.0',
  'box-3.0',
  'gitea-2.0',
];

export const DOCUMENTS: readonly string[] = [...SMALL, ...LARGE];

export interface JudgeOptions {
  /** Only these; all where it is empty. */
  readonly only: readonly string[];
  readonly quick: boolean;
  /** Shows every refusal that was excused. */
  readonly verbose: boolean;
}

export async function judgeDocuments(
  { only, quick, verbose }: JudgeOptions,
  say: (line: string) => void,
): Promise<Report> {
  const isChosen = (id: string) => only.length === 0 || only.includes(id);
  const skipped: string[] = [];
  const small = OWN.documents
    .filter(({ id }) => SMALL.includes(id) && isChosen(id))
    .map(({ id, file }) => [id, OWN.folder + file]);
  const large = SHARED.documents
    .filter(({ id }) => LARGE.includes(id) && isChosen(id))
    .map(({ id, file }) => [id, SHARED.folder + file]);
  if (quick) skipped.push('prism: ten large documents: --quick judges the small ones');
  else if (!SHARED.present) skipped.push(`prism: ten large documents: ${SHARED.name} are not here`);
  const judgements: Judgement[] = [];
  const problems: string[] = [];
  try {
    const folder = await orSkip(installPart('prism', say));
    for (const [id, file] of quick ? small : [...small, ...large]) {
      if (!existsSync(file!)) throw new Error(`${file} is missing`);
      say(`Judging ${id}…`);
      const judgement = await judgeDocument(id!, file!, folder).catch((error: Error) => error);
      if (judgement instanceof Error) problems.push(`prism: ${id}: ${judgement.stack}`);
      else judgements.push(judgement);
    }
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    skipped.push(`prism: ${error.message}`);
  }
  for (const { document, requests, ours } of judgements) {
    problems.push(...ours.map((line) => `prism: ${document}: ${line}`));
    // A run that sends nothing proves nothing.
    if (requests === 0) problems.push(`prism: ${document}: no request was sent`);
  }
  const ran = judgements.reduce((sum, { requests }) => sum + requests, 0);
  const excuses = verbose
    ? judgements.flatMap(({ excused }) => [...excused].flatMap(([name, all]) => all.map((one) => `${name}: ${one}`)))
    : [];
  return { text: [...toText(judgements), ...excuses, ...problems].join('\n'), ran, failures: problems.length, skipped };
}

function toText(judgements: readonly Judgement[]): string[] {
  if (judgements.length === 0) return [];
  const head = ['document', 'operations', 'tried', 'requests', 'accepted', 'refused, not ours', 'not sent', 'ours'];
  const rows = judgements.map((one) => [
    one.document,
    ...[one.operations, one.tried, one.requests, one.accepted].map(String),
    list(new Map([...one.excused].map(([name, { length }]) => [name, length]))),
    list(one.unsent),
    String(one.ours.length),
  ]);
  const names = new Set(judgements.flatMap(({ excused }) => [...excused.keys()]));
  return [toTable(head, rows), '', ...[...names].map((name) => `${name}: ${explainLimit(name)}`)];
}

function list(numbers: ReadonlyMap<string, number>): string {
  return [...numbers].map(([name, number]) => `${number} ${name}`).join(', ') || '-';
}

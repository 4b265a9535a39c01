// What import --update prints: which operations were added, removed and changed, and which lines of the domain file no longer fit.

import type { Mistake } from '../../domain/files/mistakes.ts';
import { digestLines } from '../terminal/digest-lines.ts';
import { colours as pc } from '../terminal/palette.ts';
import { shown } from '../terminal/terminal.ts';
import type { DocumentChanges, ReportedOperation } from './compare-documents.ts';

export interface UpdateReport extends Omit<DocumentChanges, 'successors'> {
  readonly domainFile: string;
  readonly document: string;
  readonly importedFrom: string;
  /** Whether anything was written. */
  readonly updated: boolean;
  readonly backups: readonly string[];
  /** Lines of the domain file that no longer fit. */
  readonly stale: readonly Mistake[];
  readonly warnings: readonly string[];
}

const MAX_LISTED = 20;

export function renderReport(report: UpdateReport, all: boolean): string {
  const { domainFile, document, importedFrom, updated, backups, came, went, changed, stale, warnings } = report;
  const rows = (mark: string, list: readonly (ReportedOperation & { changes?: readonly string[] })[], what: string) => {
    if (list.length === 0) return [];
    const some = all ? list : list.slice(0, MAX_LISTED);
    const more = list.length - some.length;
    return [
      `${list.length} ${list.length === 1 ? 'operation' : 'operations'} ${what}:`,
      ...some.map(({ tool, operation, effect, changes }) =>
        shown(`  ${mark} ${tool}  ${operation}  ${changes === undefined ? `(${effect})` : changes.join('; ')}`).replace(
          /^ /,
          '  ',
        ),
      ),
      ...(more > 0 ? [pc.dim(`  … and ${more} more (--verbose lists all)`)] : []),
    ];
  };
  const quiet = came.length + went.length + changed.length === 0;
  const lines = [
    updated
      ? `${pc.green('✓')} ${document}, from ${shown(importedFrom)}`
      : `${document} is the same as ${shown(importedFrom)}: nothing was written.`,
    ...backups.map((path) => `${pc.dim('backup:')} ${path}`),
    ...rows(pc.green('+'), came, 'added'),
    ...rows(pc.red('-'), went, 'removed'),
    ...rows(pc.yellow('~'), changed, 'changed'),
    ...(updated && quiet ? ['No operation was added, removed or changed.'] : []),
    ...digestLines(warnings, pc.yellow('!'), all),
    ...stale.map(({ line, field, message }) =>
      shown(
        `${pc.red('✗')} ${domainFile}${line === undefined ? '' : `:${line}`}: ${field === undefined ? '' : `${field} `}${message}`,
      ),
    ),
    stale.length === 0
      ? `${domainFile} was not changed.`
      : `${domainFile} was not changed. It does not load until you change ${stale.length === 1 ? 'this line' : 'these lines'}.`,
  ];
  return `${lines.join('\n')}\n`;
}

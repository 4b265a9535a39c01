// Operations of a document that cannot work as it describes them.
import type { DiagnoseInput, Finding } from '../finding.ts';

export function* checkQuarantine({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, quarantined } of domains) {
    for (const { method, path, reason } of quarantined) {
      yield {
        check: 'quarantine',
        severity: 'warning',
        where: name,
        message: `${method} ${path} is left out: ${reason}`,
        fix: 'repair the document with an overlay, or exclude the operation; until then models do not see it',
      };
    }
  }
}

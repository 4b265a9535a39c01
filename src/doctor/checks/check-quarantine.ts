// Operations of a document that cannot work as it describes them, and what else the import warns of.
import { unsetVariables } from '../../credentials/secrets.ts';
import type { Domain } from '../../endpoint/model.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';

export function* checkQuarantine({ domains }: DiagnoseInput): Generator<Finding> {
  for (const domain of domains) {
    const { name, quarantined } = domain;
    for (const text of importWarnings(domain)) {
      yield {
        check: 'quarantine',
        severity: 'warning',
        where: text.slice(0, text.indexOf(': ')),
        message: text.slice(text.indexOf(': ') + 2),
        fix: 'correct these lines of the domain file',
      };
    }
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

/** The warnings that point to a place in the domain file. Those about missing credentials have a check of their own. */
function importWarnings({ source, warnings, endpoints }: Domain): string[] {
  const variables = new Set(endpoints.flatMap(({ security }) => security.flat().flatMap(unsetVariables)));
  const places = warnings.filter((text) => text.startsWith(`${source} `) || /^:\d/.test(text.slice(source.length)));
  return places.filter((text) => ![...variables].some((variable) => text.includes(variable)));
}

// Operations that wait for credentials: every alternative, with the variables it takes.
import type { Endpoint } from '../../endpoint/model.ts';
import { unsetVariables } from '../../endpoint/secrets.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';

export function* checkCredentials({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoints } of domains) {
    const waiting = new Map<string, number>();
    for (const endpoint of endpoints) {
      const words = describeWait(endpoint);
      if (words !== undefined) waiting.set(words, (waiting.get(words) ?? 0) + 1);
    }
    for (const [words, count] of waiting) {
      const who = count === 1 ? '1 operation waits' : `${count} operations wait`;
      const fix = 'set the variables, or name others in the domain file (credentials.<name>.env)';
      yield { check: 'credentials', severity: 'warning', where: name, message: `${who} for ${words}`, fix };
    }
  }
}

/** Alternatives are ORed: an operation waits only when none of them is complete. */
function describeWait({ security }: Endpoint): string | undefined {
  const alternatives = security.map((set) => [...new Set(set.flatMap(unsetVariables))]);
  if (alternatives.length === 0 || alternatives.some((variables) => variables.length === 0)) return undefined;
  return [...new Set(alternatives.map((variables) => variables.join(' and ')))].join(', or ');
}

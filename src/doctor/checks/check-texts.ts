// Texts that a model reads and a person may have missed: hidden characters, and sentences that steer the model.
import type { DiagnoseInput, Finding } from '../finding.ts';
import { propertiesOf } from '../properties-of.ts';
import { findHiddenCharacters, findSuspiciousText } from '../suspicious.ts';

export function* checkTexts({ domains, registry }: DiagnoseInput): Generator<Finding> {
  const fix = 'read the text, and rewrite it in the domain file or an overlay; a model may take it as an instruction';
  const about = { check: 'suspicious', severity: 'error', fix } as const;
  for (const { name, document } of domains) {
    const hidden = document && findHiddenCharacters(document.text);
    if (hidden) yield { ...about, where: name, message: hidden };
  }
  for (const { name, endpoint } of registry.operations) {
    const host = URL.canParse(endpoint.baseUrl) ? new URL(endpoint.baseUrl).hostname : '';
    const descriptions = Object.values(propertiesOf(endpoint)).map((schema) => schema?.description);
    for (const text of [endpoint.summary, endpoint.description, ...descriptions]) {
      const problem =
        typeof text === 'string' ? (findHiddenCharacters(text) ?? findSuspiciousText(text, host)) : undefined;
      if (problem === undefined) continue;
      yield { ...about, where: name, message: problem };
      break;
    }
  }
}

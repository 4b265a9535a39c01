// Operations and arguments without a description by which a model could choose them.
import { trimEnd } from '../../endpoint/plain-text.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';
import { propertiesOf } from '../properties-of.ts';

const MIN_DESCRIPTION = 12;
const MAX_MISSING = 3;
const SHOWN = 6;

export function* checkDescriptions({ registry }: DiagnoseInput): Generator<Finding> {
  const about = { check: 'description', severity: 'warning' } as const;
  for (const { name, endpoint } of registry.operations) {
    const text = `${endpoint.summary} ${endpoint.description ?? ''}`.trim();
    const synthetic = trimEnd(text, '. \n').toUpperCase() === `${endpoint.method} ${endpoint.path}`.toUpperCase();
    if (synthetic || text.length < MIN_DESCRIPTION) {
      const message = synthetic ? 'has no description' : `says only "${text}"`;
      const fix =
        'describe what it does, when to use it and what it returns (operations.<name>.description); models choose tools by their descriptions';
      yield { ...about, where: name, message, fix };
    }
    const properties = propertiesOf(endpoint);
    // What the API fills in itself is not shown to the model.
    const missing = Object.keys(properties).filter(
      (key) => properties[key]?.readOnly !== true && !hasText(properties[key]?.description),
    );
    if (missing.length <= MAX_MISSING) continue;
    const some = `${missing.slice(0, SHOWN).join(', ')}${missing.length > SHOWN ? ', …' : ''}`;
    const fix =
      'describe them in the domain file (operations.<name>.args), so that models do not have to guess their values';
    yield { ...about, where: name, message: `${missing.length} arguments have no description: ${some}`, fix };
  }
}

function hasText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

// Operations and arguments without a description by which a model could choose them.
import { isObject } from '../../endpoint/is-object.ts';
import type { Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { conjuncts } from '../../schema/references.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';
import { propertiesOf } from '../properties-of.ts';

const MIN_DESCRIPTION = 12;
const MAX_MISSING = 3;
const SHOWN = 6;
/** Schemas that are read for the description of one argument. */
const MAX_PARTS = 20;

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
      (key) => properties[key]?.readOnly !== true && !isDescribed(endpoint, key),
    );
    if (missing.length <= MAX_MISSING) continue;
    const some = `${missing.slice(0, SHOWN).join(', ')}${missing.length > SHOWN ? ', …' : ''}`;
    const fix =
      'describe them in the domain file (operations.<name>.args), so that models do not have to guess their values';
    yield { ...about, where: name, message: `${missing.length} arguments have no description: ${some}`, fix };
  }
}

/** The document may describe an argument beside its `$ref`, behind it, or in a part of `allOf`. */
function isDescribed({ inputSchema }: Endpoint, key: string): boolean {
  const schema = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties[key] : undefined;
  const parts = conjuncts(inputSchema, [schema as JsonSchema], () => [], MAX_PARTS);
  return [...parts].some((part) => isObject(part) && hasText(part.description));
}

function hasText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

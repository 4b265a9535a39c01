// Whether a value that is not an argument of a call (a default, a fixed value, a setting of a domain file) fits a schema:
// the same validator and the same words as for arguments.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { explain } from '../explain/explain-errors.ts';
import { DEFINITION_KEYWORDS } from '../keywords.ts';
import { createCheck } from './compile-schema.ts';
import { allowEffort, TOO_MUCH_EFFORT } from './effort.ts';
import { resetPatternBudget } from './pattern.ts';

/**
 * What is wrong with a value, as the end of a sentence (`must be integer; got string "a"`); undefined when it fits, or
 * when the schema cannot be used. Definitions are those of `root`.
 */
export function explainMisfit(value: unknown, schema: JsonSchema, root: JsonSchema = schema): string | undefined {
  const whole = withDefinitions(schema, root);
  allowEffort();
  resetPatternBudget();
  try {
    if (createCheck(whole)(value)) return undefined;
    const [problem] = explain(whole, value, { max: 1, subject: '' });
    return problem?.message ?? 'does not fit its schema';
  } catch (error) {
    return error === TOO_MUCH_EFFORT ? 'takes too long to be checked; simplify it' : undefined;
  }
}

function withDefinitions(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!isObject(schema) || !isObject(root)) return schema;
  const definitions = [...DEFINITION_KEYWORDS].filter((keyword) => Object.hasOwn(root, keyword));
  return { ...Object.fromEntries(definitions.map((keyword) => [keyword, root[keyword]])), ...schema };
}

// What of a schema will not be enforced, for whoever checks a catalog before it is used.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { DEFINITION_KEYWORDS, subschemas } from '../keywords.ts';
import { compileAll } from './compile-schema.ts';
import { safePattern } from './pattern.ts';
import { repairSchema, sizeProblem } from './repair.ts';

/** Compiles all of a schema and returns its weak spots by JSON pointer; empty when there are none. */
export function auditSchema(schema: JsonSchema): readonly string[] {
  const size = sizeProblem(schema);
  if (size === 'too large') return ['#: the schema is too large to be compiled; calls are refused'];
  const patterns = size === undefined ? patternNotes(schema) : [];
  if (size === undefined && tryCompile(schema) === undefined) return patterns;
  const { schema: repaired, notes } = repairSchema(schema);
  const problem = tryCompile(repaired);
  return [
    ...notes,
    ...patterns,
    ...(problem === undefined ? [] : [`#: cannot be compiled (${problem}); calls are refused`]),
  ];
}

function tryCompile(schema: JsonSchema): string | undefined {
  try {
    compileAll(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Patterns that no engine understands, and those that no engine can be trusted with. */
function patternNotes(root: JsonSchema): string[] {
  const notes = new Set<string>();
  const visit = (schema: unknown, at: string): void => {
    if (!isObject(schema)) return;
    const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    for (const source of typeof schema.pattern === 'string' ? [schema.pattern, ...patterns] : patterns) {
      const { engine } = safePattern(source);
      if (engine === 'none') notes.add(`${at}/pattern: not a usable regular expression; values are refused`);
      if (engine === 'unchecked')
        notes.add(`${at}/pattern: may take forever on some values, so it is not enforced; the API itself decides`);
    }
    for (const [keyword, key, inner] of subschemas(schema))
      visit(inner, key === undefined ? `${at}/${keyword}` : `${at}/${keyword}/${key}`);
    for (const keyword of DEFINITION_KEYWORDS) {
      const definitions = schema[keyword];
      if (isObject(definitions))
        for (const name of Object.keys(definitions)) visit(definitions[name], `${at}/${keyword}/${name}`);
    }
  };
  visit(root, '#');
  return [...notes];
}

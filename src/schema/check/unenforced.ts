// What of a schema will not be enforced, for whoever checks a catalog before it is used.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { isSchema } from '../schema-view.ts';
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

/** Patterns that no engine understands, and those that run natively under a deadline. */
function patternNotes(root: JsonSchema): string[] {
  const notes: string[] = [];
  const visit = (schema: JsonSchema, at: string): void => {
    if (!isObject(schema)) return;
    const sources = [typeof schema.pattern === 'string' ? schema.pattern : undefined];
    if (isObject(schema.patternProperties)) sources.push(...Object.keys(schema.patternProperties));
    for (const source of sources) {
      if (source !== undefined && safePattern(source).engine === 'none') {
        notes.push(`${at}/pattern: not a usable regular expression; values are refused`);
      }
    }
    for (const key of Object.keys(schema)) {
      const part = schema[key];
      if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples' || key === 'example') continue;
      for (const [name, inner] of Array.isArray(part) || isObject(part) ? Object.entries(part) : []) {
        if (isSchema(inner)) visit(inner, `${at}/${key}/${name}`);
      }
      if (isSchema(part)) visit(part, `${at}/${key}`);
    }
  };
  visit(root, '#');
  return [...new Set(notes)];
}

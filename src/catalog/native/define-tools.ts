// defineTools(): tools declared as JSON, bound to functions by name. Each becomes what defineTool() makes of it.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { place, toProblems } from '../../endpoint/problems.ts';
import { didYouMean } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import type { ToolEntry } from '../tool-entry.ts';
import { defineTool, type NativeTool } from './define-tool.ts';

const jsonSchema = z.record(z.string(), z.unknown());
const hint = z.boolean().exactOptional();
const declaration = z.strictObject({
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string(),
  inputSchema: jsonSchema.exactOptional(),
  outputSchema: jsonSchema.exactOptional(),
  annotations: z
    .strictObject({
      title: z.string().exactOptional(),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
      returnDirect: hint,
    })
    .exactOptional(),
  /** Beside the schema or inside it: both are read. */
  required: z.array(z.string()).exactOptional(),
  oneOf: z.array(z.unknown()).exactOptional(),
  dependencies: jsonSchema.exactOptional(),
});
const list = z.array(declaration);

/** A tool as JSON declares it. */
export type ToolDeclaration = z.infer<typeof declaration>;
export type ToolHandler<Data = unknown> = NativeTool<z.ZodObject, Data>['run'];

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Makes tools of a JSON list (a file, its bytes, or the list itself) and a function for each of them. A definition without
 * a function, or a function without one, is an error: neither would ever be called.
 *
 * ```ts
 * const list = [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }];
 * createGateway({ domains: [], native: { tools: defineTools(list, { greet: (_context, { name }) => `Hello ${name}` }) } });
 * ```
 */
export function defineTools<Data = unknown>(
  source: string | URL | Uint8Array | readonly ToolDeclaration[],
  handlers: Readonly<Record<string, ToolHandler<Data>>>,
): ToolEntry[] {
  const declarations = parseDeclarations(source);
  const names = declarations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(`Two definitions are called "${twice}"; rename one of them.`);
  const bound = Object.keys(handlers);
  const problems = [
    ...names.filter((name) => !bound.includes(name)).map((name) => `"${name}" has no handler${near(name, bound)}`),
    ...bound.filter((name) => !names.includes(name)).map((name) => `"${name}" has no definition${near(name, names)}`),
  ];
  if (problems.length > 0) throw refusal(`Definitions and handlers do not fit: ${problems.join('; ')}.`);
  return declarations.map(({ inputSchema, required, oneOf, dependencies, ...tool }) =>
    defineTool({
      ...tool,
      args: {
        type: 'object',
        properties: {},
        ...inputSchema,
        ...(required && { required }),
        ...(oneOf && { oneOf }),
        ...(dependencies && { dependencies }),
      },
      run: handlers[tool.name]!,
    }),
  );
}

function near(name: string, names: readonly string[]): string {
  const question = didYouMean(name, names, '');
  return question === '' ? '' : ` (${question})`;
}

function parseDeclarations(source: string | URL | Uint8Array | readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  const value = Array.isArray(source) ? source : parseJson(source as string | URL | Uint8Array);
  const result = list.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const [problem] = toProblems(result.error.issues);
  throw refusal(
    `The tool definitions are not usable: ${place(problem?.path ?? []) || 'the list'} ${problem?.message}.`,
  );
}

function parseJson(source: string | URL | Uint8Array): unknown {
  const where = source instanceof Uint8Array ? 'the bytes' : String(source);
  try {
    const bytes = source instanceof Uint8Array ? source : readFileSync(source);
    if (bytes.byteLength > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('BAD_CONFIG', `Cannot read the tool definitions in ${where}: ${message}`, {}, cause);
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('BAD_CONFIG', message);
}

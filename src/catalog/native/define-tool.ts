// defineTool() turns a function into a tool, as strict as those of REST APIs: arguments are checked against its schema before it runs, and
// whatever it throws becomes an answer. defineTools() does the same for tools that are declared as JSON.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { formatFieldPath, toProblems } from '../../endpoint/problems.ts';
import { didYouMean } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import { ToolAnnotations } from '../../model/annotations.ts';
import { Tool } from '../../model/tool.ts';
import type { WireHints } from '../../model/wire.ts';
import { runHandler } from '../../orchestration/handler-result.ts';
import { compileNative, type NativeFunction, UNGUARDED } from '../../orchestration/native-operation.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { toPortableSchema } from '../../schema/portable/portable-schema.ts';
import { createEntry, type Govern, type ToolEntry } from '../tool-entry.ts';
import { toJsonSchema, validateZod } from './native-function.ts';

/** A tool that is a function. */
export interface NativeTool<Schema extends z.ZodObject = z.ZodObject, Data = unknown> {
  /** At most 64 of A-Z a-z 0-9 _ . - */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A zod object, or JSON Schema 2020-12 of type object, advertised as it is. Default: no arguments. */
  readonly args?: Schema | JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: WireHints;
  /** Returns an Outcome or MCP result, a string, or any JSON value. */
  readonly run: (
    context: ExecutionContext<Data>,
    args: Schema extends z.ZodObject ? z.output<Schema> : Args,
  ) => unknown;
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const NO_ARGUMENTS: JsonSchema = Object.freeze({ type: 'object', properties: {}, additionalProperties: false });

/**
 * Makes a function a tool for `createGateway({ native: { tools: [...] } })`.
 *
 * ```ts
 * defineTool({
 *   name: 'roll_dice',
 *   description: 'Rolls a die.',
 *   args: z.object({ sides: z.int().min(2) }),
 *   run: (_context, { sides }) => String(1 + Math.floor(Math.random() * sides)),
 * })
 * ```
 */
export function defineTool<Schema extends z.ZodObject = z.ZodObject, Data = unknown>(
  tool: NativeTool<Schema, Data>,
): ToolEntry {
  const { name, title, description, args: schema = NO_ARGUMENTS, outputSchema, annotations, run } = tool;
  if (!NAME.test(name)) {
    throw new GatewayError(
      'BAD_CONFIG',
      `"${name}" is not a valid tool name: use 1 to 64 letters, digits, "_", "." or "-".`,
    );
  }
  if (description.trim() === '') {
    throw new GatewayError(
      'BAD_CONFIG',
      `The tool ${name} needs a description: models choose tools by their descriptions.`,
    );
  }
  const isZod = schema instanceof z.ZodObject;
  const inputSchema: JsonSchema = isZod ? { ...toPortableSchema(toJsonSchema(schema)) } : schema;
  if (typeof inputSchema !== 'object' || inputSchema.type !== 'object') {
    throw new GatewayError('BAD_CONFIG', `The arguments of the tool ${name} must be a schema of type object.`);
  }
  const check = isZod ? validateZod(undefined, schema) : createSchemaValidator(inputSchema);
  const properties = (inputSchema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const native: NativeFunction = {
    operation: name,
    identity: name,
    summary: description,
    hints: { readOnly: annotations?.readOnlyHint, destructive: annotations?.destructiveHint },
    keys: new Set(Object.keys(properties)),
    validate: check,
    execute: (context, valid) => runHandler(context, () => run(context as ExecutionContext<Data>, valid as never)),
  };
  const govern: Govern = (guardSettings) => {
    const operation = compileNative(native, guardSettings);
    const hasControls = Object.keys(operation.controls).length > 0;
    const model = new Tool({
      name,
      title,
      description,
      inputSchema: hasControls ? { ...inputSchema, properties: { ...properties, ...operation.controls } } : inputSchema,
      outputSchema,
      annotations: annotations && new ToolAnnotations(annotations),
    });
    return createEntry(model, operation.run, '', [], { govern, controls: Object.keys(operation.controls) });
  };
  return govern(UNGUARDED);
}

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
/** The function of a tool declaration. */
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
    `The tool definitions are not usable: ${formatFieldPath(problem?.path ?? []) || 'the list'} ${problem?.message}.`,
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

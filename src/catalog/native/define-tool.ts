// defineTool(): a function as a tool beside the REST ones, with the same strictness: arguments are checked against its
// schema before it runs, and whatever it throws becomes an answer.
import { z } from 'zod';
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { ToolAnnotations } from '../../model/annotations.ts';
import { Tool } from '../../model/tool.ts';
import type { WireHints } from '../../model/wire.ts';
import { runForeign } from '../../orchestration/handler-result.ts';
import { compileNative, type NativeFunction, UNGOVERNED } from '../../orchestration/native-operation.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { toPortableSchema } from '../../schema/portable/portable-schema.ts';
import { createEntry, type Govern, type ToolEntry } from '../tool-entry.ts';
import { toJsonSchema, validateZod } from './native-function.ts';

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
    execute: (context, valid) => runForeign(context, () => run(context as ExecutionContext<Data>, valid as never)),
  };
  const govern: Govern = (government) => {
    const operation = compileNative(native, government);
    const isSteered = Object.keys(operation.controls).length > 0;
    const model = new Tool({
      name,
      title,
      description,
      inputSchema: isSteered ? { ...inputSchema, properties: { ...properties, ...operation.controls } } : inputSchema,
      outputSchema,
      annotations: annotations && new ToolAnnotations(annotations),
    });
    return createEntry(model, operation.run, '', [], { govern, controls: Object.keys(operation.controls) });
  };
  return govern(UNGOVERNED);
}

// A tool, independent of the wire format of any revision. Schemas may be given as functions, because a catalog of thousands of
// operations builds only those that are needed.
import { freeze } from '../endpoint/freeze.ts';
import type { Args, JsonSchema } from '../endpoint/model.ts';
import { once } from '../endpoint/untrusted.ts';
import { createSchemaValidator, type Validator } from '../schema/check/validator.ts';
import type { ToolAnnotations } from './annotations.ts';
import { type BaseInit, lazy } from './base.ts';
import { GroupItem } from './group-item.ts';

/** What a Tool is created from. */
export interface ToolInit extends BaseInit {
  readonly inputSchema: JsonSchema | (() => JsonSchema);
  readonly outputSchema?: JsonSchema | (() => JsonSchema | undefined) | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Its name in fully-qualified names, if its public name depends on other tools. */
  readonly localName?: string | undefined;
}

/**
 * A tool of MCP, with its schemas.
 *
 * ```ts
 * const tool = new Tool({ name: 'get', inputSchema: { type: 'object', properties: { id: { type: 'integer' } } } });
 * console.assert(tool.validateArguments({ id: 7 }).id === 7);
 * ```
 */
export class Tool extends GroupItem {
  readonly annotations: ToolAnnotations | undefined;
  readonly #localName: string | undefined;
  readonly #input: () => JsonSchema;
  readonly #output: () => JsonSchema | undefined;
  readonly #validator: () => Validator;

  constructor(init: ToolInit) {
    super(init);
    this.annotations = init.annotations;
    this.#localName = init.localName;
    this.#input = lazy(init.inputSchema, freeze);
    this.#output = lazy(init.outputSchema, freeze);
    this.#validator = once(() => createSchemaValidator(this.inputSchema));
  }

  override get localName(): string {
    return this.#localName ?? this.name;
  }

  get inputSchema(): JsonSchema {
    return this.#input();
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#output();
  }

  /** Returns the arguments to use. Throws a GatewayError VALIDATION that names every problem, including unknown arguments. */
  validateArguments(args: Args): Args {
    return this.#validator()(this.name, args);
  }
}

// A tool as the model knows it, before any era's wire shape. Schemas may be given as functions: a catalog of
// thousands of operations builds only the ones that are looked at.
import { freeze } from '../endpoint/freeze.ts';
import type { Args, JsonSchema } from '../endpoint/model.ts';
import { once } from '../endpoint/untrusted.ts';
import { createSchemaValidator, type Validator } from '../schema/check/validator.ts';
import type { ToolAnnotations } from './annotations.ts';
import { type BaseInit, lazy } from './base.ts';
import { GroupItem } from './group-item.ts';

export interface ToolInit extends BaseInit {
  readonly inputSchema: JsonSchema | (() => JsonSchema);
  readonly outputSchema?: JsonSchema | (() => JsonSchema | undefined) | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Its name in fully-qualified names, where its public name depends on what stands beside it. */
  readonly localName?: string | undefined;
}

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

  /** The arguments to go on with, or a GatewayError VALIDATION that names every problem. Unknown arguments are refused. */
  validateArguments(args: Args): Args {
    return this.#validator()(this.name, args);
  }
}

// A tool as the model knows it, before any era's wire shape. Schemas may be given as functions: a catalog of
// thousands of operations builds only the ones that are looked at.
import type { JsonSchema } from '../endpoint/model.ts';
import type { ToolAnnotations } from './annotations.ts';
import { type BaseInit, once } from './base.ts';
import { GroupItem } from './group-item.ts';

export interface ToolInit extends BaseInit {
  readonly inputSchema: JsonSchema | (() => JsonSchema);
  readonly outputSchema?: JsonSchema | (() => JsonSchema | undefined) | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

export class Tool extends GroupItem {
  readonly annotations: ToolAnnotations | undefined;
  readonly #input: () => JsonSchema;
  readonly #output: () => JsonSchema | undefined;

  constructor(init: ToolInit) {
    super(init);
    this.annotations = init.annotations;
    this.#input = once(init.inputSchema);
    this.#output = once(init.outputSchema);
  }

  get inputSchema(): JsonSchema {
    return this.#input();
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#output();
  }
}

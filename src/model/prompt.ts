// A prompt and its arguments.
import { type BaseInit, BaseModel } from './base.ts';
import { GroupItem } from './group-item.ts';

export interface PromptArgumentInit extends BaseInit {
  readonly required?: boolean | undefined;
}

/**
 * An argument of a prompt.
 *
 * ```ts
 * const argument = new PromptArgument({ name: 'topic', description: 'What the summary is about.' });
 * console.assert(!argument.required);
 * ```
 */
export class PromptArgument extends BaseModel {
  readonly required: boolean;

  constructor(init: PromptArgumentInit) {
    super(init);
    this.required = init.required ?? false;
  }

  /** Arguments are in no group, so this is the name. */
  getFullyQualifiedName(): string {
    return this.name;
  }
}

export interface PromptInit extends BaseInit {
  readonly arguments?: readonly PromptArgument[] | undefined;
}

/**
 * A prompt of MCP.
 *
 * ```ts
 * const prompt = new Prompt({ name: 'summarize', arguments: [new PromptArgument({ name: 'topic' })] });
 * console.assert(prompt.arguments.length === 1);
 * ```
 */
export class Prompt extends GroupItem {
  readonly arguments: readonly PromptArgument[];

  constructor(init: PromptInit) {
    super(init);
    this.arguments = Object.freeze([...(init.arguments ?? [])]);
  }
}

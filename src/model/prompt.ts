// A prompt and its arguments.
import { type BaseInit, BaseModel } from './base.ts';
import { GroupItem } from './group-item.ts';

export interface PromptArgumentInit extends BaseInit {
  readonly required?: boolean | undefined;
}

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

export class Prompt extends GroupItem {
  readonly arguments: readonly PromptArgument[];

  constructor(init: PromptInit) {
    super(init);
    this.arguments = Object.freeze([...(init.arguments ?? [])]);
  }
}

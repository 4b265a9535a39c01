// A prompt and the arguments it is filled in with.
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

  /** An argument stands below no group: its name is all there is. */
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

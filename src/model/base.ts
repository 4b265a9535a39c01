// What every MCP primitive has in common: a name, texts for people and models, and a place in the hierarchy.

import { freeze } from '../endpoint/freeze.ts';
import { once } from '../endpoint/untrusted.ts';

/** The default separator in fully-qualified names. */
export const NAME_SEPARATOR = '.';

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

export type Meta = Readonly<Record<string, unknown>>;

export interface BaseInit {
  readonly name: string;
  /** Functions are called on first use: most texts of a large catalog are never needed. */
  readonly title?: string | (() => string | undefined) | undefined;
  readonly description?: string | (() => string) | undefined;
  readonly meta?: Meta | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/**
 * What groups, tools, prompts and resources have in common.
 *
 * ```ts
 * const named: BaseModel = new Group({ name: 'users' });
 * console.assert(named.getFullyQualifiedName() === 'users');
 * ```
 */
export abstract class BaseModel {
  readonly name: string;
  readonly meta: Meta | undefined;
  readonly icons: readonly Icon[] | undefined;
  readonly #title: () => string | undefined;
  readonly #description: () => string | undefined;

  constructor(init: BaseInit) {
    if (init.name === '') throw new TypeError(`A ${new.target.name} needs a name; got an empty one.`);
    this.name = init.name;
    this.#title = lazy(init.title);
    this.#description = lazy(init.description);
    this.meta = freeze(init.meta);
    this.icons = freeze(init.icons);
  }

  get title(): string | undefined {
    return this.#title();
  }

  get description(): string | undefined {
    return this.#description();
  }

  /** The path from the root to here: `platform.users.list`. */
  abstract getFullyQualifiedName(separator?: string): string;
}

/** A value, or a function that is called on first use. `finish` is applied to the value once. */
export function lazy<Value>(source: Value | (() => Value), finish?: (value: Value) => Value): () => Value {
  return once(typeof source === 'function' ? (source as () => Value) : () => source, finish);
}

/** A list that only its owner can change. Others get a frozen copy, which is made again after a change. */
export class Children<Child> {
  readonly #items: Child[] = [];
  #list: readonly Child[] | undefined;

  get list(): readonly Child[] {
    this.#list ??= Object.freeze([...this.#items]);
    return this.#list;
  }

  add(child: Child): void {
    this.#items.push(child);
    this.#list = undefined;
  }
}

// A leaf of the tree. Unlike a group it may have several parents: an operation with two tags is in two groups.
import { BaseModel, Children, NAME_SEPARATOR } from './base.ts';
import type { Group } from './group.ts';

/**
 * A tool, prompt or resource: a leaf of the tree of groups.
 *
 * ```ts
 * const leaf: GroupItem = new Prompt({ name: 'summarize' });
 * console.assert(leaf.parentGroups.length === 0);
 * ```
 */
export abstract class GroupItem extends BaseModel {
  readonly #parents = new Children<Group>();

  get parentGroups(): readonly Group[] {
    return this.#parents.list;
  }

  /** Its name inside a group. It differs from the public name if that depends on other tools. */
  get localName(): string {
    return this.name;
  }

  /** The roots of all trees that contain this leaf, once each. */
  get roots(): Group[] {
    return [...new Set(this.parentGroups.map((group) => group.root))];
  }

  /** Its name below its first parent. `getFullyQualifiedNames()` has one for each parent. */
  getFullyQualifiedName(separator: string = NAME_SEPARATOR): string {
    return this.getFullyQualifiedNames(separator)[0]!;
  }

  getFullyQualifiedNames(separator: string = NAME_SEPARATOR): string[] {
    if (this.parentGroups.length === 0) return [this.localName];
    return this.parentGroups.map((group) => group.getFullyQualifiedName(separator) + separator + this.localName);
  }

  /** Called by the group that adds this leaf. Use `group.addTool()`, `addPrompt()` or `addResource()`. */
  joined(group: Group): void {
    if (Object.isFrozen(this)) throw new Error(`"${this.name}" is frozen; build a new tree to change it.`);
    this.#parents.add(group);
  }

  freeze(): this {
    return Object.freeze(this) as this;
  }
}

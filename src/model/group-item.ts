// A leaf of the tree. Unlike a group it may hang in several places at once: an operation with two tags has two parents.
import { BaseModel, NAME_SEPARATOR } from './base.ts';
import { Children } from './children.ts';
import type { Group } from './group.ts';

export abstract class GroupItem extends BaseModel {
  readonly #parents = new Children<Group>();

  get parentGroups(): readonly Group[] {
    return this.#parents.list;
  }

  /** Its name below a group; leaves whose public name may be changed by their neighbours keep another one for this. */
  get localName(): string {
    return this.name;
  }

  /** The tops of all trees this leaf hangs in, once each. */
  get roots(): Group[] {
    return [...new Set(this.parentGroups.map((group) => group.root))];
  }

  /** Its name below its first parent; every place it hangs in is in `getFullyQualifiedNames()`. */
  getFullyQualifiedName(separator: string = NAME_SEPARATOR): string {
    return this.getFullyQualifiedNames(separator)[0]!;
  }

  getFullyQualifiedNames(separator: string = NAME_SEPARATOR): string[] {
    if (this.parentGroups.length === 0) return [this.localName];
    return this.parentGroups.map((group) => group.getFullyQualifiedName(separator) + separator + this.localName);
  }

  /** Called by the group that takes this leaf in; use `group.addTool()` and its siblings. */
  joined(group: Group): void {
    if (Object.isFrozen(this)) throw new Error(`"${this.name}" is frozen; build a new tree to change it.`);
    this.#parents.add(group);
  }

  freeze(): this {
    return Object.freeze(this) as this;
  }
}

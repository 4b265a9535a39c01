// A node of the tree: one parent, any number of child groups and leaves. Built once, then frozen.
import { BaseModel, NAME_SEPARATOR } from './base.ts';
import type { GroupItem } from './group-item.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';

export class Group extends BaseModel {
  #parent: Group | undefined;
  readonly childGroups: readonly Group[] = [];
  readonly childTools: readonly Tool[] = [];
  readonly childPrompts: readonly Prompt[] = [];
  readonly childResources: readonly Resource[] = [];

  get parent(): Group | undefined {
    return this.#parent;
  }

  /** The group at the top of this tree; itself when it has no parent. */
  get root(): Group {
    return this.#parent?.root ?? this;
  }

  getFullyQualifiedName(separator: string = NAME_SEPARATOR): string {
    return this.#parent ? this.#parent.getFullyQualifiedName(separator) + separator + this.name : this.name;
  }

  addGroup(child: Group): this {
    if (child.#parent) {
      throw new Error(`Group "${child.name}" already has the parent "${child.#parent.name}"; a group has only one.`);
    }
    for (let above: Group | undefined = this; above; above = above.#parent) {
      if (above === child) throw new Error(`Group "${child.name}" cannot be its own ancestor.`);
    }
    this.#append(this.childGroups, child);
    child.#parent = this;
    return this;
  }

  addTool(tool: Tool): this {
    return this.#adopt(this.childTools, tool);
  }

  addPrompt(prompt: Prompt): this {
    return this.#adopt(this.childPrompts, prompt);
  }

  addResource(resource: Resource): this {
    return this.#adopt(this.childResources, resource);
  }

  /** The child group of this name, if there is one. */
  findGroup(name: string): Group | undefined {
    return this.childGroups.find((group) => group.name === name);
  }

  /** Every tool at or below this group, once each, in tree order, however many parents it has. */
  allTools(): Tool[] {
    const found = new Set<Tool>(this.childTools);
    for (const group of this.childGroups) for (const tool of group.allTools()) found.add(tool);
    return [...found];
  }

  /** Freezes this group and everything below it; adding anything afterwards throws. */
  freeze(): this {
    for (const group of this.childGroups) group.freeze();
    for (const item of [...this.childTools, ...this.childPrompts, ...this.childResources]) item.freeze();
    Object.freeze(this.childGroups);
    Object.freeze(this.childTools);
    Object.freeze(this.childPrompts);
    Object.freeze(this.childResources);
    return Object.freeze(this) as this;
  }

  #adopt<Item extends GroupItem>(children: readonly Item[], item: Item): this {
    // Asked of the leaf, which has few parents; the group may have thousands of children.
    if (item.parentGroups.includes(this)) return this;
    this.#append(children, item);
    item.joined(this);
    return this;
  }

  #append<Child>(children: readonly Child[], child: Child): void {
    if (Object.isFrozen(this)) throw new Error(`Group "${this.name}" is frozen; build a new tree to change it.`);
    (children as Child[]).push(child);
  }
}

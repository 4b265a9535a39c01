// A node of the tree of tools: one parent, any number of child groups and leaves. It is built once, then frozen.
import { BaseModel, Children, NAME_SEPARATOR } from './base.ts';
import type { GroupItem } from './group-item.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';

/**
 * A group of tools, prompts, resources and other groups.
 *
 * ```ts
 * const users = new Group({ name: 'users' }).addTool(new Tool({ name: 'list', inputSchema: { type: 'object' } }));
 * console.assert(users.allTools()[0]?.getFullyQualifiedName() === 'users.list');
 * ```
 */
export class Group extends BaseModel {
  #parent: Group | undefined;
  readonly #groups = new Children<Group>();
  readonly #tools = new Children<Tool>();
  readonly #prompts = new Children<Prompt>();
  readonly #resources = new Children<Resource>();

  get parent(): Group | undefined {
    return this.#parent;
  }

  get childGroups(): readonly Group[] {
    return this.#groups.list;
  }

  get childTools(): readonly Tool[] {
    return this.#tools.list;
  }

  get childPrompts(): readonly Prompt[] {
    return this.#prompts.list;
  }

  get childResources(): readonly Resource[] {
    return this.#resources.list;
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
    this.#assertNotFrozen();
    this.#groups.add(child);
    child.#parent = this;
    return this;
  }

  addTool(tool: Tool): this {
    return this.#adopt(this.#tools, tool);
  }

  addPrompt(prompt: Prompt): this {
    return this.#adopt(this.#prompts, prompt);
  }

  addResource(resource: Resource): this {
    return this.#adopt(this.#resources, resource);
  }

  /** The child group of this name, if there is one. */
  findGroup(name: string): Group | undefined {
    return this.childGroups.find((group) => group.name === name);
  }

  /** Every tool at or below this group, once each, in tree order, however many parents it has. */
  allTools(): Tool[] {
    return [...new Set([...this.childTools, ...this.childGroups.flatMap((group) => group.allTools())])];
  }

  /** Freezes this group and everything below it; adding anything afterwards throws. */
  freeze(): this {
    for (const group of this.childGroups) group.freeze();
    for (const item of [...this.childTools, ...this.childPrompts, ...this.childResources]) item.freeze();
    return Object.freeze(this) as this;
  }

  #adopt<Item extends GroupItem>(children: Children<Item>, item: Item): this {
    // The leaf is searched, because it has few parents, while a group may have thousands of children.
    if (item.parentGroups.includes(this)) return this;
    this.#assertNotFrozen();
    item.joined(this);
    children.add(item);
    return this;
  }

  #assertNotFrozen(): void {
    if (Object.isFrozen(this)) throw new Error(`Group "${this.name}" is frozen; build a new tree to change it.`);
  }
}

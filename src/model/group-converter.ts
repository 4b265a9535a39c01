// A group tree as plain data and back. A leaf that hangs in several groups is written in each and read back as one.
import type { BaseModel } from './base.ts';
import { ConverterBase } from './converter.ts';
import { PromptConverter, ResourceConverter, ToolConverter } from './converters.ts';
import { Group } from './group.ts';
import type { WirePrompt, WireResource, WireTool, WireVersion } from './wire.ts';

export interface GroupOutline {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly groups?: readonly GroupOutline[];
  readonly tools?: readonly WireTool[];
  readonly prompts?: readonly WirePrompt[];
  readonly resources?: readonly WireResource[];
}

export class GroupConverter extends ConverterBase<Group, GroupOutline> {
  readonly #tools: ToolConverter;
  readonly #prompts: PromptConverter;
  readonly #resources: ResourceConverter;

  constructor(version: WireVersion = '2026-07-28') {
    super();
    this.#tools = new ToolConverter(version);
    this.#prompts = new PromptConverter(version);
    this.#resources = new ResourceConverter(version);
  }

  convertFrom(group: Group): GroupOutline {
    return {
      name: group.name,
      ...(group.title !== undefined && { title: group.title }),
      ...(group.description !== undefined && { description: group.description }),
      ...(group.childGroups.length > 0 && { groups: this.convertFromBatch(group.childGroups) }),
      ...(group.childTools.length > 0 && { tools: this.#tools.convertFromBatch(group.childTools) }),
      ...(group.childPrompts.length > 0 && { prompts: this.#prompts.convertFromBatch(group.childPrompts) }),
      ...(group.childResources.length > 0 && { resources: this.#resources.convertFromBatch(group.childResources) }),
    };
  }

  convertTo(outline: GroupOutline): Group {
    return this.#read(outline, new Map());
  }

  #read(outline: GroupOutline, seen: Map<string, BaseModel>): Group {
    const group = new Group(outline);
    const shared = <Leaf extends BaseModel>(key: string, read: () => Leaf): Leaf => {
      const leaf = (seen.get(key) as Leaf | undefined) ?? read();
      seen.set(key, leaf);
      return leaf;
    };
    for (const wire of outline.tools ?? [])
      group.addTool(shared(`tool ${wire.name}`, () => this.#tools.convertTo(wire)));
    for (const wire of outline.prompts ?? []) {
      group.addPrompt(shared(`prompt ${wire.name}`, () => this.#prompts.convertTo(wire)));
    }
    for (const wire of outline.resources ?? []) {
      group.addResource(shared(`resource ${wire.uri}`, () => this.#resources.convertTo(wire)));
    }
    for (const child of outline.groups ?? []) group.addGroup(this.#read(child, seen));
    return group;
  }
}

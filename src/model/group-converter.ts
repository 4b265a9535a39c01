// A group tree as plain data and back. A leaf that hangs in several groups is written in each and read back as one.
import type { BaseModel } from './base.ts';
import { GroupConverterBase } from './converter.ts';
import { PromptConverter, ResourceConverter, ToolConverter, toWireBase } from './converters.ts';
import { Group } from './group.ts';
import type { WireBase, WirePrompt, WireResource, WireTool } from './wire.ts';

export interface GroupOutline extends WireBase {
  readonly groups?: readonly GroupOutline[];
  readonly tools?: readonly WireTool[];
  readonly prompts?: readonly WirePrompt[];
  readonly resources?: readonly WireResource[];
}

export class GroupConverter extends GroupConverterBase<GroupOutline> {
  readonly #tools = new ToolConverter(this.version);
  readonly #prompts = new PromptConverter(this.version);
  readonly #resources = new ResourceConverter(this.version);

  convertFrom(group: Group): GroupOutline {
    return {
      ...toWireBase(group, this.features),
      ...(group.childGroups.length > 0 && { groups: this.convertFromBatch(group.childGroups) }),
      ...(group.childTools.length > 0 && { tools: this.#tools.convertFromBatch(group.childTools) }),
      ...(group.childPrompts.length > 0 && { prompts: this.#prompts.convertFromBatch(group.childPrompts) }),
      ...(group.childResources.length > 0 && { resources: this.#resources.convertFromBatch(group.childResources) }),
    };
  }

  convertTo(outline: GroupOutline): Group {
    return this.#read(outline, new Map());
  }

  #read(outline: GroupOutline, leaves: Map<string, BaseModel>): Group {
    const group = new Group({ ...outline, meta: outline._meta });
    const share = <Leaf extends BaseModel>(key: string, read: () => Leaf): Leaf => {
      const leaf = (leaves.get(key) as Leaf | undefined) ?? read();
      leaves.set(key, leaf);
      return leaf;
    };
    for (const wire of outline.tools ?? [])
      group.addTool(share(`tool ${wire.name}`, () => this.#tools.convertTo(wire)));
    for (const wire of outline.prompts ?? []) {
      group.addPrompt(share(`prompt ${wire.name}`, () => this.#prompts.convertTo(wire)));
    }
    for (const wire of outline.resources ?? []) {
      group.addResource(share(`resource ${wire.uri}`, () => this.#resources.convertTo(wire)));
    }
    for (const child of outline.groups ?? []) group.addGroup(this.#read(child, leaves));
    return group;
  }
}

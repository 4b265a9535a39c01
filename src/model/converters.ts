// Model ↔ wire format, one converter per primitive. A converter is for one revision of MCP, and leaves out what that revision does
// not have.

import { omitUndefined } from '../endpoint/untrusted.ts';
import { toLegacyOutputSchema } from '../schema/output-schema.ts';
import { ToolAnnotations } from './annotations.ts';
import type { BaseModel } from './base.ts';
import {
  GroupConverterBase,
  PromptArgumentConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from './converter-bases.ts';
import { Group } from './group.ts';
import { Prompt, PromptArgument } from './prompt.ts';
import { Resource, type ResourceAnnotations } from './resource.ts';
import { Tool } from './tool.ts';
import type {
  WireBase,
  WireFeatures,
  WireHints,
  WirePrompt,
  WirePromptArgument,
  WireResource,
  WireTool,
} from './wire.ts';

/**
 * Converts annotations to the wire format and back.
 *
 * ```ts
 * const wireHints = new ToolAnnotationsConverter().convertFrom(new ToolAnnotations({ readOnlyHint: true }));
 * console.assert(wireHints?.readOnlyHint === true);
 * ```
 */
export class ToolAnnotationsConverter extends ToolAnnotationsConverterBase<WireHints> {
  convertFrom(annotations: ToolAnnotations): WireHints | null {
    return !this.features.annotations || annotations.empty ? null : omitUndefined({ ...annotations });
  }

  convertTo(hints: WireHints): ToolAnnotations {
    return new ToolAnnotations(hints);
  }
}

/**
 * Converts tools to the wire format and back.
 *
 * ```ts
 * const wireTool = new ToolConverter('2025-06-18').convertFrom(new Tool({ name: 'ping', inputSchema: { type: 'object' } }));
 * console.assert(wireTool.name === 'ping');
 * ```
 */
export class ToolConverter extends ToolConverterBase<WireTool> {
  readonly #annotations = new ToolAnnotationsConverter(this.version);

  convertFrom(tool: Tool): WireTool {
    const { name, title, description, icons, _meta } = toWireBase(tool, this.features);
    return omitUndefined({
      name,
      title,
      description,
      inputSchema: tool.inputSchema,
      outputSchema: this.#output(tool),
      annotations: (tool.annotations && this.#annotations.convertFrom(tool.annotations)) ?? undefined,
      icons,
      _meta,
    });
  }

  convertTo(wire: WireTool): Tool {
    return new Tool({
      ...wire,
      meta: wire._meta,
      annotations: wire.annotations && this.#annotations.convertTo(wire.annotations),
    });
  }

  #output(tool: Tool): WireTool['outputSchema'] {
    if (this.features.outputSchema === 'none') return undefined;
    const schema = tool.outputSchema;
    return schema === undefined || this.features.outputSchema === 'any' ? schema : toLegacyOutputSchema(schema);
  }
}

/**
 * Converts arguments of prompts to the wire format and back.
 *
 * ```ts
 * const wireArgument = new PromptArgumentConverter().convertFrom(new PromptArgument({ name: 'topic', required: true }));
 * console.assert(wireArgument.required === true);
 * ```
 */
export class PromptArgumentConverter extends PromptArgumentConverterBase<WirePromptArgument> {
  convertFrom(argument: PromptArgument): WirePromptArgument {
    const { name, title, description } = toWireBase(argument, this.features);
    return omitUndefined({ name, title, description, required: argument.required || undefined });
  }

  convertTo(wire: WirePromptArgument): PromptArgument {
    return new PromptArgument(wire);
  }
}

/**
 * Converts prompts to the wire format and back.
 *
 * ```ts
 * const wirePrompt = new PromptConverter().convertFrom(new Prompt({ name: 'summarize' }));
 * console.assert(wirePrompt.name === 'summarize');
 * ```
 */
export class PromptConverter extends PromptConverterBase<WirePrompt> {
  readonly #arguments = new PromptArgumentConverter(this.version);

  convertFrom(prompt: Prompt): WirePrompt {
    const { name, title, description, icons, _meta } = toWireBase(prompt, this.features);
    const list = this.#arguments.convertFromBatch(prompt.arguments);
    return omitUndefined({ name, title, description, arguments: list.length > 0 ? list : undefined, icons, _meta });
  }

  convertTo(wire: WirePrompt): Prompt {
    return new Prompt({ ...wire, meta: wire._meta, arguments: this.#arguments.convertToBatch(wire.arguments ?? []) });
  }
}

/**
 * Converts resources to the wire format and back.
 *
 * ```ts
 * const wireResource = new ResourceConverter().convertFrom(new Resource({ name: 'readme', uri: 'docs://readme' }));
 * console.assert(wireResource.uri === 'docs://readme');
 * ```
 */
export class ResourceConverter extends ResourceConverterBase<WireResource> {
  convertFrom(resource: Resource): WireResource {
    const { name, title, description, icons, _meta } = toWireBase(resource, this.features);
    return omitUndefined({
      uri: resource.uri,
      name,
      title,
      description,
      mimeType: resource.mimeType,
      size: resource.size,
      annotations: resource.annotations && this.#toWireAnnotations(resource.annotations),
      icons,
      _meta,
    });
  }

  convertTo(wire: WireResource): Resource {
    return new Resource({ ...wire, meta: wire._meta });
  }

  #toWireAnnotations({ lastModified, ...older }: ResourceAnnotations): ResourceAnnotations {
    return this.features.title && lastModified !== undefined ? { ...older, lastModified } : older;
  }
}

/** The fields that every primitive has, if the revision has them. */
function toWireBase(model: BaseModel, { title, icons }: WireFeatures): WireBase {
  return omitUndefined({
    name: model.name,
    title: title ? model.title : undefined,
    description: model.description,
    icons: icons ? model.icons : undefined,
    _meta: title ? model.meta : undefined,
  });
}

/** A tree of groups as plain data. */
export interface GroupOutline extends WireBase {
  readonly groups?: readonly GroupOutline[];
  readonly tools?: readonly WireTool[];
  readonly prompts?: readonly WirePrompt[];
  readonly resources?: readonly WireResource[];
}

/**
 * Converts a tree of groups to plain data and back. A leaf in several groups is written in each, and read back as one.
 *
 * ```ts
 * const outline = new GroupConverter().convertFrom(new Group({ name: 'users' }));
 * console.assert(outline.name === 'users');
 * ```
 */
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

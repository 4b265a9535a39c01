// Model ↔ wire, one converter per primitive, for one revision of MCP: what that revision does not know is left out.

import { toLegacyOutputSchema } from '../schema/output-schema.ts';
import { ToolAnnotations } from './annotations.ts';
import type { BaseModel } from './base.ts';
import { ConverterBase } from './converter.ts';
import { Prompt, PromptArgument } from './prompt.ts';
import { Resource, type ResourceAnnotations } from './resource.ts';
import { Tool } from './tool.ts';
import {
  WIRE_FEATURES,
  type WireFeatures,
  type WireHints,
  type WirePrompt,
  type WirePromptArgument,
  type WireResource,
  type WireTool,
  type WireVersion,
} from './wire.ts';

/** A converter that knows what its revision of MCP understands. */
export abstract class WireConverter<Source, Target> extends ConverterBase<Source, Target> {
  readonly features: WireFeatures;

  constructor(version: WireVersion = '2026-07-28') {
    super();
    this.features = WIRE_FEATURES[version];
  }

  toWire(source: Source): Target | null {
    return this.convertFrom(source);
  }

  fromWire(wire: Target): Source | null {
    return this.convertTo(wire);
  }

  protected base(model: BaseModel): Pick<WireTool, 'name' | 'title' | 'description' | 'icons' | '_meta'> {
    const { title, icons } = this.features;
    return known({
      name: model.name,
      title: title ? model.title : undefined,
      description: model.description,
      icons: icons ? model.icons : undefined,
      _meta: title ? model.meta : undefined,
    });
  }
}

export class ToolAnnotationsConverter extends WireConverter<ToolAnnotations, WireHints> {
  convertFrom(annotations: ToolAnnotations): WireHints | null {
    if (!this.features.annotations || annotations.empty) return null;
    return known({ ...annotations });
  }

  convertTo(hints: WireHints): ToolAnnotations {
    return new ToolAnnotations(hints);
  }
}

export class ToolConverter extends WireConverter<Tool, WireTool> {
  readonly #annotations: ToolAnnotationsConverter;

  constructor(version: WireVersion = '2026-07-28') {
    super(version);
    this.#annotations = new ToolAnnotationsConverter(version);
  }

  convertFrom(tool: Tool): WireTool {
    const { name, title, description, icons, _meta } = this.base(tool);
    return known({
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

export class PromptArgumentConverter extends WireConverter<PromptArgument, WirePromptArgument> {
  convertFrom(argument: PromptArgument): WirePromptArgument {
    const { name, title, description } = this.base(argument);
    return known({ name, title, description, required: argument.required || undefined });
  }

  convertTo(wire: WirePromptArgument): PromptArgument {
    return new PromptArgument(wire);
  }
}

export class PromptConverter extends WireConverter<Prompt, WirePrompt> {
  readonly #arguments: PromptArgumentConverter;

  constructor(version: WireVersion = '2026-07-28') {
    super(version);
    this.#arguments = new PromptArgumentConverter(version);
  }

  convertFrom(prompt: Prompt): WirePrompt {
    const { name, title, description, icons, _meta } = this.base(prompt);
    const list = this.#arguments.convertFromBatch(prompt.arguments);
    return known({ name, title, description, arguments: list.length > 0 ? list : undefined, icons, _meta });
  }

  convertTo(wire: WirePrompt): Prompt {
    return new Prompt({ ...wire, meta: wire._meta, arguments: this.#arguments.convertToBatch(wire.arguments ?? []) });
  }
}

export class ResourceConverter extends WireConverter<Resource, WireResource> {
  convertFrom(resource: Resource): WireResource {
    const { name, title, description, icons, _meta } = this.base(resource);
    return known({
      uri: resource.uri,
      name,
      title,
      description,
      mimeType: resource.mimeType,
      size: resource.size,
      annotations: resource.annotations && this.#annotations(resource.annotations),
      icons,
      _meta,
    });
  }

  convertTo(wire: WireResource): Resource {
    return new Resource({ ...wire, meta: wire._meta });
  }

  #annotations(given: ResourceAnnotations): ResourceAnnotations {
    const { lastModified, ...older } = given;
    return this.features.title && lastModified !== undefined ? { ...older, lastModified } : older;
  }
}

/** Leaves out what is undefined: on the wire an unknown property is an absent one. */
function known<Shape extends object>(shape: { [Key in keyof Shape]: Shape[Key] | undefined }): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;
}

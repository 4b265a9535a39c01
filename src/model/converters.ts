// Model ↔ wire, one converter per primitive, for one revision of MCP: what that revision does not know is left out.

import { omitUndefined } from '../endpoint/untrusted.ts';
import { toLegacyOutputSchema } from '../schema/output-schema.ts';
import { ToolAnnotations } from './annotations.ts';
import type { BaseModel } from './base.ts';
import {
  PromptArgumentConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from './converter.ts';
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

export class ToolAnnotationsConverter extends ToolAnnotationsConverterBase<WireHints> {
  convertFrom(annotations: ToolAnnotations): WireHints | null {
    return !this.features.annotations || annotations.empty ? null : omitUndefined({ ...annotations });
  }

  convertTo(hints: WireHints): ToolAnnotations {
    return new ToolAnnotations(hints);
  }
}

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

export class PromptArgumentConverter extends PromptArgumentConverterBase<WirePromptArgument> {
  convertFrom(argument: PromptArgument): WirePromptArgument {
    const { name, title, description } = toWireBase(argument, this.features);
    return omitUndefined({ name, title, description, required: argument.required || undefined });
  }

  convertTo(wire: WirePromptArgument): PromptArgument {
    return new PromptArgument(wire);
  }
}

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

/** What every primitive carries, as far as a revision knows it. */
export function toWireBase(model: BaseModel, { title, icons }: WireFeatures): WireBase {
  return omitUndefined({
    name: model.name,
    title: title ? model.title : undefined,
    description: model.description,
    icons: icons ? model.icons : undefined,
    _meta: title ? model.meta : undefined,
  });
}

// Conversion in both directions, one or many, for every primitive. A converter writes the two single conversions;
// the batches, which leave out what has no counterpart, are the same for all. The bases below name them for one primitive.
// What is written may depend on the revision of MCP it is for: what that one does not know is left out.
import type { ToolAnnotations } from './annotations.ts';
import type { Group } from './group.ts';
import type { Prompt, PromptArgument } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';
import { WIRE_FEATURES, type WireFeatures, type WireVersion } from './wire.ts';

type Batch<Item> = Iterable<Item | null | undefined>;

export abstract class ConverterBase<Source, Target> {
  protected readonly version: WireVersion;

  constructor(version: WireVersion = '2026-07-28') {
    this.version = version;
  }

  protected get features(): WireFeatures {
    return WIRE_FEATURES[this.version];
  }

  /** The target for this source, or null when it has none. */
  abstract convertFrom(source: Source): Target | null;

  /** The source for this target, or null when it has none. */
  abstract convertTo(target: Target): Source | null;

  convertFromBatch(sources: Batch<Source>): Target[] {
    return convertAll(sources, (source) => this.convertFrom(source));
  }

  convertToBatch(targets: Batch<Target>): Source[] {
    return convertAll(targets, (target) => this.convertTo(target));
  }
}

export abstract class ToolConverterBase<Target> extends ConverterBase<Tool, Target> {
  readonly convertFromTool = (tool: Tool) => this.convertFrom(tool);
  readonly convertFromTools = (tools: Batch<Tool>) => this.convertFromBatch(tools);
  readonly convertToTool = (target: Target) => this.convertTo(target);
  readonly convertToTools = (targets: Batch<Target>) => this.convertToBatch(targets);
}

export abstract class GroupConverterBase<Target> extends ConverterBase<Group, Target> {
  readonly convertFromGroup = (group: Group) => this.convertFrom(group);
  readonly convertFromGroups = (groups: Batch<Group>) => this.convertFromBatch(groups);
  readonly convertToGroup = (target: Target) => this.convertTo(target);
  readonly convertToGroups = (targets: Batch<Target>) => this.convertToBatch(targets);
}

export abstract class PromptConverterBase<Target> extends ConverterBase<Prompt, Target> {
  readonly convertFromPrompt = (prompt: Prompt) => this.convertFrom(prompt);
  readonly convertFromPrompts = (prompts: Batch<Prompt>) => this.convertFromBatch(prompts);
  readonly convertToPrompt = (target: Target) => this.convertTo(target);
  readonly convertToPrompts = (targets: Batch<Target>) => this.convertToBatch(targets);
}

export abstract class PromptArgumentConverterBase<Target> extends ConverterBase<PromptArgument, Target> {
  readonly convertFromPromptArguments = (list: Batch<PromptArgument>) => this.convertFromBatch(list);
  readonly convertToPromptArguments = (targets: Batch<Target>) => this.convertToBatch(targets);
}

export abstract class ResourceConverterBase<Target> extends ConverterBase<Resource, Target> {
  readonly convertFromResource = (resource: Resource) => this.convertFrom(resource);
  readonly convertFromResources = (resources: Batch<Resource>) => this.convertFromBatch(resources);
  readonly convertToResource = (target: Target) => this.convertTo(target);
  readonly convertToResources = (targets: Batch<Target>) => this.convertToBatch(targets);
}

export abstract class ToolAnnotationsConverterBase<Target> extends ConverterBase<ToolAnnotations, Target> {
  readonly convertFromToolAnnotations = (annotations: ToolAnnotations) => this.convertFrom(annotations);
  readonly convertToToolAnnotations = (target: Target) => this.convertTo(target);
}

function convertAll<From, To>(items: Batch<From>, convert: (item: From) => To | null): To[] {
  return [...items].flatMap((item) => {
    const result = item === null || item === undefined ? null : convert(item);
    return result === null ? [] : [result];
  });
}

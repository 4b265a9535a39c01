// The base classes of converters. A converter implements the conversion of one item in both directions. Conversions of lists are
// the same for all of them, and leave out items that have no counterpart. Each class below names the conversions for one primitive.
// A converter is for one revision of MCP, and leaves out what that revision does not have.
import type { ToolAnnotations } from './annotations.ts';
import type { Group } from './group.ts';
import type { Prompt, PromptArgument } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Tool } from './tool.ts';
import { WIRE_FEATURES, type WireFeatures, type WireVersion } from './wire.ts';

type Batch<Item> = Iterable<Item | null | undefined>;

/**
 * The base class of converters. A subclass implements both directions for one item.
 *
 * ```ts
 * class NameConverter extends ConverterBase<Tool, string> {
 *   convertFrom = (tool: Tool) => tool.name;
 *   convertTo = () => null;
 * }
 * console.assert(new NameConverter().convertFromBatch([]).length === 0);
 * ```
 */
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

/**
 * The base class of converters for tools.
 *
 * ```ts
 * class ToolNames extends ToolConverterBase<string> {
 *   convertFrom = (tool: Tool) => tool.name;
 *   convertTo = () => null;
 * }
 * console.assert(new ToolNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class ToolConverterBase<Target> extends ConverterBase<Tool, Target> {
  convertFromTool(tool: Tool) {
    return this.convertFrom(tool);
  }

  convertFromTools(tools: Batch<Tool>) {
    return this.convertFromBatch(tools);
  }

  convertToTool(target: Target) {
    return this.convertTo(target);
  }

  convertToTools(targets: Batch<Target>) {
    return this.convertToBatch(targets);
  }
}

/**
 * The base class of converters for groups.
 *
 * ```ts
 * class GroupNames extends GroupConverterBase<string> {
 *   convertFrom = (group: Group) => group.name;
 *   convertTo = () => null;
 * }
 * console.assert(new GroupNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class GroupConverterBase<Target> extends ConverterBase<Group, Target> {
  convertFromGroup(group: Group) {
    return this.convertFrom(group);
  }

  convertFromGroups(groups: Batch<Group>) {
    return this.convertFromBatch(groups);
  }

  convertToGroup(target: Target) {
    return this.convertTo(target);
  }

  convertToGroups(targets: Batch<Target>) {
    return this.convertToBatch(targets);
  }
}

/**
 * The base class of converters for prompts.
 *
 * ```ts
 * class PromptNames extends PromptConverterBase<string> {
 *   convertFrom = (prompt: Prompt) => prompt.name;
 *   convertTo = () => null;
 * }
 * console.assert(new PromptNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class PromptConverterBase<Target> extends ConverterBase<Prompt, Target> {
  convertFromPrompt(prompt: Prompt) {
    return this.convertFrom(prompt);
  }

  convertFromPrompts(prompts: Batch<Prompt>) {
    return this.convertFromBatch(prompts);
  }

  convertToPrompt(target: Target) {
    return this.convertTo(target);
  }

  convertToPrompts(targets: Batch<Target>) {
    return this.convertToBatch(targets);
  }
}

/**
 * The base class of converters for arguments of prompts.
 *
 * ```ts
 * class PromptArgumentNames extends PromptArgumentConverterBase<string> {
 *   convertFrom = (argument: PromptArgument) => argument.name;
 *   convertTo = () => null;
 * }
 * console.assert(new PromptArgumentNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class PromptArgumentConverterBase<Target> extends ConverterBase<PromptArgument, Target> {
  convertFromPromptArguments(list: Batch<PromptArgument>) {
    return this.convertFromBatch(list);
  }

  convertToPromptArguments(targets: Batch<Target>) {
    return this.convertToBatch(targets);
  }
}

/**
 * The base class of converters for resources.
 *
 * ```ts
 * class ResourceNames extends ResourceConverterBase<string> {
 *   convertFrom = (resource: Resource) => resource.name;
 *   convertTo = () => null;
 * }
 * console.assert(new ResourceNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class ResourceConverterBase<Target> extends ConverterBase<Resource, Target> {
  convertFromResource(resource: Resource) {
    return this.convertFrom(resource);
  }

  convertFromResources(resources: Batch<Resource>) {
    return this.convertFromBatch(resources);
  }

  convertToResource(target: Target) {
    return this.convertTo(target);
  }

  convertToResources(targets: Batch<Target>) {
    return this.convertToBatch(targets);
  }
}

/**
 * The base class of converters for annotations.
 *
 * ```ts
 * class ToolAnnotationsNames extends ToolAnnotationsConverterBase<string> {
 *   convertFrom = ({ title }: ToolAnnotations) => title ?? null;
 *   convertTo = () => null;
 * }
 * console.assert(new ToolAnnotationsNames().convertFromBatch([]).length === 0);
 * ```
 */
export abstract class ToolAnnotationsConverterBase<Target> extends ConverterBase<ToolAnnotations, Target> {
  convertFromToolAnnotations(annotations: ToolAnnotations) {
    return this.convertFrom(annotations);
  }

  convertToToolAnnotations(target: Target) {
    return this.convertTo(target);
  }
}

function convertAll<From, To>(items: Batch<From>, convert: (item: From) => To | null): To[] {
  return [...items].flatMap((item) => {
    const result = item === null || item === undefined ? null : convert(item);
    return result === null ? [] : [result];
  });
}

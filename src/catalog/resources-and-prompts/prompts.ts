// Prompts: declared in domain files as templates, or native functions. `{{argument}}` is replaced, resources embedded.

import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Content, Outcome } from '../../call/outcome.ts';
import type { Args, Domain, PromptSpec } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import type { WirePrompt } from '../../model/wire.ts';
import { freezeMap } from '../frozen-map.ts';
import type { ReadOutcome } from './resources.ts';

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Content;
}

export interface PromptOutcome {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly inputRequired?: Outcome['inputRequired'];
}

export interface PromptEntry {
  readonly definition: WirePrompt;
  readonly get: (context: ExecutionContext, args: Args) => Promise<PromptOutcome>;
  /** Values to complete an argument with. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** Reads a resource by URI, so that a prompt can embed it. */
export type ReadResource = (context: ExecutionContext, uri: string) => Promise<ReadOutcome>;

export function buildPrompts(
  domains: readonly Domain[],
  readResource: ReadResource,
  native: readonly PromptEntry[] = [],
): ReadonlyMap<string, PromptEntry> {
  const prompts = new Map<string, PromptEntry>();
  for (const entry of [
    ...domains.flatMap(({ prompts: specs }) => specs.map((spec) => toEntry(spec, readResource))),
    ...native,
  ]) {
    const { name } = entry.definition;
    if (prompts.has(name))
      throw new GatewayError('BAD_CONFIG', `Two prompts are called "${name}"; rename one of them.`);
    prompts.set(name, entry);
  }
  return freezeMap(prompts);
}

function toEntry(spec: PromptSpec, readResource: ReadResource): PromptEntry {
  const declared = new Map(spec.arguments.map((argument) => [argument.name, argument]));
  return Object.freeze({
    definition: {
      name: spec.name,
      ...(spec.title !== undefined && { title: spec.title }),
      ...(spec.description !== undefined && { description: spec.description }),
      ...(spec.arguments.length > 0 && {
        arguments: spec.arguments.map(({ name, description, required }) => ({
          name,
          ...(description !== undefined && { description }),
          ...(required && { required }),
        })),
      }),
    },
    values: Object.fromEntries(spec.arguments.flatMap(({ name, values }) => (values ? [[name, values]] : []))),
    get: async (context: ExecutionContext, args: Args) => {
      check(spec, declared, args);
      const fill = (text: string) =>
        text.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => String(args[name] ?? ''));
      const messages: PromptMessage[] = [];
      for (const { role, text, resource } of spec.messages) {
        if (text !== undefined) messages.push({ role, content: { type: 'text', text: fill(text) } });
        if (resource === undefined) continue;
        const { contents } = await readResource(context, fill(resource));
        for (const item of contents) messages.push({ role, content: { type: 'resource', resource: item } });
      }
      return { ...(spec.description !== undefined && { description: spec.description }), messages };
    },
  });
}

function check(spec: PromptSpec, declared: ReadonlyMap<string, PromptSpec['arguments'][number]>, args: Args): void {
  const problems: string[] = [];
  for (const { name, required } of spec.arguments) {
    if (required && (args[name] === undefined || args[name] === '')) problems.push(`missing \`${name}\``);
  }
  for (const [key, value] of Object.entries(args)) {
    const argument = declared.get(key);
    if (!argument) problems.push(`unknown \`${key}\``);
    else if (typeof value !== 'string') problems.push(`\`${key}\` must be a string`);
    else if (argument.values && !argument.values.includes(value)) {
      problems.push(`\`${key}\` must be one of ${argument.values.join(', ')}`);
    }
  }
  if (problems.length === 0) return;
  const names = [...declared.keys()].join(', ') || 'none';
  throw new GatewayError(
    'INVALID_PARAMS',
    `Invalid arguments for the prompt ${spec.name}: ${problems.join('; ')}. Its arguments: ${names}.`,
    {
      prompt: spec.name,
      errors: problems,
    },
  );
}

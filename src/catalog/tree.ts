// The model of everything on offer: the server's root, a group per domain, a group per tag below it, and each operation
// a leaf in every group it is tagged with. Exposure modes, profiles and filters all walk this tree.
import type { Domain, Endpoint, JsonSchema } from '../endpoint/model.ts';
import type { ToolAnnotations } from '../model/annotations.ts';
import { Group } from '../model/group.ts';
import { Prompt, PromptArgument } from '../model/prompt.ts';
import { Resource } from '../model/resource.ts';
import { Tool } from '../model/tool.ts';
import type { Operation } from '../orchestration/operation.ts';
import { aggregateAnnotations, toActionHints } from './aggregate-hints.ts';
import { describeEndpoint } from './endpoint-text.ts';
import { buildOperationSchema, relaxOutputSchema } from './operation-schema.ts';
import { toToolName } from './tool-names.ts';

export interface Tree {
  readonly root: Group;
  /** The operation behind each leaf. */
  readonly operations: ReadonlyMap<Tool, Operation>;
}

export function buildTree(
  serverName: string,
  domains: readonly Domain[],
  operations: readonly Operation[],
  names: ReadonlyMap<string, string>,
): Tree {
  const root = new Group({ name: serverName });
  const byDomain = new Map<string, Operation[]>(domains.map((domain) => [domain.name, []]));
  for (const operation of operations) byDomain.get(operation.endpoint.domain)?.push(operation);
  const leaves = new Map<Tool, Operation>();
  for (const domain of domains) {
    const group = new Group({ name: domain.name, title: domain.title, description: domain.description });
    root.addGroup(group);
    const groups = new Map<string, Group>();
    for (const operation of byDomain.get(domain.name) ?? []) {
      const tool = toTool(operation, names.get(operation.endpoint.id) ?? operation.endpoint.toolName);
      for (const parent of placesOf(group, operation.endpoint, groups)) parent.addTool(tool);
      leaves.set(tool, operation);
    }
    addPrompts(group, domain);
  }
  return Object.freeze({ root: root.freeze(), operations: leaves });
}

/** The tag groups of an endpoint, made where they are missing; the domain itself when it has no tags. */
function placesOf(domain: Group, endpoint: Endpoint, known: Map<string, Group>): Group[] {
  if (endpoint.tags.length === 0) return [domain];
  return endpoint.tags.map((tag) => {
    let group = known.get(tag);
    if (!group) {
      const name = toToolName(tag);
      // Two spellings of one tag are one group.
      group = domain.findGroup(name) ?? new Group({ name, title: tag });
      if (!group.parent) domain.addGroup(group);
      known.set(tag, group);
    }
    return group;
  });
}

function toTool(operation: Operation, name: string): Tool {
  const { endpoint } = operation;
  return new Tool({
    name,
    title: endpoint.title,
    description: () => describeEndpoint(endpoint),
    inputSchema: () => buildOperationSchema(operation),
    outputSchema: (): JsonSchema | undefined =>
      endpoint.response.structured && endpoint.outputSchema !== undefined
        ? relaxOutputSchema(endpoint.outputSchema)
        : undefined,
    annotations: annotationsOf(endpoint),
  });
}

/** There are only a handful of different ones; thousands of tools share them. */
function annotationsOf(endpoint: Endpoint): ToolAnnotations {
  const key = `${endpoint.effect} ${endpoint.idempotent}`;
  let known = shared.get(key);
  if (!known) {
    known = aggregateAnnotations([toActionHints(endpoint)], { openWorldHint: true });
    shared.set(key, known);
  }
  return known;
}

const shared = new Map<string, ToolAnnotations>();

function addPrompts(group: Group, domain: Domain): void {
  for (const prompt of domain.prompts) {
    const list = prompt.arguments.map((argument) => new PromptArgument(argument));
    group.addPrompt(new Prompt({ ...prompt, arguments: list }));
  }
  for (const resource of domain.resources) {
    group.addResource(new Resource({ ...resource, size: Buffer.byteLength(resource.text) }));
  }
}

// The tree of everything that can be called: a group per domain, below it a group per tag, and each operation as a leaf of every group
// it is tagged with. Operations get their public names here.
import type { Domain, Endpoint, JsonSchema } from '../endpoint/model.ts';
import { groupNamesOf, qualifiedNamesOf } from '../endpoint/names.ts';
import { once } from '../endpoint/untrusted.ts';
import type { ToolAnnotations } from '../model/annotations.ts';
import { Group } from '../model/group.ts';
import { Tool } from '../model/tool.ts';
import type { Operation } from '../orchestration/operation.ts';
import { aggregateAnnotations, toActionHints } from './aggregate-hints.ts';
import { describeEndpoint, describeUniquely } from './endpoint-text.ts';
import { buildOperationSchema, relaxOutputSchema } from './operation-schema.ts';
import { assignToolNames } from './tool-names.ts';

/** An operation with its names. */
export interface CatalogOperation extends Operation {
  /** As a tool of its own and in search mode; unique in the gateway. */
  readonly name: string;
  /** `domain.group.action`, one per group; the first is the one to log. */
  readonly qualifiedNames: readonly [string, ...string[]];
  /** The leaf of the tree. */
  readonly tool: Tool;
}

/** A domain with its place in the tree, and its operations in tree order. */
export interface CatalogDomain {
  readonly domain: Domain;
  readonly group: Group;
  readonly operations: readonly CatalogOperation[];
}

/** Operations with their public names, in the same order. `reservedNames` are taken by others. */
export function toCatalogOperations(
  operations: readonly Operation[],
  reservedNames: Iterable<string>,
): CatalogOperation[] {
  const names = assignToolNames(
    operations.map(({ endpoint }) => endpoint),
    reservedNames,
  );
  // Comparing all texts is done when the first one is read; in search mode, none is.
  const texts = once(() => describeUniquely(operations.filter(isCallable).map(({ endpoint }) => endpoint)));
  return operations.map((operation) => {
    const { endpoint } = operation;
    const name = names.get(endpoint.id)!;
    const tool = toTool(operation, name, () => texts().get(endpoint) ?? describeEndpoint(endpoint));
    return Object.freeze(new NamedOperation(operation, name, tool));
  });
}

/** The getters are lazy: few qualified names are ever read, and controls need the operation's arguments. */
class NamedOperation implements CatalogOperation {
  readonly name: string;
  readonly tool: Tool;
  readonly endpoint: Endpoint;
  readonly run: Operation['run'];
  readonly controlNames: Operation['controlNames'];
  readonly #operation: Operation;

  constructor(operation: Operation, name: string, tool: Tool) {
    this.name = name;
    this.tool = tool;
    this.endpoint = operation.endpoint;
    this.run = operation.run;
    this.controlNames = operation.controlNames;
    this.#operation = operation;
  }

  get controls(): Operation['controls'] {
    return this.#operation.controls;
  }

  get controlKeys(): Operation['controlKeys'] {
    return this.#operation.controlKeys;
  }

  get qualifiedNames(): CatalogOperation['qualifiedNames'] {
    return qualifiedNamesOf(this.endpoint);
  }
}

/** Offered as a tool. */
export function isCallable({ endpoint }: Operation): boolean {
  return endpoint.expose !== 'resource';
}

/** Offered as a resource. */
export function isReadable({ endpoint }: Operation): boolean {
  return endpoint.expose !== 'tool' && endpoint.effect === 'read';
}

export function buildTree(domains: readonly Domain[], operations: readonly CatalogOperation[]): CatalogDomain[] {
  const byTool = new Map(operations.map((operation) => [operation.tool, operation]));
  const groups = new Map(
    domains.map(({ name, title, description }) => [name, new Group({ name, title, description })]),
  );
  const byTag = new Map<string, Group>();
  for (const { endpoint, tool } of operations) {
    const domain = groups.get(endpoint.domain);
    if (domain) for (const group of groupsOf(domain, endpoint, byTag)) group.addTool(tool);
  }
  return domains.map((domain) => {
    const group = groups.get(domain.name)!.freeze();
    return Object.freeze({ domain, group, operations: group.allTools().map((tool) => byTool.get(tool)!) });
  });
}

/** The tag groups of an endpoint, created as needed; the domain itself if it has no tags. */
function groupsOf(domain: Group, endpoint: Endpoint, byTag: Map<string, Group>): Group[] {
  const names = groupNamesOf(endpoint);
  if (names.length === 0) return [domain];
  return names.map((name) => {
    const key = `${domain.name}.${name}`;
    const existing = byTag.get(key);
    if (existing) return existing;
    const group = new Group({ name });
    domain.addGroup(group);
    byTag.set(key, group);
    return group;
  });
}

function toTool(operation: Operation, name: string, description: () => string): Tool {
  const { endpoint } = operation;
  return new Tool({
    name,
    localName: endpoint.action,
    title: () => endpoint.title,
    description,
    inputSchema: () => buildOperationSchema(operation),
    outputSchema: (): JsonSchema | undefined =>
      endpoint.response.structured && endpoint.outputSchema !== undefined
        ? relaxOutputSchema(endpoint.outputSchema)
        : undefined,
    annotations: annotationsOf(endpoint),
  });
}

/** Cached: thousands of tools have only a handful of different annotations. */
function annotationsOf(endpoint: Endpoint): ToolAnnotations {
  const hints = toActionHints(endpoint);
  const key = Object.values(hints).join();
  const annotations = cache.get(key) ?? aggregateAnnotations([hints], { openWorldHint: true });
  cache.set(key, annotations);
  return annotations;
}

const cache = new Map<string, ToolAnnotations>();

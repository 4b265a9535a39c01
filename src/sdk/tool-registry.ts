// ToolRegistry: the tools of a library user by name. They can be listed by tags, called, and attached to a server of the official SDK.

import type { ExecutionContext, RequestFacts } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import type { GroupedToolBuilder } from '../catalog/grouped/grouped-tool-builder.ts';
import type { ToolDefinition, ToolEntry } from '../catalog/tool-entry.ts';
import { collectSecrets } from '../credentials/secrets.ts';
import type { Args } from '../endpoint/model.ts';
import { createRedactor } from '../endpoint/redaction/redact.ts';
import { hint } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';
import { createRedaction, type Redaction } from '../orchestration/redaction.ts';
import { type AttachOptions, attach, type Detach } from './attach.ts';

/** Selects tools with at least one tag of `include`, if there are any, and no tag of `exclude`. */
export interface TagFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

type AnyBuilder = Pick<
  GroupedToolBuilder,
  'getName' | 'getTags' | 'getActionNames' | 'buildToolDefinition' | 'execute' | 'toEntry'
>;

/**
 * Tools by name. They can be listed by tags, called, and attached to a server of the official SDK.
 *
 * ```ts
 * const registry = new ToolRegistry().register(
 *   new GroupedToolBuilder('clock').action({ name: 'now', readOnly: true, handler: () => new Date().toISOString() }),
 * );
 * console.assert(registry.has('clock'));
 * ```
 */
export class ToolRegistry {
  readonly #builders = new Map<string, AnyBuilder>();

  register(builder: AnyBuilder): this {
    const name = builder.getName();
    if (this.#builders.has(name)) {
      throw new GatewayError('BAD_CONFIG', `A tool called "${name}" is already registered; rename one of them.`);
    }
    this.#builders.set(name, builder);
    return this;
  }

  registerAll(...builders: AnyBuilder[]): this {
    for (const builder of builders) this.register(builder);
    return this;
  }

  has(name: string): boolean {
    return this.#builders.has(name);
  }

  get size(): number {
    return this.#builders.size;
  }

  getNames(): string[] {
    return [...this.#builders.keys()];
  }

  getAllTools(): ToolDefinition[] {
    return this.getTools();
  }

  /** The definitions of the tools that pass the filter, in order of registration. */
  getTools(filter: TagFilter = {}): ToolDefinition[] {
    return this.#passing(filter).map((builder) => builder.buildToolDefinition());
  }

  /** The same tools as entries of a gateway: `createGateway({ native: { tools: registry.toEntries() } })`. */
  toEntries(filter: TagFilter = {}): ToolEntry[] {
    return this.#passing(filter).map((builder) => builder.toEntry());
  }

  /** Runs a tool by name. An unknown name is a protocol error, not a tool failure. */
  async routeCall(
    context: ExecutionContext | Partial<RequestFacts>,
    name: string,
    args: Args,
    filter: TagFilter = {},
  ): Promise<Outcome> {
    const builder = this.#find(name, filter);
    if (!builder) throw this.#missing(name, filter);
    return builder.execute(context, args);
  }

  /**
   * Serves these tools on an SDK `Server` or `McpServer` (v1 or v2), beside tools that it already has. Call it before
   * connecting. Returns a function that removes them again.
   */
  attachToServer(server: unknown, options: AttachOptions & { readonly filter?: TagFilter } = {}): Detach {
    const { filter = {}, secrets = [] } = options;
    let size = -1;
    let redaction: Redaction;
    return attach(
      server,
      {
        list: () => this.getTools(filter),
        tools: {
          find: (name) => {
            const builder = this.#find(name, filter);
            return builder && ((context, args) => builder.execute(context, args));
          },
          missing: (name) => this.#missing(name, filter),
        },
        redaction: () => {
          // Tools are never unregistered, so the same number of tools means the same tools.
          if (size !== this.size) redaction = createRedaction(createRedactor([...secrets, ...this.#secrets()]));
          size = this.size;
          return redaction;
        },
      },
      options,
    );
  }

  #find(name: string, filter: TagFilter): AnyBuilder | undefined {
    const builder = this.#builders.get(name);
    return builder && passes(builder, filter) ? builder : undefined;
  }

  #missing(name: string, filter: TagFilter): GatewayError {
    const names = this.#passing(filter).map((builder) => builder.getName());
    return new GatewayError('UNKNOWN_TOOL', `Unknown tool "${name}"; ${hint(name, names)}`, { tool: name });
  }

  /** The secrets of every REST operation of these tools. */
  #secrets(): string[] {
    const operations = this.toEntries().flatMap((entry) => entry.operations);
    return collectSecrets([{ endpoints: operations.map(({ endpoint }) => endpoint) }]);
  }

  #passing(filter: TagFilter): AnyBuilder[] {
    return [...this.#builders.values()].filter((builder) => passes(builder, filter));
  }
}

function passes(builder: AnyBuilder, { include, exclude }: TagFilter): boolean {
  const tags = builder.getTags();
  if (exclude?.some((tag) => tags.includes(tag))) return false;
  return include === undefined || include.length === 0 || include.some((tag) => tags.includes(tag));
}

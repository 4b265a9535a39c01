// createGateway(): wires every layer once. What comes out is fixed: restart to change it.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { createAdapter } from './adapter/adapter.ts';
import { compileOperation } from './catalog/operation.ts';
import { buildPrompts, type PromptEntry } from './catalog/prompts.ts';
import { buildRegistry, type Exposure, type Registry, type ToolEntry } from './catalog/registry.ts';
import { buildResources, type ResourceEntry, type ResourceTable, type TemplateEntry } from './catalog/resources.ts';
import type { Domain } from './endpoint/model.ts';
import { closest } from './endpoint/suggest.ts';
import { GatewayError } from './errors.ts';
import { createExecutor } from './executor/executor.ts';
import { createAudit, createSilentLog, type Logger } from './log.ts';
import type { Middleware } from './orchestration/call.ts';
import { createConfirmations, type SpentStore } from './orchestration/confirmations.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';
import type { Reply, RequestContext } from './protocol/context.ts';
import { META } from './protocol/eras.ts';
import { createProtocol, type Protocol } from './protocol/handle.ts';
import { createResultWriter } from './protocol/results.ts';

/** Entries that are not REST endpoints, registered in code. */
export interface NativeEntries {
  readonly tools?: readonly ToolEntry[];
  readonly resources?: readonly ResourceEntry[];
  readonly templates?: readonly TemplateEntry[];
  readonly prompts?: readonly PromptEntry[];
  /** Some handler uses `call.log`: offer logging to legacy clients. */
  readonly logging?: boolean;
  /** Offer resources/subscribe to legacy clients. */
  readonly subscribe?: boolean;
}

export interface GatewayOptions {
  readonly domains: readonly Domain[];
  readonly exposure?: Exposure | 'auto' | undefined;
  readonly tokenBudget?: number | undefined;
  readonly policy?: DeploymentPolicy | undefined;
  /** Around every REST call, outermost first; after validation and guard. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly native?: NativeEntries | undefined;
  readonly log?: Logger | undefined;
  /** Replaces the connection pools; asked at every call. */
  readonly dispatcher?: ((origin: string) => Dispatcher) | undefined;
  /** At least 32 bytes; replicas share one so that each accepts the others' confirmations. */
  readonly secret?: Buffer | undefined;
  readonly confirmationTtlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  readonly pageSize?: number | undefined;
  readonly elicitTimeoutMs?: number | undefined;
}

export interface Gateway {
  readonly name: string;
  readonly version: string;
  readonly domains: readonly Domain[];
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly protocol: Protocol;
  /** One message in, one answer out, without any transport. */
  handle(text: string, context?: Partial<RequestContext>): Promise<Reply | undefined>;
  close(): Promise<void>;
}

const { name: NAME, version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

/** Tools are fixed until a restart; five minutes bounds how long a client may miss one. */
const CACHING = { ttlMs: 300_000, cacheScope: 'public' } as const;

export function createGateway(options: GatewayOptions): Gateway {
  const { domains, native = {} } = options;
  const log = options.log ?? createSilentLog();
  const secret = options.secret ?? randomBytes(32);
  const executor = createExecutor({
    userAgent: `${NAME}/${VERSION}`,
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });
  const confirmations = createConfirmations({
    key: secret,
    ttlSeconds: options.confirmationTtlSeconds,
    spent: options.spent,
  });
  const parts = {
    executor,
    confirmations,
    policy: options.policy ?? { readOnly: false },
    middleware: options.middleware ?? [],
  };
  const operations = domains.flatMap((domain) =>
    domain.endpoints.map((endpoint) => compileOperation(endpoint, domain, parts)),
  );
  const registry = buildRegistry({
    domains,
    operations,
    ...(native.tools && { native: native.tools }),
    exposure: options.exposure ?? 'auto',
    tokenBudget: options.tokenBudget ?? 10_000,
    serverName: NAME,
  });
  const resources = buildResources(domains, operations, native);
  const prompts = buildPrompts(
    domains,
    async (call, uri) => {
      const entry = resources.resources.get(uri);
      if (entry) return entry.read(call);
      for (const template of resources.templates) {
        const args = template.match(uri);
        if (args) return template.read(call, args, uri);
      }
      throw new GatewayError('RESOURCE_NOT_FOUND', `The prompt embeds ${uri}, and there is no such resource.`, { uri });
    },
    native.prompts,
  );
  const adapter = createAdapter(
    {
      find: (name) => registry.tools.get(name)?.run,
      missing: (name) => unknownTool(name, registry),
    },
    createAudit(log),
  );
  const info = { name: NAME, version: VERSION, title: 'Landbridge' };
  const protocol = createProtocol({
    info,
    registry,
    resources,
    prompts,
    adapter,
    writer: createResultWriter({ [META.serverInfo]: info }),
    caching: CACHING,
    pageSize: options.pageSize ?? 1_000,
    logging: native.logging ?? false,
    subscribe: native.subscribe ?? false,
    sessionKey: secret,
    elicitTimeoutMs: options.elicitTimeoutMs,
    onInternalError: (error) => log.error({ err: error }, 'internal error'),
  });

  return {
    name: NAME,
    version: VERSION,
    domains,
    registry,
    resources,
    prompts,
    protocol,
    handle: async (text, context) =>
      protocol.handle(text, {
        transport: 'local',
        principal: { id: 'local' },
        signal: new AbortController().signal,
        ...context,
      }),
    close: async () => {
      protocol.close();
      await executor.close();
    },
  };
}

function unknownTool(name: string, registry: Registry): GatewayError {
  const near = closest(name, registry.tools.keys());
  return new GatewayError(
    'UNKNOWN_TOOL',
    `Unknown tool: ${name.slice(0, 100)}.${near ? ` Did you mean ${near}?` : ''} tools/list shows what there is.`,
    {
      failure_mode: 'unknown_tool',
      tool: name.slice(0, 100),
    },
  );
}

// Finds the operation that a call names: by any of its exact names, as an action of a grouped tool, through call_operation, or as an
// operation that only other callers see. Also builds the error for a call whose name does not exist.
import type { OperationFacts, RequestFacts } from '../call/execution-context.ts';
import type { Args } from '../endpoint/model.ts';
import { qualifiedNamesOf } from '../endpoint/names.ts';
import { suggestion } from '../endpoint/suggest.ts';
import { once } from '../endpoint/untrusted.ts';
import { GatewayError, ScopeError } from '../errors.ts';
import { inTurn } from '../event-loop/turns.ts';
import type { Operation } from '../orchestration/operation.ts';
import { memoizeByObject } from '../schema/memoize.ts';
import type { Registry } from './registry.ts';
import type { PromptTable } from './resources-and-prompts/prompts.ts';
import { findResource, type ResourceTable } from './resources-and-prompts/resources.ts';
import type { ToolEntry } from './tool-entry.ts';
import type { CatalogOperation } from './tree.ts';

/** Operations by the exact names they may be called by, in lower case: public names, operationId, method and path. */
export type OperationKeys = ReadonlyMap<string, CatalogOperation>;

/** Characters of a name that are compared. */
const MAX_KEY = 400;

/** Built once per list of operations. */
export const indexKeys: (operations: readonly CatalogOperation[]) => OperationKeys = memoizeByObject(buildKeys);

/** Public names first: an id or operationId never hides another operation's name. */
function buildKeys(operations: readonly CatalogOperation[]): OperationKeys {
  const keys = new Map<string, CatalogOperation>();
  const add = (key: string | undefined, operation: CatalogOperation) => {
    const lower = key?.toLowerCase();
    if (lower !== undefined && !keys.has(lower)) keys.set(lower, operation);
  };
  for (const operation of operations) add(operation.name, operation);
  for (const operation of operations) {
    const { id, toolName, source, method, path } = operation.endpoint;
    for (const key of [toolName, id, source.operationId, `${method} ${path}`, ...operation.qualifiedNames])
      add(key, operation);
  }
  return keys;
}

export function findByKey(keys: OperationKeys, text: string): CatalogOperation | undefined {
  return keys.get(text.slice(0, MAX_KEY).trim().toLowerCase());
}

type FindCalled = (tool: string, args: Args) => CatalogOperation | undefined;

const finders = new WeakMap<Registry, FindCalled>();

/**
 * Which operation a tools/call means, whether it names a tool or an operation. Undefined: there is no such operation, or the call
 * does not specify which one.
 */
function findCalledIn(registry: Registry): FindCalled {
  let finder = finders.get(registry);
  if (finder === undefined) {
    finder = createFindCalled(registry);
    finders.set(registry, finder);
  }
  return finder;
}

function createFindCalled({ tools, operations }: Registry): FindCalled {
  const choices = new WeakMap<ToolEntry, ReadonlyMap<string, CatalogOperation>>();
  const choicesOf = (entry: ToolEntry): ReadonlyMap<string, CatalogOperation> => {
    let index = choices.get(entry);
    if (index === undefined) {
      index = indexChoices(entry);
      choices.set(entry, index);
    }
    return index;
  };
  return (tool, args) => {
    const entry = tools.get(tool);
    if (entry === undefined) return findByKey(indexKeys(operations), tool);
    if (entry.pickOf === undefined) return entry.operations[0] as CatalogOperation | undefined;
    const field = discriminatorOf(entry);
    const choice = field === undefined ? undefined : args[field];
    if (typeof choice !== 'string') return undefined;
    const operation = choicesOf(entry).get(choice) ?? findByKey(indexKeys(operations), choice);
    return operation && entry.operations.includes(operation) ? operation : undefined;
  };
}

/** The argument that picks an operation; the same for all operations of a tool. */
function discriminatorOf({ pickOf, operations: [first] }: ToolEntry): string | undefined {
  return Object.keys((first && pickOf?.(first)) ?? {})[0];
}

function indexChoices({ pickOf, operations }: ToolEntry): ReadonlyMap<string, CatalogOperation> {
  return new Map(
    operations.flatMap((operation) => {
      const [choice] = Object.values(pickOf?.(operation) ?? {});
      return typeof choice === 'string' ? [[choice, operation as CatalogOperation] as const] : [];
    }),
  );
}

/** What a caller can use. A Service is one. */
interface VisibleCatalog {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly prompts: PromptTable;
}

/** A catalog that contains more than the caller sees. */
export interface WiderCatalog {
  readonly catalog: VisibleCatalog;
  /** Why the caller does not see all of it. */
  readonly because: string;
}

type HiddenFacts = Omit<OperationFacts, 'argumentsDigest'>;
/** For calls of operations that only other callers see. The caller gets the answer for an unknown name; log and audit trail get this. */
export type FindHidden = (method: string, name: string, args: Args) => HiddenFacts | undefined;

/** `own` is what the caller sees. The first of the wider catalogs that has what was called gives the reason. */
export function createFindHidden(own: VisibleCatalog, wider: readonly WiderCatalog[]): FindHidden {
  return (method, name, args) => {
    if (factsOf(own, method, name, args) !== undefined) return undefined;
    for (const { catalog, because } of wider) {
      const facts = factsOf(catalog, method, name, args);
      if (facts !== undefined) return { ...facts, permission: Object.freeze({ policy: 'deny', because }) };
    }
    return undefined;
  };
}

/** What is called, if it is in this catalog. */
function factsOf(
  { registry, resources, prompts }: VisibleCatalog,
  method: string,
  name: string,
  args: Args,
): HiddenFacts | undefined {
  if (method === 'resources/read') return findResource(resources, name) && {};
  if (method === 'prompts/get') return prompts.has(name) ? {} : undefined;
  const endpoint = findCalledIn(registry)(name, args)?.endpoint;
  if (endpoint) return { operation: qualifiedNamesOf(endpoint)[0], effect: endpoint.effect };
  // Tools registered in code have no endpoint. For a tool with several operations, the arguments must specify which one is meant.
  return registry.tools.get(name)?.operations.length === 0 ? {} : undefined;
}

/**
 * For callers that could get a token with more permissions: a call of an operation that their token does not cover is refused with
 * the scopes it needs. For all other callers, such an operation does not exist. `part` is what the caller sees, `whole` what its
 * profile has.
 */
export function createStepUp(
  part: Registry,
  whole: Registry,
): (request: RequestFacts, name: string, args: Args) => GatewayError | undefined {
  return ({ principal, profile = '' }, name, args) => {
    if (principal.stepUp === undefined || findCalledIn(part)(name, args) !== undefined) return undefined;
    const operation = findCalledIn(whole)(name, args);
    const more = operation && principal.stepUp(profile, operation.endpoint.effect);
    return more && new ScopeError(operation.name, more.scopes, more.challenge);
  };
}

/**
 * The refusal of a call to a tool that does not exist, with what its caller probably meant. If the name is that of an operation
 * without a tool of its own, the error names the tool that calls it.
 */
export function createUnknownToolError({ operations, tools }: Registry): (name: string) => Promise<GatewayError> {
  // Any caller may send any name, so the tables are built once; and only on demand, because most gateways never need them.
  const entries = once(() => indexOperations(tools.values()));
  const names = once(() => new Set([...tools.keys(), ...operations.map((one) => one.name)]));
  const advise = async (name: string): Promise<{ advice: string; call?: object }> => {
    // With five thousand operations each step takes 20 ms: the names are collected in one turn of the event loop and compared in
    // another.
    const operation = await inTurn(() => findByKey(indexKeys(operations), name));
    const entry = operation && entries().get(operation);
    if (entry) {
      const pick = entry.pickOf?.(operation);
      const call = pick === undefined ? entry.tool.name : `${entry.tool.name} with ${JSON.stringify(pick)}`;
      return {
        advice: ` It is an operation: call ${call}.`,
        // The same for programs: what to call, and with which arguments beside those of the operation.
        call: { name: entry.tool.name, arguments: pick ?? {} },
      };
    }
    const question = await inTurn(() => suggestion(name, names()));
    return { advice: `${question} tools/list shows what there is.` };
  };
  return async (name) => {
    const tool = name.slice(0, 100);
    const { advice, ...details } = await advise(name);
    const message = `Unknown tool: ${tool}.${advice}`;
    return new GatewayError('UNKNOWN_TOOL', message, { failure_mode: 'unknown_tool', tool, ...details });
  };
}

/** The first tool that calls each operation. */
function indexOperations(entries: Iterable<ToolEntry>): ReadonlyMap<Operation, ToolEntry> {
  const tools = new Map<Operation, ToolEntry>();
  for (const entry of entries)
    for (const operation of entry.operations) if (!tools.has(operation)) tools.set(operation, entry);
  return tools;
}

// Search mode: three tools for any number of operations. Searching and describing send no request to an API. call_operation runs the
// operation as a direct call would, with the same guard and the same errors.

import type { Handler } from '../../call/handler.ts';
import type { Outcome } from '../../call/outcome.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { type Args, EFFECTS, type JsonSchema } from '../../endpoint/model.ts';
import { askFor, closest } from '../../endpoint/suggest.ts';
import { once } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { inTurn } from '../../event-loop/turns.ts';
import { Tool, type ToolInit } from '../../model/tool.ts';
import { CONTROL_NAMES, CONTROL_SCHEMAS, type ControlName, mergeControls } from '../../orchestration/controls.ts';
import { toFailure } from '../../orchestration/failure.ts';
import { markFailure } from '../../orchestration/handler-result.ts';
import { ArgumentsError } from '../../schema/explain/refusal.ts';
import { aggregateAnnotations, toActionHints } from '../aggregate-hints.ts';
import { describeBriefly } from '../endpoint-text.ts';
import type { ActionIndex, FoundAction } from '../grouped/action-index.ts';
import { groupBy } from '../maps.ts';
import { textResult } from '../native/plain-results.ts';
import { findByKey, indexKeys, type OperationKeys } from '../operation-lookup.ts';
import { createEntry, type ToolEntry } from '../tool-entry.ts';
import type { CatalogDomain, CatalogOperation } from '../tree.ts';
import { describeOperation, fitArgumentsSchema, toSignature } from './describe-operation.ts';
import { findOperations, matchesFilter, type SearchFilter, searchOperations } from './find-operations.ts';
import { buildIndex, type SearchIndex } from './search-index.ts';

export const SEARCH_TOOLS = ['search_operations', 'describe_operation', 'call_operation'] as const;

const DEFAULT_HITS = 10;
const MAX_HITS = 30;
const MAX_LINE = 100;
const MAX_DOMAINS = 40;
/** Groups that are listed if the hits match loosely. */
const MAX_HINTED = 20;

interface Catalog {
  readonly domains: readonly { readonly name: string; readonly title: string }[];
  readonly operations: readonly CatalogOperation[];
  readonly keys: () => OperationKeys;
  /** Built by `prepare` or by the first search. */
  readonly index: () => Promise<SearchIndex>;
}

/** `actions` are those of grouped tools beside these. */
export function buildSearch(domains: readonly CatalogDomain[], actions?: Actions): ToolEntry[] {
  const catalog = toCatalog(domains);
  return [searchTool(catalog), describeTool(catalog, actions), callTool(catalog)];
}

/** The describe_operation of grouped mode: it describes in full what grouped tools describe briefly. */
export function buildDescribe(domains: readonly CatalogDomain[], actions: Actions): ToolEntry {
  return describeTool(toCatalog(domains), actions);
}

type Actions = () => Promise<ActionIndex>;

function toCatalog(domains: readonly CatalogDomain[]): Catalog {
  const operations = domains.flatMap((domain) => domain.operations);
  return {
    domains: domains.map(({ domain }) => domain),
    operations,
    keys: () => indexKeys(operations),
    index: once(() => buildIndex(operations)),
  };
}

const LOOKUP = aggregateAnnotations([{ readOnly: true, idempotent: true }], { openWorldHint: false });

function searchTool(catalog: Catalog): ToolEntry {
  const { domains, operations } = catalog;
  const about = domains.length > 1 ? `${domains.length} APIs` : (domains[0]?.title ?? 'the API');
  const names = domains.length <= MAX_DOMAINS ? { enum: domains.map(({ name }) => name) } : {};
  return toEntry(
    {
      name: 'search_operations',
      description: `Find operations of ${about} (${operations.length} in all) by what they do. Then describe_operation, then call_operation.`,
      annotations: LOOKUP,
    },
    {
      query: { type: 'string', description: 'Few words, e.g. "create issue"' },
      ...(domains.length > 1 && { domain: { type: 'string', ...names } }),
      effect: { type: 'string', enum: EFFECTS },
      limit: { type: 'integer', minimum: 1, maximum: MAX_HITS },
    },
    search(catalog),
    { prepare: catalog.index },
  );
}

function describeTool(catalog: Catalog, actions?: Actions): ToolEntry {
  const about = { description: 'Arguments, examples, effect and answer of one operation.', annotations: LOOKUP };
  const description = actions === undefined ? 'Name from search_operations' : 'Its name, or tool.action';
  const properties = { operation: { type: 'string', description } };
  const run: Handler = async (context, args) => {
    const name = String(args.operation);
    const places = (await actions?.())?.find(name) ?? [];
    const [action, ...others] = new Set(places.map(({ operation }) => operation));
    if (others.length > 0) throw refuseAmbiguous(context.label, name, places);
    const operation =
      action ?? (await findOperation(catalog, context.label, name, actions && 'Name it as tool.action.'));
    return textResult(await describeOperation(operation, places));
  };
  const prepare = async () => {
    await actions?.();
    await inTurn(catalog.keys);
  };
  return toEntry({ name: 'describe_operation', ...about }, properties, run, { prepare });
}

const MAX_PLACES = 20;

function refuseAmbiguous(tool: string, name: string, places: readonly FoundAction[]): GatewayError {
  const names = places.slice(0, MAX_PLACES).map((place) => `${place.tool}.${place.action}`);
  const message = `Several tools have an action ${JSON.stringify(name.slice(0, MAX_LINE))}; name one of: ${names.join(', ')}`;
  return new GatewayError('VALIDATION', message, { tool, errors: [{ path: 'operation', message }] });
}

function callTool(catalog: Catalog): ToolEntry {
  const hints = catalog.operations.map(({ endpoint }) => toActionHints(endpoint));
  const controls = controlsOf(catalog.operations);
  return toEntry(
    {
      name: 'call_operation',
      description: 'Call one operation.',
      annotations: aggregateAnnotations(hints, { openWorldHint: true }),
    },
    { operation: { type: 'string' }, arguments: { type: 'object' }, ...controls },
    callOperation(catalog),
    {
      operations: catalog.operations,
      controls: Object.keys(controls),
      pickOf: (operation) => ({ operation: (operation as CatalogOperation).name, arguments: {} }),
    },
    readCall,
  );
}

/** The controls that any of the operations has. They are beside `arguments`, so they cannot clash with an argument of an API. */
function controlsOf(operations: readonly CatalogOperation[]): Readonly<Record<string, JsonSchema>> {
  const names = CONTROL_NAMES.filter((name) => operations.some(({ controlNames }) => controlNames.includes(name)));
  return Object.fromEntries(names.map((name) => [name, CONTROL_SCHEMAS[name]]));
}

/** The first property is the required one. */
function toEntry(
  about: Omit<ToolInit, 'inputSchema'>,
  properties: Readonly<Record<string, JsonSchema>>,
  run: Handler,
  { operations = [], ...more }: Partial<Pick<ToolEntry, 'operations' | 'pickOf' | 'controls' | 'prepare'>> = {},
  validate = (tool: Tool, args: Args) => tool.validateArguments(args),
): ToolEntry {
  const required = Object.keys(properties).slice(0, 1);
  const tool = new Tool({
    ...about,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  });
  return createEntry(tool, async (context, args) => run(context, validate(tool, args)), '', operations, more);
}

function search(catalog: Catalog): Handler {
  return async (_context, args) => {
    const { query, limit = DEFAULT_HITS, ...filter } = args as unknown as SearchArgs;
    // An exact name, operationId or `GET /path` comes first.
    const exact = findByKey(catalog.keys(), query);
    const first = exact && matchesFilter(exact, filter) ? [exact] : [];
    const { operations, weak } = await searchOperations(await catalog.index(), query, limit, filter);
    const hits = [...first, ...operations.filter((hit) => hit !== exact)].slice(0, limit);
    if (hits.length === 0) return textResult(describeNoHit(catalog, query, filter));
    const advice = weak && first.length === 0 ? listGroups(catalog, filter, MAX_HINTED) : [];
    const note = advice.length > 0 ? ['These match loosely. Ask again with the words of a group:', ...advice] : [];
    return textResult([...hits.map(toLine), ...note].join('\n'));
  };
}

interface SearchArgs extends SearchFilter {
  readonly query: string;
  readonly limit?: number;
}

/** `create_issue(owner, repo, title, body?) POST /repos/{owner}/{repo}/issues: Create an issue` */
function toLine({ name, endpoint }: CatalogOperation): string {
  const marks = [endpoint.effect === 'destructive' && 'destructive', endpoint.deprecated && 'deprecated'].filter(
    Boolean,
  );
  const place = `${endpoint.method} ${endpoint.path}${marks.length > 0 ? ` [${marks.join(', ')}]` : ''}`;
  return `${toSignature(name, endpoint)} ${place}: ${describeBriefly(endpoint, MAX_LINE)}`;
}

/** The answer if nothing matches: which domains or groups there are. */
function describeNoHit(catalog: Catalog, query: string, filter: SearchFilter): string {
  const { domain, effect } = filter;
  const filters = [domain && `domain ${domain}`, effect && `effect ${effect}`].filter(Boolean).join(', ');
  return [
    `Nothing matches "${query.slice(0, 100)}"${filters ? ` with ${filters}` : ''}. Try other or fewer words${filters ? ', or remove the filter' : ''}.`,
    ...listGroups(catalog, filter, MAX_DOMAINS),
  ].join('\n');
}

/** A line with the domains, or with the tags of the only domain. No line if there is nothing to choose. */
function listGroups({ domains, operations }: Catalog, filter: SearchFilter, limit: number): string[] {
  const single = domains.length === 1 || filter.domain !== undefined;
  const members = groupBy(
    operations.filter((operation) => matchesFilter(operation, filter)),
    ({ endpoint }) => (single ? endpoint.tags.slice(0, 1) : [endpoint.domain]),
  );
  const groups = [...members].slice(0, limit).map(([name, { length }]) => `${name} (${length})`);
  return groups.length > 0 ? [`${single ? 'Groups' : 'Domains'}: ${groups.join(', ')}`] : [];
}

/** Controls are not checked here: the operation validates them, beside or inside `arguments`. */
function readCall(tool: Tool, args: Args): Args {
  const entries = Object.entries(args);
  const isControl = (key: string) => CONTROL_NAMES.includes(key as ControlName);
  const beside = Object.fromEntries(entries.filter(([key]) => isControl(key)));
  const own = Object.fromEntries(entries.filter(([key]) => !isControl(key)));
  const misplacedKeys = Object.keys(own).filter((key) => key !== 'operation' && key !== 'arguments');
  if (misplacedKeys.length > 0 && own.operation !== undefined) throw refuseMisplaced(tool.name, own, misplacedKeys);
  return { ...tool.validateArguments(own), ...beside };
}

function refuseMisplaced(
  tool: string,
  { operation, arguments: inside }: Args,
  misplacedKeys: readonly string[],
): GatewayError {
  const names = misplacedKeys
    .slice(0, MAX_MISPLACED)
    .map((key) => `\`${key.slice(0, MAX_LINE)}\``)
    .join(', ');
  const example = `{ operation: ${JSON.stringify(String(operation).slice(0, MAX_LINE))}, arguments: { ${misplacedKeys[0]!.slice(0, MAX_LINE)}: …${isObject(inside) ? ', …' : ''} } }`;
  const message = `${names}${misplacedKeys.length > MAX_MISPLACED ? ' …' : ''} must be inside \`arguments\`: ${example}.`;
  return new GatewayError(
    'VALIDATION',
    `Invalid arguments for ${tool}; nothing was sent. Fix and call again:\n1. ${message}`,
    {
      tool,
      errors: misplacedKeys.slice(0, MAX_MISPLACED).map((path) => ({ path, message: 'must be inside `arguments`' })),
    },
  );
}

const MAX_MISPLACED = 10;

function callOperation(catalog: Catalog): Handler {
  return async (context, args) => {
    const operation = await findOperation(catalog, context.label, String(args.operation));
    const inner = context.withAction(operation.name);
    try {
      const own = mergeControls(inner.label, (args.arguments ?? {}) as Args, args, operation.controlKeys);
      return markFailure(await operation.run(inner, own), inner.label);
    } catch (error) {
      const failure = toFailure(inner, error);
      // The line about an invalid control names the accepted values; no schema is needed.
      const explanation = error instanceof ArgumentsError ? await withSchema(failure, error, operation) : failure;
      return markFailure(explanation, inner.label);
    }
  };
}

const MAX_SHOWN_SCHEMA = 2_500;

/** Shows the whole schema instead of the list of required arguments, which it contains. */
async function withSchema(
  failure: Outcome,
  { problemText }: ArgumentsError,
  operation: CatalogOperation,
): Promise<Outcome> {
  const schema = JSON.stringify(await fitArgumentsSchema(operation, MAX_SHOWN_SCHEMA));
  const text = `${problemText}\nArguments of ${operation.name}: ${schema}`;
  return {
    ...failure,
    content: [{ type: 'text', text }],
    structured: { ...(failure.structured as object | undefined), message: text },
  };
}

async function findOperation(
  catalog: Catalog,
  tool: string,
  name: string,
  advice = 'Use search_operations to find one.',
): Promise<CatalogOperation> {
  const operation = findByKey(catalog.keys(), name);
  if (operation) return operation;
  const key = await inTurn(() => closest(name, catalog.keys().keys()));
  // An operation has many keys; the advice names the public one.
  const near =
    key === undefined ? (await findOperations(await catalog.index(), name, 1))[0]?.name : catalog.keys().get(key)?.name;
  const rest = near ? `; ${askFor(`"${near}"`)}` : `. ${advice}`;
  const message = `There is no operation ${JSON.stringify(name.slice(0, 100))}${rest}`;
  throw new GatewayError('VALIDATION', message, { tool, errors: [{ path: 'operation', message }] });
}

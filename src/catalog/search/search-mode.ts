// Search mode: three tools over any number of operations. Finding and describing cost nothing upstream; calling goes the
// same way as a direct call, with the same guard and the same errors.

import type { Handler } from '../../call/handler.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args, Domain, Effect, JsonSchema } from '../../endpoint/model.ts';
import { closest } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import { Tool } from '../../model/tool.ts';
import { toFailure } from '../../orchestration/failure.ts';
import { markFailure } from '../../orchestration/handler-result.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { aggregateAnnotations, toActionHints } from '../aggregate-hints.ts';
import { describeBriefly } from '../endpoint-text.ts';
import { type ToolEntry, toEntry } from '../tool-entry.ts';
import { argumentsOf, describeOperation } from './describe-operation.ts';
import { findOperations } from './find-operations.ts';
import { buildIndex, type Entry, type Index } from './search-index.ts';
import { toSignature } from './signature.ts';

export const SEARCH_TOOLS = ['search_operations', 'describe_operation', 'call_operation'] as const;

const DEFAULT_HITS = 10;
const MAX_HITS = 30;
const MAX_LINE = 100;
const MAX_DOMAINS = 40;
const EFFECTS: readonly Effect[] = ['read', 'write', 'destructive'];

export function buildSearch(
  domains: readonly Pick<Domain, 'name' | 'title'>[],
  operations: readonly Operation[],
  names: ReadonlyMap<string, string>,
): ToolEntry[] {
  let index: Index | undefined;
  // The first search pays for the index; a gateway nobody searches never does.
  const catalog = () => {
    index ??= buildIndex(operations, names);
    return index;
  };
  const tools: [Tool, Handler][] = [
    [searchTool(domains, operations.length), search(catalog, domains)],
    [describeTool(), describe(catalog)],
    [callTool(operations), callOperation(catalog)],
  ];
  return tools.map(([tool, run]) => {
    const validate = createSchemaValidator(tool.inputSchema);
    const checked: Handler = async (context, args) => run(context, validate(context.label, args));
    return toEntry(tool, checked, '', tool.name === 'call_operation' ? operations : []);
  });
}

function searchTool(domains: readonly Pick<Domain, 'name' | 'title'>[], count: number): Tool {
  const several = domains.length > 1;
  const about = several ? `${domains.length} APIs` : (domains[0]?.title ?? 'the API');
  return new Tool({
    name: 'search_operations',
    description: `Find operations of ${about} (${count} in all) by what they do. Then describe_operation, then call_operation.`,
    inputSchema: objectSchema(
      {
        query: { type: 'string', description: 'Few words, e.g. "create issue"' },
        ...(several &&
          domains.length <= MAX_DOMAINS && { domain: { type: 'string', enum: domains.map(({ name }) => name) } }),
        ...(several && domains.length > MAX_DOMAINS && { domain: { type: 'string' } }),
        effect: { type: 'string', enum: EFFECTS },
        limit: { type: 'integer', minimum: 1, maximum: MAX_HITS },
      },
      ['query'],
    ),
    annotations: aggregateAnnotations([{ readOnly: true, idempotent: true }], { openWorldHint: false }),
  });
}

function describeTool(): Tool {
  return new Tool({
    name: 'describe_operation',
    description: 'Arguments, examples, effect and answer of one operation.',
    inputSchema: objectSchema({ operation: { type: 'string', description: 'Name from search_operations' } }, [
      'operation',
    ]),
    annotations: aggregateAnnotations([{ readOnly: true, idempotent: true }], { openWorldHint: false }),
  });
}

function callTool(operations: readonly Operation[]): Tool {
  return new Tool({
    name: 'call_operation',
    description: 'Call one operation. Its arguments, controls such as `fields` included, go into `arguments`.',
    inputSchema: objectSchema({ operation: { type: 'string' }, arguments: { type: 'object' } }, ['operation']),
    annotations: aggregateAnnotations(
      operations.map(({ endpoint }) => toActionHints(endpoint)),
      { openWorldHint: true },
    ),
  });
}

function objectSchema(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function search(catalog: () => Index, domains: readonly Pick<Domain, 'name' | 'title'>[]): Handler {
  return async (_context, args) => {
    const { query, domain, effect, limit = DEFAULT_HITS } = args as unknown as SearchArgs;
    const hits = findOperations(catalog(), query, limit, { domain, effect });
    return text(
      hits.length > 0 ? hits.map(toLine).join('\n') : nothingFound(catalog(), query, domain, effect, domains),
    );
  };
}

interface SearchArgs {
  readonly query: string;
  readonly domain?: string;
  readonly effect?: Effect;
  readonly limit?: number;
}

/** `create_issue(owner, repo, title, body?) POST /repos/{owner}/{repo}/issues: Create an issue` */
function toLine({ name, operation: { endpoint } }: Entry): string {
  const marks = [endpoint.effect === 'destructive' && 'destructive', endpoint.deprecated && 'deprecated'].filter(
    Boolean,
  );
  const place = `${endpoint.method} ${endpoint.path}${marks.length > 0 ? ` [${marks.join(', ')}]` : ''}`;
  return `${toSignature(name, endpoint)} ${place}: ${describeBriefly(endpoint, MAX_LINE)}`;
}

/** No hit is a good moment to say what there is. */
function nothingFound(
  index: Index,
  query: string,
  domain: string | undefined,
  effect: Effect | undefined,
  domains: readonly Pick<Domain, 'name' | 'title'>[],
): string {
  const filtered = [domain && `domain ${domain}`, effect && `effect ${effect}`].filter(Boolean).join(', ');
  const counts = new Map<string, number>();
  const single = domains.length === 1;
  for (const { operation } of index.entries) {
    const { endpoint } = operation;
    for (const group of single ? endpoint.tags.slice(0, 1) : [endpoint.domain])
      counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const there = [...counts].slice(0, MAX_DOMAINS).map(([name, count]) => `${name} (${count})`);
  return [
    `Nothing matches "${query.slice(0, 100)}"${filtered ? ` with ${filtered}` : ''}. Try other or fewer words${filtered ? ', or without the filter' : ''}.`,
    ...(there.length > 0 ? [`${single ? 'Groups' : 'Domains'}: ${there.join(', ')}`] : []),
  ].join('\n');
}

function describe(catalog: () => Index): Handler {
  return async (context, args) => {
    const entry = pick(catalog(), context.label, String(args.operation));
    return text(describeOperation(entry.name, entry.operation));
  };
}

function callOperation(catalog: () => Index): Handler {
  return async (context, args) => {
    const entry = pick(catalog(), context.label, String(args.operation));
    const inner = context.withAction(entry.name);
    try {
      return markFailure(await entry.operation.run(inner, (args.arguments ?? {}) as Args), inner.label);
    } catch (error) {
      const failure = toFailure(inner, error);
      const isLesson = error instanceof GatewayError && error.code === 'VALIDATION';
      return markFailure(isLesson ? withSchema(failure, entry) : failure, inner.label);
    }
  };
}

const MAX_LESSON = 2_500;

/** Wrong arguments are answered with the right ones. */
function withSchema(outcome: Outcome, { name, operation }: Entry): Outcome {
  const [first, ...rest] = outcome.content;
  if (first?.type !== 'text') return outcome;
  const lesson = `${first.text}\nArguments of ${name}: ${JSON.stringify(argumentsOf(operation, MAX_LESSON))}`;
  return {
    ...outcome,
    content: [{ type: 'text', text: lesson }, ...rest],
    structured: { ...(outcome.structured as object | undefined), message: lesson },
  };
}

function pick(index: Index, tool: string, asked: string): Entry {
  const entry = index.byKey.get(asked.trim().toLowerCase());
  if (entry) return entry;
  const near = closest(asked, index.byKey.keys()) ?? findOperations(index, asked, 1)[0]?.name;
  const message = `There is no operation ${JSON.stringify(asked.slice(0, 100))}${near ? `; did you mean "${near}"?` : '.'} Use search_operations to find one.`;
  throw new GatewayError('VALIDATION', message, { tool, errors: [{ path: 'operation', message }] });
}

function text(value: string): Outcome {
  return { content: [{ type: 'text', text: value }], isError: false };
}

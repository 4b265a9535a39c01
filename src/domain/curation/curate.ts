import { withProofs } from '../../credentials/declarations.ts';
import type { Environment } from '../../endpoint/environment.ts';
import { readHeaders } from '../../endpoint/headers/header-fields.ts';
import { isArgumentHeader, isMethodParameter } from '../../endpoint/headers/header-names.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { toSummary } from '../../endpoint/plain-text.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint, isRoute } from '../../endpoint/suggest.ts';
import { mergeAudit } from '../definition/audit-plan.ts';
import { argumentsOverwritingHeaders, mergeHeaders } from '../definition/caller-header-rules.ts';
import { buildToolName, checkExpose, checkPaging } from '../definition/declared-names.ts';
import type { ArgAddition, ArgCuration, DomainDefinition, OperationCuration } from '../definition/definition-types.ts';
import { checkPick } from '../definition/pick-paths.ts';
import { isAddition } from '../definition/shape/curation-schema.ts';
import { withFields } from './copy-endpoint.ts';
import { curateArguments, curateBody } from './curate-arguments.ts';
import { addArguments, openOperation } from './extend-operation.ts';

export interface CurationContext {
  /** The prefix of tool names; may be empty. */
  readonly prefix: string;
  readonly file: string;
  readonly env: Environment;
  readonly problems: Problem[];
}

const COPIED_FIELDS = [
  'title',
  'summary',
  'description',
  'tags',
  'effect',
  'idempotent',
  'guard',
  'confirm',
  'pagination',
  'examples',
  'expose',
  'lenient',
] as const;

/** Applies one entry of `operations:`; `at` is its path in the file. */
function curate(
  endpoint: Endpoint,
  curation: OperationCuration,
  at: readonly string[],
  context: CurationContext,
): Endpoint {
  const origins: Record<string, string> = {};
  const changes: { -readonly [Key in keyof Endpoint]?: Endpoint[Key] } = {};
  const note = (what: string, field = what) => {
    origins[what] = `${context.file}: ${[...at, field].join('.')}`;
  };
  if (curation.name !== undefined) {
    changes.action = curation.name;
    changes.toolName = buildToolName(context.prefix, curation.name, 'shorten it', [...at, 'name'], context.problems);
    changes.id = `${endpoint.domain}.${curation.name}`;
    note('name');
  }
  for (const field of COPIED_FIELDS) {
    if (curation[field] === undefined) continue;
    Object.assign(changes, { [field]: curation[field] });
    note(field);
  }
  if (origins.effect !== undefined) changes.effectReason = origins.effect;
  // The document's description would repeat the author's summary in other words.
  if (curation.summary !== undefined && curation.description === undefined) {
    Object.assign(changes, { description: undefined });
  }
  if (curation.description !== undefined && curation.summary === undefined) {
    changes.summary = toSummary(curation.description);
    note('summary', 'description');
  }
  if (curation.headers !== undefined) {
    const plan = readHeaders(curation.headers, context.env, [...at, 'headers'], context.problems);
    const { headers, callerHeaders = [] } = endpoint;
    Object.assign(changes, { callerHeaders: [] }, mergeHeaders({ headers, callerHeaders }, plan));
    changes.security = withProofs(endpoint.security, plan.credentials);
  }
  if (curation.response !== undefined) {
    changes.response = { ...endpoint.response, ...curation.response };
    // without a pick, outputSchema is not built
    const schema = curation.response.pick && endpoint.outputSchema;
    context.problems.push(...checkPick(curation.response.pick, schema, [...at, 'response']));
    note('response');
  }
  const audit = mergeAudit(endpoint.audit, curation.audit);
  if (audit !== endpoint.audit) {
    changes.audit = audit!;
    note('audit');
  }
  if (curation.timeoutMs !== undefined || curation.maxResponseBytes !== undefined) {
    changes.limits = {
      timeoutMs: curation.timeoutMs ?? endpoint.limits.timeoutMs,
      maxResponseBytes: curation.maxResponseBytes ?? endpoint.limits.maxResponseBytes,
    };
    note('limits', curation.timeoutMs === undefined ? 'maxResponseBytes' : 'timeoutMs');
  }
  for (const key of Object.keys(curation.args ?? {})) note(`argument ${key}`, `args.${key}`);

  const copy = withFields(endpoint, changes);
  const base = curation.body === undefined ? copy : curateBody(copy, curation.body, at, context.problems);
  if (curation.body !== undefined) note('body');
  const path = [...at, 'args'];
  const { changes: ownChanges, additions } = splitArguments(curation.args ?? {});
  const args = { ...(curation.effect === 'read' ? hideOverrides(endpoint) : {}), ...ownChanges };
  const variant = Object.keys(args).length === 0 ? base : curateArguments(base, args, path, context.problems);
  const extension =
    Object.keys(additions).length === 0 ? variant : addArguments(variant, additions, at, context.problems);
  const result = curation.additional === true ? openOperation(extension, at, context.problems) : extension;
  if (curation.additional === true) note('further arguments', 'additional');
  const keys = result.args.map((arg) => arg.key);
  context.problems.push(...checkPaging(curation.pagination, keys, at));
  context.problems.push(...checkExpose(curation.expose, endpoint.method, at));
  return withFields(result, {
    get provenance() {
      return { ...endpoint.provenance, ...origins };
    },
  });
}

function splitArguments(args: NonNullable<OperationCuration['args']>) {
  const changes: Record<string, ArgCuration> = {};
  const additions: Record<string, ArgAddition> = {};
  for (const [key, entry] of Object.entries(args)) {
    if (isAddition(entry)) additions[key] = entry;
    else changes[key] = entry;
  }
  return { changes, additions };
}

/** Arguments that override the HTTP method. Those of a write are harmless, but they would turn a read into another operation. */
function hideOverrides({ args }: Endpoint): Record<string, ArgCuration> {
  const overrides = args.filter((arg) =>
    arg.to.some((to) => {
      if (to.in === 'header') return !isArgumentHeader(to.name, 'read');
      return to.in === 'body' ? isMethodParameter(to.at[0] ?? '') : to.in === 'query' && isMethodParameter(to.name);
    }),
  );
  return Object.fromEntries(overrides.map((arg) => [arg.key, { hide: true }]));
}

/** Finds each operation by any of its names and applies the file's settings for it. */
export function curateOperations(
  endpoints: readonly Endpoint[],
  definition: DomainDefinition,
  context: CurationContext,
): readonly Endpoint[] {
  const curations = Object.entries(definition.operations ?? {});
  if (curations.length === 0) return endpoints.map((endpoint) => hideCallerArguments(endpoint, context));
  const index = new Map<string, number>();
  for (const [position, endpoint] of endpoints.entries()) {
    for (const key of operationNamesOf(endpoint)) if (!index.has(key)) index.set(key, position);
  }
  const out = [...endpoints];
  const byPosition = new Map<number, string>();
  for (const [key, curation] of curations) {
    const path = ['operations', key];
    const position = index.get(key) ?? index.get(toOperationKey(key));
    if (position === undefined) {
      const ids = endpoints.map((endpoint) =>
        isRoute(key) ? `${endpoint.method} ${endpoint.path}` : operationNamesOf(endpoint)[0]!,
      );
      const message = `there is no such operation (or include and exclude leave it out); ${hint(key, ids)}`;
      context.problems.push({ path, message });
      continue;
    }
    const other = byPosition.get(position);
    if (other !== undefined)
      context.problems.push({ path, message: `is the same operation as "${other}"; merge the two entries` });
    byPosition.set(position, key);
    out[position] = curate(out[position]!, curation, path, context);
  }
  return out.map((endpoint) => hideCallerArguments(endpoint, context));
}

/** Hides arguments for headers that the file itself writes, so that callers cannot set them. */
function hideCallerArguments(endpoint: Endpoint, { problems }: CurationContext): Endpoint {
  const keys = argumentsOverwritingHeaders(endpoint);
  if (keys.length === 0) return endpoint;
  const hidden = Object.fromEntries(keys.map((key) => [key, { hide: true, required: false }]));
  return curateArguments(endpoint, hidden, ['headers'], problems);
}

/** `get /tasks` is `GET /tasks`. */
export function toOperationKey(key: string): string {
  return key.replace(/^[a-z]+ /, (method) => method.toUpperCase());
}

/** Every name by which a file may call an operation, the least ambiguous first. */
export function operationNamesOf({ source, method, path, action, toolName }: Endpoint): string[] {
  return [...(source.operationId === undefined ? [] : [source.operationId]), `${method} ${path}`, action, toolName];
}

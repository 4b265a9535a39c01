// Validates the document's own examples as calls: if the gateway refuses one, the example or the schema is wrong.

import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Endpoint } from '../../endpoint/model.ts';
import { own, parseJson } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { type ExampleCall, exampleCalls } from '../../schema/example-calls.ts';
import type { ArgumentProblem } from '../../schema/explain/refusal.ts';
import { splitPath } from '../../schema/explain/show.ts';
import { copyOf, setOwn } from '../../schema/keywords.ts';
import { type DiagnoseInput, type Finding, type Repair, repairOperation } from '../finding.ts';
import { propertiesOf } from '../properties-of.ts';

const MAX_MESSAGE = 400;

/** An example that the gateway refuses. */
interface Refusal {
  readonly call: ExampleCall;
  readonly problems: readonly ArgumentProblem[];
  /** For each problem: how the example is miswritten, if that is the cause. */
  readonly typos: readonly (string | undefined)[];
}

export function* checkExamples({ registry }: DiagnoseInput): Generator<Finding> {
  /** An example in a shared schema is tried with the first operation that has it. */
  const places = new Set<string>();
  for (const { name, endpoint } of registry.operations) {
    const refusals: Refusal[] = [];
    for (const call of exampleCalls(endpoint)) {
      const place = `${endpoint.domain} ${call.place}`;
      if (call.inSchema && places.has(place)) continue;
      places.add(place);
      const problems = problemsOf(call);
      if (problems.length > 0)
        refusals.push({ call, problems, typos: problems.map((problem) => findTypo(call, problem)) });
    }
    const others = refusals.filter((refusal) => refusal.typos.includes(undefined));
    const [typo] = refusals.flatMap(({ typos }) => typos);
    if (others.length > 0) yield describeRefusals(name, endpoint, others);
    else if (typo !== undefined) {
      const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : '';
      yield {
        check: 'examples',
        severity: 'warning',
        where: name,
        message: `has a faulty example${more}: ${typo}`,
        fix: 'correct the example with an overlay, because models copy examples; the schema is right as it is',
      };
    }
  }
}

function describeRefusals(name: string, endpoint: Endpoint, refusals: readonly Refusal[]): Finding {
  const { call, problems } = refusals[0]!;
  const why = problems.map(({ message }) => message).join('; ');
  const lists = refusals.map((refusal) => repairsFor(endpoint, refusal));
  // Repairs that fix only some of the problems would leave the example refused.
  const isWhole = lists.every((list) => list.length > 0);
  const repairs = mergeValues(lists.flat());
  return {
    check: 'examples',
    severity: 'warning',
    where: name,
    message: `refuses an example of its document${refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : ''}: ${call.place}: ${why.slice(0, MAX_MESSAGE)}`,
    fix: isWhole
      ? 'if the API accepts what the example sends, allow it in the domain file; otherwise correct the example with an overlay, because models copy examples'
      : 'the schema or the example is wrong: correct it with an overlay, because a model that copies the example is refused',
    ...(isWhole && { repairs }),
    // Only a person can find out whether the API accepts a value that its enum lacks.
    ...(isWhole && repairs.some(({ value }) => Array.isArray(value)) && { isChoice: true }),
  };
}

/** How an example is miswritten: its value is valid without its quotation marks, without blanks, or parsed as JSON. */
function findTypo(call: ExampleCall, { path }: ArgumentProblem): string | undefined {
  const keys = splitPath(path);
  const value = keys.reduce<unknown>((inner, key) => own(inner, key), call.arguments);
  if (typeof value !== 'string' || keys.length === 0) return undefined;
  const valid = readings(value).find((reading) => {
    const copy = replaceAt(call.arguments, keys, reading) as Args;
    return !problemsOf({ ...call, arguments: copy }).some((problem) => problem.path.startsWith(path));
  });
  if (valid === undefined) return undefined;
  const [wrong, right] = [value, valid].map((one) => JSON.stringify(one).slice(0, MAX_SHOWN));
  return `${call.place}: \`${path}\` is written ${wrong}, and ${right} would be valid`;
}

const MAX_SHOWN = 80;

/** The values that a text may have been meant as. */
function readings(text: string): readonly unknown[] {
  const core = text.trim();
  const bare = /^(["'`])(.*)\1$/s.exec(core)?.[2]?.trim();
  return [core, bare, parseJson(core)].filter((reading) => reading !== undefined && reading !== text);
}

function replaceAt(value: unknown, keys: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return replacement;
  const copy = copyOf(value as object) as Record<string, unknown>;
  setOwn(copy, key, replaceAt(own(value, key), rest, replacement));
  return copy;
}

/** Lists of values for one argument, from several examples, as one. */
function mergeValues(repairs: readonly Repair[]): readonly Repair[] {
  const byPlace = new Map<string, Repair>();
  for (const repair of repairs) {
    const place = JSON.stringify(repair.path);
    const other = byPlace.get(place)?.value;
    const value =
      Array.isArray(other) && Array.isArray(repair.value) ? [...new Set([...other, ...repair.value])] : repair.value;
    byPlace.set(place, { ...repair, value });
  }
  return [...byPlace.values()];
}

function problemsOf(call: ExampleCall): readonly ArgumentProblem[] {
  try {
    createSchemaValidator(call.schema())('', call.arguments);
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { errors } = error.details;
    return Array.isArray(errors)
      ? (errors as ArgumentProblem[])
      : [{ path: '', problem: 'rule', message: error.message }];
  }
}

/** Domain file entries with which the arguments accept the example; empty if a domain file cannot do that. */
function repairsFor(endpoint: Endpoint, { call, problems, typos }: Refusal): readonly Repair[] {
  if (endpoint.source.kind !== 'openapi' || typos.some((typo) => typo !== undefined)) return [];
  const repairs = problems.map(({ path, problem }): Repair | undefined => {
    const arg = endpoint.args.find(({ key }) => key === path);
    if (problem === 'unknown' && arg === undefined && Object.hasOwn(call.arguments, path))
      return acceptsFields(endpoint) ? repairOperation(endpoint, ['additional'], true) : undefined;
    if (arg === undefined) return undefined;
    if (problem === 'missing' && !arg.to.some((target) => target.in === 'path'))
      return repairOperation(endpoint, ['args', path, 'required'], false);
    const values = problem === 'enum' ? enumOf(endpoint, path) : undefined;
    return values && repairOperation(endpoint, ['args', path, 'enum'], [...values, call.arguments[path]]);
  });
  return repairs.every((repair) => repair !== undefined) ? repairs : [];
}

/** Whether further fields can be sent: not if the body is text, a file, or a single argument. */
function acceptsFields({ args, body }: Endpoint): boolean {
  if (body?.kind === 'text' || body?.kind === 'binary') return false;
  const targets = args.flatMap(({ to }) => to);
  return targets.some(({ in: where }) => where === 'body') || !targets.some(({ in: where }) => where === 'body-root');
}

/** The values of an argument, if its own schema lists them. Beside a reference, a second list could only narrow the first. */
function enumOf(endpoint: Endpoint, key: string): readonly unknown[] | undefined {
  const property: unknown = propertiesOf(endpoint)[key];
  return isObject(property) && Array.isArray(property.enum) ? property.enum : undefined;
}

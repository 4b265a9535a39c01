// The document's own examples, tried as calls: what its author would have sent and the gateway refuses.
import { isObject } from '../../endpoint/is-object.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { type ExampleCall, exampleCalls } from '../../schema/example-calls.ts';
import type { Problem } from '../../schema/explain/argument-problem.ts';
import { type DiagnoseInput, type Finding, type Repair, repairOperation } from '../finding.ts';
import { propertiesOf } from '../properties-of.ts';

const MAX_MESSAGE = 400;

export function* checkExamples({ registry }: DiagnoseInput): Generator<Finding> {
  /** An example in a shared schema is tried with the first operation that has it. */
  const places = new Set<string>();
  for (const { name, endpoint } of registry.operations) {
    const refusals: { readonly call: ExampleCall; readonly problems: readonly Problem[] }[] = [];
    for (const call of exampleCalls(endpoint)) {
      const place = `${endpoint.domain} ${call.place}`;
      if (call.inSchema && places.has(place)) continue;
      places.add(place);
      const problems = problemsOf(name, call);
      if (problems.length > 0) refusals.push({ call, problems });
    }
    const [first, ...more] = refusals;
    if (first === undefined) continue;
    const why = first.problems.map(({ message }) => message).join('; ');
    const repairs = refusals.map(({ call, problems }) => repairsFor(endpoint, call, problems));
    // Half a repair leaves the example refused.
    const isWhole = repairs.every((list) => list.length > 0);
    yield {
      check: 'examples',
      severity: 'warning',
      where: name,
      message: `refuses an example of its document${more.length > 0 ? ` (and ${more.length} more)` : ''}: ${first.call.place}: ${why.slice(0, MAX_MESSAGE)}`,
      fix: isWhole
        ? 'take what the example sends, if the API does; else correct the example with an overlay'
        : 'one of them is wrong: correct the schema or the example with an overlay',
      ...(isWhole && { repairs: repairs.flat() }),
    };
  }
}

function problemsOf(tool: string, call: ExampleCall): readonly Problem[] {
  try {
    createSchemaValidator(call.schema())(tool, call.arguments);
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { errors } = error.details;
    return Array.isArray(errors) ? (errors as Problem[]) : [{ path: '', problem: 'rule', message: error.message }];
  }
}

/** What makes the arguments take what the example gives; empty where a domain file cannot. */
function repairsFor(endpoint: Endpoint, call: ExampleCall, problems: readonly Problem[]): readonly Repair[] {
  if (endpoint.source.kind !== 'openapi') return [];
  const repairs = problems.map(({ path, problem }): Repair | undefined => {
    const arg = endpoint.args.find(({ key }) => key === path);
    if (problem === 'unknown' && arg === undefined && Object.hasOwn(call.arguments, path))
      return takesFields(endpoint) ? repairOperation(endpoint, ['additional'], true) : undefined;
    if (arg === undefined) return undefined;
    if (problem === 'missing' && !arg.to.some((target) => target.in === 'path'))
      return repairOperation(endpoint, ['args', path, 'required'], false);
    const values = problem === 'enum' ? enumOf(endpoint, path) : undefined;
    return values && repairOperation(endpoint, ['args', path, 'enum'], [...values, call.arguments[path]]);
  });
  return repairs.every((repair) => repair !== undefined) ? repairs : [];
}

/** Whether further fields have a way: not where the body is text, a file, or one argument already. */
function takesFields({ args, body }: Endpoint): boolean {
  if (body?.kind === 'text' || body?.kind === 'binary') return false;
  const targets = args.flatMap(({ to }) => to);
  return targets.some(({ in: where }) => where === 'body') || !targets.some(({ in: where }) => where === 'body-root');
}

/** The values of an argument, where its own schema lists them: beside a reference a second list would only narrow. */
function enumOf(endpoint: Endpoint, key: string): readonly unknown[] | undefined {
  const property: unknown = propertiesOf(endpoint)[key];
  return isObject(property) && Array.isArray(property.enum) ? property.enum : undefined;
}

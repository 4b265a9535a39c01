// Arguments that no value can satisfy, and rules of schemas that cannot be enforced. A definition that many operations share
// is checked once: walking it again for each of thousands of operations would take too long.
import type { Endpoint } from '../../endpoint/model.ts';
import { auditSchema } from '../../schema/check/repair.ts';
import { findUnfillable } from '../../schema/unfillable.ts';
import { type DiagnoseInput, type Finding, type Repair, repairOperation } from '../finding.ts';

export function* checkArguments(input: DiagnoseInput): Generator<Finding> {
  yield* findLenient(input);
  yield* findBroken(input);
}

function* findLenient({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoints } of domains) {
    const lenient = endpoints.filter((endpoint) => endpoint.lenient);
    if (lenient.length === 0) continue;
    const names = lenient.slice(0, MAX_NAMES).map(({ toolName }) => toolName);
    const more = lenient.length > MAX_NAMES ? ` and ${lenient.length - MAX_NAMES} more` : '';
    yield {
      check: 'arguments',
      severity: 'note',
      where: name,
      message: `lenient is set, so arguments that the document does not allow are sent anyway: ${names.join(', ')}${more}`,
      fix: 'correct the document with an overlay and remove lenient, so that mistakes of a model are refused before they reach the API',
    };
  }
}

const MAX_NAMES = 8;

function* findBroken({ registry }: DiagnoseInput): Generator<Finding> {
  const earlier = new WeakSet<object>();
  for (const { name, endpoint } of registry.operations) {
    for (const { argument, why } of findUnfillable(endpoint.inputSchema)) {
      const repair = argument === undefined ? undefined : repairRequired(endpoint, argument);
      yield {
        check: 'arguments',
        severity: 'error',
        where: name,
        message: `can never be called: ${argument === undefined ? '' : `\`${argument}\`: `}${why}`,
        fix:
          repair === undefined
            ? 'correct the schema with an overlay, or exclude the operation; until then every call of it is refused'
            : 'correct the schema with an overlay, or make the argument optional; until then every call of it is refused',
        ...(repair !== undefined && { repairs: [repair] }),
      };
    }
    const fix = 'correct the schema with an overlay, so that all of it is checked before the API is called';
    for (const message of auditSchema(endpoint.inputSchema, earlier))
      yield { check: 'arguments', severity: 'warning', where: name, message, fix };
  }
}

/** Makes the argument optional, unless it is part of the path. */
function repairRequired(endpoint: Endpoint, argument: string): Repair | undefined {
  const arg = endpoint.args.find(({ key }) => key === argument);
  if (arg === undefined || endpoint.source.kind !== 'openapi') return undefined;
  if (arg.to.some((target) => target.in === 'path')) return undefined;
  return repairOperation(endpoint, ['args', argument, 'required'], false);
}

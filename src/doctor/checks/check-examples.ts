// The document's own examples, tried as calls: what its author would have sent and the gateway refuses.
import { GatewayError } from '../../errors.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { type ExampleCall, exampleCalls } from '../../schema/example-calls.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';

const MAX_MESSAGE = 400;

export function* checkExamples({ registry }: DiagnoseInput): Generator<Finding> {
  /** An example in a shared schema is tried with the first operation that has it. */
  const places = new Set<string>();
  for (const { name, endpoint } of registry.operations) {
    const refusals: string[] = [];
    for (const call of exampleCalls(endpoint)) {
      const place = `${endpoint.domain} ${call.place}`;
      if (call.inSchema && places.has(place)) continue;
      places.add(place);
      const why = refusalOf(name, call);
      if (why !== undefined) refusals.push(`${call.place}: ${why}`);
    }
    const [first, ...more] = refusals;
    if (first === undefined) continue;
    yield {
      check: 'examples',
      severity: 'warning',
      where: name,
      message: `refuses an example of its document${more.length > 0 ? ` (and ${more.length} more)` : ''}: ${first}`,
      fix: 'one of them is wrong: correct the schema or the example with an overlay',
    };
  }
}

function refusalOf(tool: string, call: ExampleCall): string | undefined {
  try {
    createSchemaValidator(call.schema())(tool, call.arguments);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const problems = error.details.errors;
    const messages = Array.isArray(problems) ? problems.map(({ message }: { message: string }) => message) : [];
    return (messages.length > 0 ? messages.join('; ') : error.message).slice(0, MAX_MESSAGE);
  }
}

// One endpoint made callable: everything a call passes through below the adapter, compiled once.
//   controls → validate → guard → middleware → execute

import type { Call, Handler, Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args, Domain, Endpoint, JsonSchema } from '../endpoint/model.ts';
import type { CompiledEndpoint, Executor } from '../executor/executor.ts';
import { createValidator } from '../schema/check/validator.ts';
import { compose } from './compose.ts';
import type { Confirmations } from './confirmations.ts';
import { buildControls } from './controls.ts';
import { toUpstreamFailure } from './failure.ts';
import { createGuard } from './guard.ts';
import { type DeploymentPolicy, decidePolicy } from './policy.ts';
import { buildQuestion } from './question.ts';

export interface Operation {
  readonly endpoint: Endpoint;
  readonly run: Handler;
  /** Extra public arguments the gateway adds: key → JSON schema. */
  readonly controls: Readonly<Record<string, JsonSchema>>;
}

export interface OperationParts {
  readonly executor: Executor;
  readonly confirmations: Confirmations;
  readonly policy: DeploymentPolicy;
  /** Outermost first. */
  readonly middleware: readonly Middleware[];
}

export function compileOperation(endpoint: Endpoint, domain: Domain, parts: OperationParts): Operation {
  const decision = decidePolicy(endpoint, domain, parts.policy);
  const controls = buildControls(endpoint, decision.policy === 'confirm');
  const validate = createValidator(endpoint);
  let compiled: CompiledEndpoint | undefined;
  const rest = () => {
    compiled ??= parts.executor.compile(endpoint);
    return compiled;
  };

  const execute: Handler = async (call, args) => {
    const fields = call.controls?.fields;
    const answer = await rest().run(args, fields === undefined ? call : { ...call, fields });
    if (!answer.ok) return toUpstreamFailure(call.tool, endpoint, answer);
    return { content: answer.content, isError: false, structured: answer.structured, upstream: answer.upstream };
  };

  const describe = async (_call: Call, args: Args) => buildQuestion(endpoint, domain.title, rest().preview(args), args);
  const guard = createGuard(endpoint.id, decision, parts.confirmations, describe, controls.token);
  const chain = compose([...(guard ? [guard] : []), ...parts.middleware], execute);

  const dryRun = async (call: Call, args: Args): Promise<Outcome> => {
    const request = await rest().preview(args);
    return {
      content: [
        {
          type: 'text',
          text: `Dry run of ${call.tool}: nothing was sent. The request would be:\n${JSON.stringify(request, null, 1)}`,
        },
      ],
      isError: false,
    };
  };

  const run: Handler = async (call, args) => {
    const taken = controls.take(call.tool, args);
    if (!taken) return chain(call, validate(call.tool, args));
    const steered: Call = { ...call, controls: taken.controls };
    const valid = validate(call.tool, taken.args);
    return taken.controls.dryRun ? dryRun(steered, valid) : chain(steered, valid);
  };

  return Object.freeze({ endpoint, run, controls: controls.schemas });
}

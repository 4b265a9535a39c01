// Compiles one REST endpoint: a pipeline with the executor at its end.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Handler, Middleware } from '../call/handler.ts';
import { compileCallerDigest } from '../credentials/caller-digest.ts';
import { fillCallerHeaders } from '../credentials/caller-headers.ts';
import { chooseCredentials, missingCredential } from '../credentials/proof.ts';
import type { Args, ConfirmWay, Domain, Endpoint, JsonSchema } from '../endpoint/model.ts';
import { qualifiedNamesOf } from '../endpoint/names.ts';
import type { Executor } from '../executor/executor.ts';
import { compileArgumentRecord } from '../schema/argument-record.ts';
import { createLenientValidator } from '../schema/check/lenient.ts';
import { createValidator } from '../schema/check/validator.ts';
import { type Clamp, createClamp, withLastLine } from './clamp.ts';
import type { Confirmations } from './confirmations.ts';
import { buildControls, type ControlKeys, type ControlName, type ControlPlan, mayAnswerJson } from './controls.ts';
import { toUpstreamFailure } from './failure.ts';
import { compilePipeline } from './pipeline.ts';
import { type Decision, type DeploymentPolicy, decidePolicy, decideWay } from './policy.ts';
import { buildQuestion } from './question.ts';
import type { Redaction } from './redaction.ts';

export interface Operation {
  readonly endpoint: Endpoint;
  readonly run: Handler;
  /** The controls it takes. Their argument names depend on its own arguments, which are not read for this. */
  readonly controlNames: readonly ControlName[];
  /** Arguments that the gateway adds: name → JSON Schema. */
  readonly controls: Readonly<Record<string, JsonSchema>>;
  /** The argument that passes each control. */
  readonly controlKeys: ControlKeys;
}

export interface OperationOptions {
  readonly executor: Executor;
  readonly confirmations: Confirmations;
  readonly policy: DeploymentPolicy;
  readonly redaction: Redaction;
  /** Outermost first. */
  readonly middleware: readonly Middleware[];
}

export function compileOperation(endpoint: Endpoint, domain: Domain, options: OperationOptions): Operation {
  return Object.freeze(new CompiledOperation(endpoint, domain, options));
}

const WITHOUT_TOKEN: readonly ControlName[] = Object.freeze(['fields', 'dry_run']);
const WITH_TOKEN: readonly ControlName[] = Object.freeze([...WITHOUT_TOKEN, 'confirmation_token']);

/** A catalog may have thousands of endpoints that are never called, so everything else is compiled on first use. */
class CompiledOperation implements Operation {
  readonly endpoint: Endpoint;
  readonly run: Handler;
  readonly controlNames: readonly ControlName[];
  #plan: ControlPlan | undefined;

  constructor(endpoint: Endpoint, domain: Domain, options: OperationOptions) {
    const decision = decidePolicy(endpoint, domain, options.policy);
    const { way } = decideWay(endpoint, domain, options.policy);
    let handler: Handler | undefined;
    this.endpoint = endpoint;
    this.controlNames = decision.policy === 'confirm' && way !== 'ask' ? WITH_TOKEN : WITHOUT_TOKEN;
    this.run = (context, args) => {
      handler ??= compileCall(endpoint, domain, options, decision, way, this.#controlPlan);
      return handler(context, args);
    };
  }

  get controls(): ControlPlan['schemas'] {
    return this.#controlPlan.schemas;
  }

  get controlKeys(): ControlKeys {
    return this.#controlPlan.keys;
  }

  get #controlPlan(): ControlPlan {
    const { endpoint, controlNames } = this;
    this.#plan ??= buildControls(new Set(endpoint.args.filter(({ readOnly }) => !readOnly).map(({ key }) => key)), {
      fields: mayAnswerJson(endpoint) ? 'advertised' : 'useless',
      token: controlNames === WITH_TOKEN,
    });
    return this.#plan;
  }
}

function compileCall(
  endpoint: Endpoint,
  domain: Domain,
  options: OperationOptions,
  decision: Decision,
  way: ConfirmWay,
  controls: ControlPlan,
): Handler {
  const rest = options.executor.compile(endpoint);
  const lenient = endpoint.lenient === true ? createLenientValidator(endpoint) : undefined;
  const notesOn = (args: Args) => (lenient?.notesOn(args) ?? []).map((note) => options.redaction.text(note));
  const callerBinding = compileCallerDigest(endpoint);
  const whyRefused = (context: ExecutionContext): string[] => {
    try {
      callerBinding?.(context);
      return [];
    } catch (error) {
      return [`This caller cannot make this call. ${options.redaction.text((error as Error).message)}`];
    }
  };
  const pipeline = compilePipeline({
    identity: `rest:${endpoint.id}`,
    operation: qualifiedNamesOf(endpoint)[0],
    effect: endpoint.effect,
    decision,
    way,
    controls,
    validate: lenient?.validate ?? createValidator(endpoint),
    describe: async (context, args, original) => {
      // A person is not asked about a call that cannot be made.
      const choice = chooseCredentials(endpoint);
      if (choice.kind === 'missing') throw missingCredential(context.label, choice);
      const { method, url } = rest.preview(args, context.label);
      const callerHeaders = fillCallerHeaders(endpoint.callerHeaders ?? [], context);
      return buildQuestion(endpoint, domain.title, `${method} ${url}`, args, original, callerHeaders);
    },
    callerBinding,
    preview: (context, args) => {
      const notes = [...whyRefused(context), ...notesOn(args)];
      return { ...rest.preview(args, context.label), ...(notes.length > 0 && { notes }) };
    },
    execute: async (context, args) => {
      const answer = await rest.run(context, args);
      const outcome = answer.ok
        ? { content: answer.content, isError: false, structured: answer.structured }
        : // The executor has not redacted the advice that is added here.
          options.redaction.outcome(toUpstreamFailure(context, endpoint, answer));
      return options.redaction.trust(lenient === undefined ? outcome : withLastLine(outcome, notesOn(args)));
    },
    keepArguments: compileArgumentRecord(endpoint.audit, options.redaction.text),
    confirmations: options.confirmations,
    middleware: options.middleware,
  });
  const clamp = createClamp(endpoint);
  return clamp === undefined ? pipeline : withClamp(clamp, pipeline, options.redaction);
}

function withClamp(clamp: Clamp, pipeline: Handler, redaction: Redaction): Handler {
  return async (context, args) => {
    const { args: within, notes } = clamp(args);
    const outcome = await pipeline(context, within);
    return redaction.trustLike(outcome, withLastLine(outcome, notes));
  };
}

// Compiles a function of the operator's own code: the same pipeline as for REST endpoints, with the function at its end.
import type { Handler } from '../call/handler.ts';
import type { Effect, JsonSchema } from '../endpoint/model.ts';
import type { Validator } from '../schema/check/validator.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import { buildControls, NO_CONTROLS } from './controls.ts';
import { compilePipeline } from './pipeline.ts';
import { type Decision, type DeploymentPolicy, decidePolicy, decideWay } from './policy.ts';
import { buildQuestion, toReadable } from './question.ts';

/** The settings that a gateway adds to native tools: its policy, and its confirmations. */
export interface GuardSettings {
  readonly policy: DeploymentPolicy;
  readonly confirmations: Confirmations;
}

/** Outside of a gateway no policy applies. Hints are only for the client. */
export const UNGUARDED: GuardSettings = Object.freeze({
  policy: Object.freeze({ readOnly: false, destructive: 'allow' }),
  confirmations: createConfirmations(),
});

export interface NativeHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
}

export interface NativeFunction {
  /** `tool`, or `tool.action`. */
  readonly operation: string;
  /** `tool`, or `tool/action`. Names of tools contain no slash. */
  readonly identity: string;
  readonly summary: string;
  readonly hints: NativeHints;
  /** The names of its arguments. Controls of the gateway with the same name are renamed. */
  readonly keys: ReadonlySet<string>;
  readonly validate: Validator;
  readonly execute: Handler;
}

export interface NativeOperation {
  readonly run: Handler;
  /** Arguments that the gateway adds: name → JSON Schema. */
  readonly controls: Readonly<Record<string, JsonSchema>>;
}

function decide(
  { operation, hints }: Pick<NativeFunction, 'operation' | 'hints'>,
  { policy }: GuardSettings,
): Decision {
  const source = { kind: 'module', file: operation } as const;
  return decidePolicy({ effect: effectOfHints(hints), domain: operation, source }, { guard: {} }, policy);
}

/** Whether each call needs a person's confirmation. Then nothing may change its arguments afterwards. */
export function isConfirmed(native: Pick<NativeFunction, 'operation' | 'hints'>, settings: GuardSettings): boolean {
  return decide(native, settings).policy === 'confirm';
}

export function compileNative(native: NativeFunction, settings: GuardSettings): NativeOperation {
  const { policy, confirmations } = settings;
  const { operation, summary, hints, keys } = native;
  const effect = effectOfHints(hints);
  const decision = decide(native, settings);
  const { way } = decideWay({}, {}, policy);
  // A tool without hints is advertised without controls.
  const hasHints = hints.readOnly !== undefined || hints.destructive !== undefined;
  const isInGateway = policy !== UNGUARDED.policy;
  const token = decision.policy === 'confirm' && way !== 'ask';
  const controls = isInGateway && hasHints ? buildControls(keys, { fields: 'none', token }) : NO_CONTROLS;
  const run = compilePipeline({
    identity: `native:${native.identity}`,
    operation,
    effect,
    decision,
    way,
    controls,
    validate: native.validate,
    describe: async ({ label }, args, original) =>
      buildQuestion({ summary, effect }, 'this gateway', label, args, original),
    preview: (_context, args, original) => ({ tool: operation, arguments: toReadable(args, original) }),
    execute: native.execute,
    confirmations,
    middleware: [],
  });
  return { run, controls: controls.schemas };
}

/** A tool without hints counts as a write, so that a read-only gateway changes nothing. */
export function effectOfHints({ readOnly, destructive }: NativeHints): Effect {
  if (destructive === true) return 'destructive';
  return readOnly === true ? 'read' : 'write';
}

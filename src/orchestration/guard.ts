// Asks a person before anything is destroyed. If the client can ask, `context.client.ask` puts the question as its revision of MCP
// defines it. If nobody could be asked and a token counts as well (`way`), the refusal contains a signed token, valid once.
import { randomBytes } from 'node:crypto';
import type { Asked, Choice, YesNoQuestion } from '../call/caller.ts';
import { buildDigest, isPlainData } from '../call/digest.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import { readRound, sealRound, withinRound } from '../call/rounds.ts';
import type { Args, ConfirmWay } from '../endpoint/model.ts';
import { GatewayError, UnansweredError } from '../errors.ts';
import type { ConfirmationBinding, Confirmations, ConfirmationVerdict } from './confirmations.ts';
import type { Decision } from './policy.ts';

/** Writes the question for a person: `DELETE https://…/pets/7`. `original`: the arguments as the caller sent them. */
export type Describe = (context: ExecutionContext, args: Args, original: Args) => Promise<string>;

/** Runs `next` after a person has agreed. `next` gets a context without the guard's own question and answer. */
export type Guard = (
  context: ExecutionContext,
  args: Args,
  next: (context: ExecutionContext) => Promise<Outcome>,
  original?: Args,
) => Promise<Outcome>;

export interface GuardOptions {
  /** What counts as a confirmation. */
  readonly way?: ConfirmWay;
  /** The name of the token argument. It differs if the API has an argument with the usual name. */
  readonly tokenKey?: string | undefined;
  /** Values of the caller that decide what a request does: a confirmation for one tenant is not valid for another. */
  readonly callerBinding?: ((context: ExecutionContext) => string) | undefined;
}

/** Undefined if the operation needs no guard. */
export function createGuard(
  operation: string,
  decision: Decision,
  confirmations: Confirmations,
  describe: Describe,
  { way = 'either', tokenKey = 'confirmation_token', callerBinding }: GuardOptions = {},
): Guard | undefined {
  if (decision.policy === 'allow') return undefined;
  if (decision.policy === 'deny') {
    return async ({ label }) => {
      throw new GatewayError(
        'DENIED',
        `${label} is not allowed here: ${decision.because}. Nothing was sent. Repeating the call will not help; tell the user.`,
        { tool: label },
      );
    };
  }
  return async (context, args, next, original = args) => {
    // A transformation may make two different arguments look the same, so the digest of the original arguments counts as well.
    const own = isPlainData(args) ? buildDigest(args) : `${context.argumentsDigest}.${buildDigest(args)}`;
    const digest = callerBinding === undefined ? own : `${own} ${callerBinding(context)}`;
    const bind = (purpose: ConfirmationBinding['purpose']): ConfirmationBinding => {
      return { purpose, principal: context.principal.id, operation, digest };
    };
    const proceed = async (inner: ExecutionContext) =>
      withRound(await next(inner), inner, confirmations, bind('round'));
    const inner = await enterRound(context, confirmations, bind('round'));
    if (inner) return proceed(inner);
    const token = way === 'ask' ? undefined : context.controls?.confirmationToken;
    if (token !== undefined) {
      const verdict = await spend(confirmations, token, bind('token'));
      noteUse(context, confirmations, token, 'token', verdict);
      acceptToken(
        context,
        tokenKey,
        verdict,
        callerBinding === undefined ? '' : ', by a caller with the same role, tenant and other identity values',
      );
      return proceed(context);
    }
    const question = await describe(context, args, original);
    const offerToken = (why: string, advice: string, answer?: Choice): GatewayError => {
      const newToken = confirmations.issue(bind('token'));
      context.noteConfirmation({ issued: confirmations.idOf(newToken), by: 'token' });
      return new GatewayError(
        'NOT_CONFIRMED',
        `${why}${question}\nNothing was sent. ${advice}; if they agree, repeat the same call with ` +
          `${tokenKey}: "${newToken}" (good once, for ${confirmations.ttlSeconds} s, for exactly these arguments).`,
        {
          tool: context.label,
          ...(answer && { answer }),
          [tokenKey]: newToken,
          expires_in_seconds: confirmations.ttlSeconds,
        },
      );
    };
    const ask = way === 'token' ? undefined : context.client.ask;
    if (ask === undefined) {
      if (way === 'ask') throw refuseUnasked(context, question);
      throw offerToken('Not done yet: ', 'Ask the user');
    }
    const binding = bind('state');
    const askedAtMs = confirmations.now();
    const reply = await ask(toQuestion(question, confirmations, binding, context), context).catch((error: unknown) => {
      if (way === 'ask' || !(error instanceof UnansweredError)) throw error;
      throw offerToken(`Not done: ${error.why}.\n`, 'Ask the user yourself');
    });
    if ('outcome' in reply) return reply.outcome;
    const tookMs = reply.state === undefined ? confirmations.now() - askedAtMs : undefined;
    const action = await settle(reply, confirmations, binding, context);
    if (action === 'accept') return proceed(context.withRound({}));
    const isFromPerson = action === 'no' || (tookMs ?? confirmations.ageMs(reply.state!)) >= READING_MS;
    if (way === 'ask' || isFromPerson) throw refuseDeclined(context, action);
    throw offerToken(
      `Not done: the client ${action === 'cancel' ? 'dismissed the question' : 'declined at once'}.\n`,
      'If the user said no, stop here. If the client answered without asking the user, ask the user yourself',
      action,
    );
  };
}

/**
 * No person reads the question and declines in less time. Clients without a person decline within milliseconds. Only
 * they are offered a token, so that a model cannot override a person's refusal. A question that is dismissed after this
 * time was not confirmed either.
 */
const READING_MS = 2_000;

/** An id for the answer to a question that is asked and answered within one call, and so needs no token. */
function toAnswerId(): string {
  return randomBytes(12).toString('base64url');
}

function noteUse(
  context: ExecutionContext,
  confirmations: Confirmations,
  seal: string,
  by: 'token' | 'answer' | 'round',
  answer: string,
): void {
  // A seal that the gateway did not issue for this call is a text of the caller, so its id is not recorded.
  const id = answer === 'tampered' ? undefined : confirmations.idOf(seal);
  context.noteConfirmation({ ...(id !== undefined && { used: id }), by, answer });
}

function toQuestion(
  message: string,
  confirmations: Confirmations,
  binding: ConfirmationBinding,
  context: ExecutionContext,
): YesNoQuestion {
  return {
    key: 'confirm',
    message,
    seal: () => {
      const seal = confirmations.issue(binding);
      context.noteConfirmation({ issued: confirmations.idOf(seal), by: 'answer' });
      return seal;
    },
    check: (state) => {
      const verdict = confirmations.inspect(state, binding);
      if (verdict !== 'good') throw badState(verdict);
    },
  };
}

async function settle(
  { answer: choice, state }: Extract<Asked<Choice>, { readonly answer: unknown }>,
  confirmations: Confirmations,
  binding: ConfirmationBinding,
  context: ExecutionContext,
): Promise<Choice> {
  if (state === undefined) {
    context.noteConfirmation({ used: toAnswerId(), by: 'answer', answer: choice });
    return choice;
  }
  const verdict = await spend(confirmations, state, binding);
  noteUse(context, confirmations, state, 'answer', verdict === 'good' ? choice : verdict);
  if (verdict !== 'good') throw badState(verdict);
  return choice;
}

function refuseDeclined({ label }: ExecutionContext, choice: Choice): GatewayError {
  return new GatewayError(
    'NOT_CONFIRMED',
    `The user ${choice === 'cancel' ? 'dismissed the question' : 'declined'}: ${label} was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
    { tool: label, answer: choice === 'cancel' ? 'cancel' : 'decline' },
  );
}

function refuseUnasked({ label }: ExecutionContext, question: string): GatewayError {
  return new GatewayError(
    'NOT_CONFIRMED',
    `Not done: ${question}\nNothing was sent. This call needs the user's own answer (confirm: ask), and this client cannot ask: it declares no elicitation. Repeating the call will not help; tell the user.`,
    { tool: label },
  );
}

/**
 * The guarded operation may ask further questions, in further rounds of the call. A seal in front of its state says that a person
 * agreed to exactly this call. Each seal is valid for one round, so that a chain of rounds, however long, has one effect.
 */
function withRound(
  outcome: Outcome,
  context: ExecutionContext,
  confirmations: Confirmations,
  binding: ConfirmationBinding,
): Outcome {
  return sealRound(outcome, context, (state) => {
    const seal = confirmations.issue(toRound(binding, state));
    context.noteConfirmation({ issued: confirmations.idOf(seal) });
    return seal;
  });
}

/** The context for the next round of a call that a person agreed to earlier. Undefined if this is not such a round. */
async function enterRound(
  context: ExecutionContext,
  confirmations: Confirmations,
  binding: ConfirmationBinding,
): Promise<ExecutionContext | undefined> {
  const round = readRound(context);
  if (round === undefined) return undefined;
  const verdict = await spend(confirmations, round.seal, toRound(binding, round.state));
  if (verdict === 'tampered') return undefined;
  noteUse(context, confirmations, round.seal, 'round', verdict);
  if (verdict === 'good') return withinRound(context, round);
  throw badState(verdict);
}

function toRound(binding: ConfirmationBinding, state: string | undefined): ConfirmationBinding {
  return { ...binding, digest: `${binding.digest}.${buildDigest([state])}` };
}

/** If it is unknown whether a permission was used, it does not count. */
async function spend(
  confirmations: Confirmations,
  seal: string,
  binding: ConfirmationBinding,
): Promise<ConfirmationVerdict> {
  try {
    return await confirmations.redeem(seal, binding);
  } catch (cause) {
    throw new GatewayError(
      'NOT_CONFIRMED',
      'The confirmation could not be checked, so nothing was sent. Try again in a minute; if it still fails, tell the user.',
      {},
      cause,
    );
  }
}

function badState(verdict: Exclude<ConfirmationVerdict, 'good'>): GatewayError {
  const why = {
    tampered: 'does not belong to this call (it is bound to one tool, its arguments and one caller)',
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  return new GatewayError(
    'INVALID_PARAMS',
    `requestState ${why}. Call the tool again without it; the user is then asked again.`,
  );
}

function acceptToken({ label }: ExecutionContext, tokenKey: string, verdict: ConfirmationVerdict, more: string): void {
  if (verdict === 'good') return;
  const why = {
    tampered: `does not fit this call: a token is valid only for one tool, with exactly the arguments it was issued for${more}`,
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The ${tokenKey} ${why}. Nothing was sent. Call ${label} again without it to get a new one, and ask the user.`,
    { tool: label, token: verdict },
  );
}

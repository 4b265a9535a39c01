// Asks the person before anything is destroyed. Where the client can be asked, `context.client.ask` puts the question, by
// whatever means its era has; everyone else gets a refusal that carries a signed single-use token.
import type { Asked, Question } from '../call/caller.ts';
import { buildDigest, isPlainData } from '../call/digest.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { Binding, Confirmations, Verdict } from './confirmations.ts';
import type { Decision } from './policy.ts';

/** Makes the question readable: `DELETE https://…/pets/7`. */
export type Describe = (context: ExecutionContext, args: Args) => Promise<string>;

const FORM = Object.freeze({
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
  required: ['confirm'],
});

/** Undefined when the operation needs no guarding: then a call does not even pass through here. */
export function createGuard(
  operation: string,
  decision: Decision,
  confirmations: Confirmations,
  describe: Describe,
  /** Public key the token is handed in by; an API with an argument of that name makes it another one. */
  tokenKey = 'confirmation_token',
): Middleware | undefined {
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
  return async (context, args, next) => {
    const bind = (purpose: Binding['purpose']): Binding => ({
      purpose,
      principal: context.principal.id,
      operation,
      // A transformation may make two different arguments look alike; then what came counts as well.
      digest: isPlainData(args) ? buildDigest(args) : `${context.argumentsDigest}.${buildDigest(args)}`,
    });
    const token = context.controls?.confirmationToken;
    if (token !== undefined) {
      acceptToken(context, tokenKey, await spend(confirmations, token, bind('token')));
      return next();
    }
    const { ask } = context.client;
    if (ask) {
      const binding = bind('state');
      const reply = await ask(await toQuestion(context, args, describe, confirmations, binding), context.signal);
      return 'outcome' in reply ? reply.outcome : settle(context, reply, confirmations, binding, next);
    }
    const issued = confirmations.issue(bind('token'));
    throw new GatewayError(
      'NOT_CONFIRMED',
      `Not done yet: ${await describe(context, args)}\nNothing was sent. Ask the user; if they agree, repeat the same call with ` +
        `${tokenKey}: "${issued}" (good once, for ${confirmations.ttlSeconds} s, for exactly these arguments).`,
      { tool: context.label, [tokenKey]: issued, expires_in_seconds: confirmations.ttlSeconds },
    );
  };
}

async function toQuestion(
  context: ExecutionContext,
  args: Args,
  describe: Describe,
  confirmations: Confirmations,
  binding: Binding,
): Promise<Question> {
  return {
    key: 'confirm',
    message: await describe(context, args),
    form: FORM,
    seal: () => confirmations.issue(binding),
    check: (state) => {
      const verdict = confirmations.inspect(state, binding);
      if (verdict !== 'good') throw badState(verdict);
    },
  };
}

async function settle(
  { label }: ExecutionContext,
  { answer, state }: Extract<Asked, { readonly answer: unknown }>,
  confirmations: Confirmations,
  binding: Binding,
  next: () => Promise<Outcome>,
): Promise<Outcome> {
  // Malformed answers leave the permission unused.
  const action = parseAnswer(answer);
  if (state !== undefined) {
    const verdict = await spend(confirmations, state, binding);
    if (verdict !== 'good') throw badState(verdict);
  }
  if (action === 'accept') return next();
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The user ${action === 'cancel' ? 'dismissed the question' : 'declined'}: ${label} was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
    { tool: label, answer: action },
  );
}

/** Whoever cannot tell whether a permission was used must not let it pass. */
async function spend(confirmations: Confirmations, seal: string, binding: Binding): Promise<Verdict> {
  try {
    return await confirmations.redeem(seal, binding);
  } catch (cause) {
    throw new GatewayError(
      'NOT_CONFIRMED',
      'The confirmation could not be checked, so nothing was sent. Try again in a minute; if it stays so, tell the user.',
      {},
      cause,
    );
  }
}

/** `accept` needs the box ticked as well: a form sent off with "no" is a decline. */
function parseAnswer(answer: unknown): 'accept' | 'decline' | 'cancel' {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  if (action === 'decline' || action === 'cancel') return action;
  if (action === 'accept' && typeof content?.confirm === 'boolean') return content.confirm ? 'accept' : 'decline';
  throw new GatewayError(
    'INVALID_PARAMS',
    'The answer to the confirmation must be {"action":"accept","content":{"confirm":true}}, or action "decline" or "cancel".',
  );
}

function badState(verdict: Exclude<Verdict, 'good'>): GatewayError {
  const why = {
    tampered: 'does not belong to this call (it is bound to one tool, its arguments and one caller)',
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  return new GatewayError('INVALID_PARAMS', `requestState ${why}. Call the tool again without it to be asked anew.`);
}

function acceptToken({ label }: ExecutionContext, tokenKey: string, verdict: Verdict): void {
  if (verdict === 'good') return;
  const why = {
    tampered: 'does not fit this call: a token is good for one tool with exactly the arguments it was issued for',
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The ${tokenKey} ${why}. Nothing was sent. Call ${label} again without it to get a new one, and ask the user.`,
    { tool: label, token: verdict },
  );
}

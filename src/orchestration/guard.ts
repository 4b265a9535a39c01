// Asks the person before anything is destroyed. Three ways to ask, one kind of permission:
//   modern clients with elicitation   `input_required` with a signed requestState (MCP 2026-07-28, MRTR)
//   legacy clients with elicitation   a real elicitation/create request
//   everyone else                     a refusal that carries a signed single-use token
import type { Outcome } from '../endpoint/content.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { Call, Middleware } from './call.ts';
import type { Binding, Confirmations, Verdict } from './confirmations.ts';
import { buildDigest } from './digest.ts';
import type { Decision } from './policy.ts';

/** Makes the question readable: `DELETE https://…/pets/7`. */
export type Describe = (call: Call, args: Args) => Promise<string>;

const ANSWER = 'confirm';

const REQUESTED_SCHEMA = Object.freeze({
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
  required: ['confirm'],
});

/** Undefined when the endpoint needs no guarding: then a call does not even pass through here. */
export function createGuard(
  operation: string,
  decision: Decision,
  confirmations: Confirmations,
  describe: Describe,
): Middleware | undefined {
  if (decision.policy === 'allow') return undefined;
  if (decision.policy === 'deny') {
    return async (call) => {
      throw new GatewayError(
        'DENIED',
        `${call.tool} is not allowed here: ${decision.because}. Nothing was sent. Repeating the call will not help; tell the user.`,
        { tool: call.tool },
      );
    };
  }
  return async (call, args, next) => {
    const bind = (purpose: Binding['purpose']): Binding => ({
      purpose,
      principal: call.principal.id,
      operation,
      digest: buildDigest(args),
    });
    const token = call.controls?.confirmationToken;
    if (token !== undefined) {
      await accept(call, await confirmations.redeem(token, bind('token')));
      return next();
    }
    if (call.requestState !== undefined) {
      return answerRound(call, args, next, confirmations, bind('state'), describe);
    }
    if (canElicit(call) && call.client.era === 'modern') {
      return ask(await describe(call, args), confirmations.issue(bind('state')));
    }
    if (canElicit(call) && call.client.request) {
      const answer = await call.client.request('elicitation/create', question(await describe(call, args)), call.signal);
      return settle(call, answer, next);
    }
    throw new GatewayError(
      'NOT_CONFIRMED',
      `Not done yet: ${await describe(call, args)}\nNothing was sent. Ask the user; if they agree, repeat the same call with ` +
        `confirmation_token: "${confirmations.issue(bind('token'))}" (good once, for ${confirmations.ttlSeconds} s, for exactly these arguments).`,
      { tool: call.tool, expires_in_seconds: confirmations.ttlSeconds },
    );
  };
}

/** An empty elicitation capability means form mode (MCP 2025-11-25, client/elicitation). */
function canElicit(call: Call): boolean {
  const declared = call.client.capabilities['elicitation'];
  if (typeof declared !== 'object' || declared === null) return false;
  return Object.keys(declared).length === 0 || 'form' in declared;
}

function question(message: string) {
  return { mode: 'form', message, requestedSchema: REQUESTED_SCHEMA };
}

function ask(message: string, requestState: string): Outcome {
  return {
    content: [],
    isError: false,
    inputRequired: {
      inputRequests: { [ANSWER]: { method: 'elicitation/create', params: question(message) } },
      requestState,
    },
  };
}

async function answerRound(
  call: Call,
  args: Args,
  next: () => Promise<Outcome>,
  confirmations: Confirmations,
  binding: Binding,
  describe: Describe,
): Promise<Outcome> {
  const state = call.requestState ?? '';
  const seen = confirmations.inspect(state, binding);
  if (seen !== 'good') throw badState(seen);
  const answer = call.answers?.[ANSWER];
  // The client came back without an answer: ask again, with a fresh state.
  if (answer === undefined) return ask(await describe(call, args), confirmations.issue(binding));
  // Malformed answers leave the permission unused.
  const { action } = parseAnswer(answer);
  const spent = await confirmations.redeem(state, binding);
  if (spent !== 'good') throw badState(spent);
  return settle(call, answer, next, action);
}

async function settle(
  call: Call,
  answer: unknown,
  next: () => Promise<Outcome>,
  action = parseAnswer(answer).action,
): Promise<Outcome> {
  if (action === 'accept') return next();
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The user ${action === 'cancel' ? 'dismissed the question' : 'declined'}: ${call.tool} was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
    { tool: call.tool, answer: action },
  );
}

/** `accept` needs the box ticked as well: a form sent off with "no" is a decline. */
function parseAnswer(answer: unknown): { action: 'accept' | 'decline' | 'cancel' } {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  if (action === 'decline' || action === 'cancel') return { action };
  if (action === 'accept' && typeof content?.confirm === 'boolean') {
    return { action: content.confirm ? 'accept' : 'decline' };
  }
  throw new GatewayError(
    'INVALID_PARAMS',
    'The answer to the confirmation must be {"action":"accept","content":{"confirm":true}}, or action "decline" or "cancel".',
  );
}

function badState(verdict: Verdict): GatewayError {
  const why = {
    tampered: 'does not belong to this call (it is bound to one tool, its arguments and one caller)',
    expired: 'has expired',
    used: 'was already used',
    good: '',
  }[verdict];
  return new GatewayError('INVALID_PARAMS', `requestState ${why}. Call the tool again without it to be asked anew.`);
}

async function accept(call: Call, verdict: Verdict): Promise<void> {
  if (verdict === 'good') return;
  const why = {
    tampered: 'does not fit this call: a token is good for one tool with exactly the arguments it was issued for',
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The confirmation_token ${why}. Nothing was sent. Call ${call.tool} again without it to get a new one, and ask the user.`,
    { tool: call.tool, token: verdict },
  );
}

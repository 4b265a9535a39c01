// Asks the person before anything is destroyed. Three ways to ask, one kind of permission:
//   modern clients with elicitation   `input_required` with a signed requestState (MCP 2026-07-28, MRTR)
//   legacy clients with elicitation   a real elicitation/create request
//   everyone else                     a refusal that carries a signed single-use token

import { buildDigest } from '../call/digest.ts';
import type { Call, Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { Binding, Confirmations, Verdict } from './confirmations.ts';
import type { Decision } from './policy.ts';

/** Makes the question readable: `DELETE https://…/pets/7`. */
export type Describe = (call: Call, args: Args) => Promise<string>;

const ANSWER = 'confirm';

type Answer = 'accept' | 'decline' | 'cancel';

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
  /** Public key the token is handed in by; an API with an argument of that name makes it another one. */
  tokenKey = 'confirmation_token',
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
      accept(call, tokenKey, await spend(confirmations, token, bind('token')));
      return next();
    }
    const isModern = call.client.era === 'modern';
    if (isModern && call.requestState !== undefined) {
      const answer = await readAnswer(call, confirmations, bind('state'));
      if (answer !== undefined) return settle(call, answer, next);
    }
    if (isModern && canElicit(call)) {
      return ask(await describe(call, args), confirmations.issue(bind('state')));
    }
    if (canElicit(call) && call.client.request) {
      const answer = await call.client.request('elicitation/create', question(await describe(call, args)), call.signal);
      return settle(call, parseAnswer(answer), next);
    }
    const issued = confirmations.issue(bind('token'));
    throw new GatewayError(
      'NOT_CONFIRMED',
      `Not done yet: ${await describe(call, args)}\nNothing was sent. Ask the user; if they agree, repeat the same call with ` +
        `${tokenKey}: "${issued}" (good once, for ${confirmations.ttlSeconds} s, for exactly these arguments).`,
      { tool: call.tool, [tokenKey]: issued, expires_in_seconds: confirmations.ttlSeconds },
    );
  };
}

/** An empty elicitation capability means form mode (MCP 2025-11-25, client/elicitation). */
function canElicit(call: Call): boolean {
  const declared = call.client.capabilities.elicitation;
  if (typeof declared !== 'object' || declared === null) return false;
  return Object.keys(declared).length === 0 || 'form' in declared;
}

/** Form mode is what an absent `mode` means, and revisions before 2025-11-25 know no other. */
function question(message: string) {
  return { message, requestedSchema: REQUESTED_SCHEMA };
}

function ask(message: string, requestState: string): Outcome {
  return {
    content: [],
    isError: false,
    inputRequired: {
      inputRequests: { [ANSWER]: { method: 'elicitation/create', params: { mode: 'form', ...question(message) } } },
      requestState,
    },
  };
}

/** The answer that came with a good state, which is then used up; undefined when the client came back without one. */
async function readAnswer(call: Call, confirmations: Confirmations, binding: Binding): Promise<Answer | undefined> {
  const state = call.requestState ?? '';
  const seen = confirmations.inspect(state, binding);
  if (seen !== 'good') throw badState(seen);
  const given = call.answers;
  if (given === undefined || !Object.hasOwn(given, ANSWER)) return undefined;
  // Malformed answers leave the permission unused.
  const answer = parseAnswer(given[ANSWER]);
  const spent = await spend(confirmations, state, binding);
  if (spent !== 'good') throw badState(spent);
  return answer;
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

async function settle(call: Call, action: Answer, next: () => Promise<Outcome>): Promise<Outcome> {
  if (action === 'accept') return next();
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The user ${action === 'cancel' ? 'dismissed the question' : 'declined'}: ${call.tool} was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
    { tool: call.tool, answer: action },
  );
}

/** `accept` needs the box ticked as well: a form sent off with "no" is a decline. */
function parseAnswer(answer: unknown): Answer {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  if (action === 'decline' || action === 'cancel') return action;
  if (action === 'accept' && typeof content?.confirm === 'boolean') return content.confirm ? 'accept' : 'decline';
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

function accept(call: Call, tokenKey: string, verdict: Verdict): void {
  if (verdict === 'good') return;
  const why = {
    tampered: 'does not fit this call: a token is good for one tool with exactly the arguments it was issued for',
    expired: 'has expired',
    used: 'was already used',
  }[verdict];
  throw new GatewayError(
    'NOT_CONFIRMED',
    `The ${tokenKey} ${why}. Nothing was sent. Call ${call.tool} again without it to get a new one, and ask the user.`,
    { tool: call.tool, token: verdict },
  );
}

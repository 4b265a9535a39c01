// One call on its way through orchestration, and the functions it passes through.
import type { Outcome } from '../endpoint/content.ts';
import type { Args } from '../endpoint/model.ts';

/** Who is calling. Authentication happens at the edge; from there on only this is known. */
export interface Principal {
  readonly id: string;
  readonly scopes?: readonly string[];
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface ElicitRequest {
  readonly message: string;
  readonly requestedSchema: Readonly<Record<string, unknown>>;
}

/** What the client of this very request can do. Never remembered between requests of the stateless era. */
export interface Client {
  readonly era: 'modern' | 'legacy';
  /** mrtr: answer with `input_required`. push: `elicit` sends a request of ours. none: only a token can confirm. */
  readonly elicitation: 'mrtr' | 'push' | 'none';
  readonly elicit?: (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>;
  /** Declared capabilities, as received. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Everything about a call but its arguments. */
export interface Call {
  readonly requestId: string;
  /** Name for messages and the audit trail: `tool`, or `tool/action` inside a grouped tool. */
  readonly tool: string;
  readonly principal: Principal;
  readonly transport: 'http' | 'stdio' | 'tcp' | 'local';
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** W3C trace context, validated, forwarded upstream as headers. */
  readonly trace?: Readonly<Record<string, string>>;
  /** Present only when the caller asked for progress. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** Second round of a multi round-trip request. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

export type Handler = (call: Call, args: Args) => Promise<Outcome>;

/** `next()` goes on with the same arguments, `next(args)` with others. */
export type Middleware = (call: Call, args: Args, next: (args?: Args) => Promise<Outcome>) => Promise<Outcome>;

// One call on its way through orchestration, and the functions it passes through.

import type { Args } from '../endpoint/model.ts';
import type { Outcome } from './outcome.ts';

/** Who is calling. Authentication happens at the edge; from there on only this is known. */
export interface Principal {
  readonly id: string;
  readonly scopes?: readonly string[];
}

/** What the client of this very request can do. Never remembered between requests of the stateless era. */
export interface Client {
  readonly era: 'modern' | 'legacy';
  /** Declared capabilities, as received. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Legacy only: sends a request of ours (elicitation, sampling, roots) and waits for the client's answer. */
  readonly request?: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
}

/** Arguments that steer the gateway instead of going upstream (controls.ts takes them out of the arguments). */
export interface Controls {
  readonly fields?: readonly string[];
  readonly dryRun?: boolean;
  readonly confirmationToken?: string;
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
  readonly controls?: Controls;
  /** W3C trace context, validated, forwarded upstream as headers. */
  readonly trace?: Readonly<Record<string, string>>;
  /** Present only when the caller asked for progress. */
  readonly progress?: (progress: number, total?: number, message?: string) => void;
  /** Present only when the caller wants log messages (logging is deprecated since 2026-07-28; only native handlers use it). */
  readonly log?: (level: string, data: unknown) => void;
  /** Second round of a multi round-trip request: the person's answers, and the state we signed. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

export type Handler = (call: Call, args: Args) => Promise<Outcome>;

/** `next()` goes on with the same arguments, `next(args)` with others. */
export type Middleware = (call: Call, args: Args, next: (args?: Args) => Promise<Outcome>) => Promise<Outcome>;

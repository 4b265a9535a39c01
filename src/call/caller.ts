// Who calls, and what their client can do. Authentication happens at the edge; from there on only this is known.
import type { CallLimits, Effect } from '../endpoint/model.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import type { Outcome } from './outcome.ts';

export type Transport = 'http' | 'stdio' | 'tcp' | 'local';

export interface Principal {
  /** Unique over all ways to prove who calls: `anonymous`, `local`, `key:ci`, `https://id.example.com|alice`, `cert:CN=batch`. */
  readonly id: string;
  readonly scopes?: readonly string[];
  /** The profiles it may use, '' for what is served by default. Absent: all. The others do not exist for it. */
  readonly profiles?: readonly string[] | undefined;
  /** Effects that its calls may have. Absent: all. Operations with other effects are hidden from it. */
  readonly effects?: readonly Effect[] | undefined;
  /** How much it may call, where that differs from what everybody may. */
  readonly limits?: CallLimits | undefined;
  /** What its token says, verified: for credentials and headers that tell an API who is calling. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Its verified token, only to be exchanged for another. A function, so that nothing that prints a principal prints it. */
  readonly token?: (() => string) | undefined;
  /**
   * What it is told about calls with an effect it lacks, if it could get a token that has it. Absent, or undefined: operations
   * with that effect do not exist for it.
   */
  readonly stepUp?: ((profile: string, effect: Effect) => StepUp | undefined) | undefined;
}

/** Callers that cannot be told apart share one principal. */
export function isAnybody(id: string): boolean {
  return id === 'anonymous' || id === 'local';
}

/** How to get permission for more: the scopes to request, and the same as a `WWW-Authenticate` header. */
export interface StepUp {
  readonly scopes: readonly string[];
  readonly challenge: string;
}

/** What the client of this request can do. In the stateless era, it is never remembered between requests. */
export interface Client {
  readonly era: 'modern' | 'legacy';
  /** The revision of MCP it speaks. */
  readonly version: string;
  /** What it calls itself, where it says so. */
  readonly name?: string | undefined;
  /** Its own version, where it says so. */
  readonly release?: string | undefined;
  /** Declared capabilities, as received. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * It accepts a question as the answer to its call, and then calls again with the person's answer and the state that came with
   * it.
   */
  readonly takesRounds?: true;
  /** Puts a question to the person behind the client; absent where nobody can be asked. */
  readonly ask?: Ask;
  /** Legacy only: sends a request of ours (elicitation, sampling, roots) and waits for the client's answer. */
  readonly request?: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
}

/** What asking a question needs to know about the call; an ExecutionContext has all of it. */
export interface AskingCall {
  readonly signal: AbortSignal;
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly requestState?: string | undefined;
  /** What the question is recorded under, where anything is. */
  readonly span?: CallSpan | undefined;
}

export interface Question {
  /** Names the answer where several questions travel together. */
  readonly key: string;
  readonly message: string;
  /** JSON Schema of the form the person fills in. */
  readonly form: Readonly<Record<string, unknown>>;
  /** What the client carries from this request to the one that brings the answer. */
  readonly seal: () => string;
  /** Throws when a state that came back does not belong to this question. */
  readonly check: (state: string) => void;
}

/** Without a form of its own it can only be agreed to, or not. */
export type YesNoQuestion = Omit<Question, 'form'> & { readonly form?: undefined };

/** `no`: the form was submitted with the box unchecked. */
export type Choice = 'accept' | 'no' | 'decline' | 'cancel';

/** The answer to a form comes as the client sent it, that to a question without one as a choice. */
export type Ask = <Asking extends Question | YesNoQuestion>(
  question: Asking,
  call: AskingCall,
) => Promise<Asked<Asking extends YesNoQuestion ? Choice : unknown>>;

export type Asked<Answer = unknown> =
  /** `state`: the seal the answer came back with, where the client carried one. */
  | { readonly answer: Answer; readonly state?: string }
  /** The answer comes with a later request; this outcome carries the question to the client. */
  | { readonly outcome: Outcome };

/** Reports how far a call is; the values must grow. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/** Sends a log message to the client (deprecated since 2026-07-28; only native handlers use it). */
export type WriteLog = (level: string, data: unknown) => void;

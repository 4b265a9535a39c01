// Who is calling, and what their client can do. This is all that is known after authentication.
import type { CallLimits, Effect } from '../endpoint/model.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import type { Outcome } from './outcome.ts';

/** How a message reached the gateway. `local`: from this process. */
export type Transport = 'http' | 'stdio' | 'tcp' | 'local';

/** Who is calling. */
export interface Principal {
  /** Unique over all ways to authenticate: `anonymous`, `local`, `key:ci`, `https://id.example.com|alice`, `cert:CN=batch`. */
  readonly id: string;
  readonly scopes?: readonly string[];
  /**
   * The profiles it may use; '' is the default service. Absent: all. Requests for other profiles are answered as if
   * they did not exist.
   */
  readonly profiles?: readonly string[] | undefined;
  /** The effects that its calls may have. Absent: all. Operations with other effects are hidden from this caller. */
  readonly effects?: readonly Effect[] | undefined;
  /** Limits of this caller, if they differ from those for all callers. */
  readonly limits?: CallLimits | undefined;
  /** The verified claims of its token, for credentials and headers that tell an API who is calling. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Its verified token, for token exchange only. A function, so that code which prints a principal does not print the token. */
  readonly token?: (() => string) | undefined;
  /**
   * How it can get a token for an effect that its token lacks. Absent, or undefined: operations with that effect are
   * hidden from this caller.
   */
  readonly stepUp?: ((profile: string, effect: Effect) => StepUp | undefined) | undefined;
}

/** Callers that are not authenticated share one principal. */
export function isAnybody(id: string): boolean {
  return id === 'anonymous' || id === 'local';
}

/** How to get more permissions: the scopes to request, and the same as a `WWW-Authenticate` header. */
export interface StepUp {
  readonly scopes: readonly string[];
  readonly challenge: string;
}

/** The client of this request and its abilities. For modern clients, they are never remembered between requests. */
export interface Client {
  readonly era: 'modern' | 'legacy';
  /** The revision of MCP it uses. */
  readonly version: string;
  /** The name it gives itself, if any. */
  readonly name?: string | undefined;
  /** Its own version, if it sends one. */
  readonly release?: string | undefined;
  /** Declared capabilities, as received. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * It accepts a question as the answer to its call. Then it calls again, with the person's answer and the state of the question.
   */
  readonly takesRounds?: true;
  /** Asks the person behind the client. Absent if the client cannot ask. */
  readonly ask?: Ask;
  /** Legacy clients only: sends a request (elicitation, sampling, roots) to the client and waits for its answer. */
  readonly request?: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
}

/** The parts of a call that asking a question needs. An ExecutionContext has all of it. */
export interface AskingCall {
  readonly signal: AbortSignal;
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly requestState?: string | undefined;
  /** The span that the question is recorded under, if requests are traced. */
  readonly span?: CallSpan | undefined;
}

/** A question to the person behind the client. */
export interface Question {
  /** Identifies the answer if several questions are sent together. */
  readonly key: string;
  readonly message: string;
  /** JSON Schema of the form that the person fills in. */
  readonly form: Readonly<Record<string, unknown>>;
  /** The state that the client carries from this request to the one with the answer. */
  readonly seal: () => string;
  /** Throws if a state that came back does not belong to this question. */
  readonly check: (state: string) => void;
}

/** A question without a form: the person can only agree or not. */
export type YesNoQuestion = Omit<Question, 'form'> & { readonly form?: undefined };

/** `no`: the form was submitted with the box unchecked. */
export type Choice = 'accept' | 'no' | 'decline' | 'cancel';

/** The answer to a form is what the client sent. The answer to a question without a form is a Choice. */
export type Ask = <Asking extends Question | YesNoQuestion>(
  question: Asking,
  call: AskingCall,
) => Promise<Asked<Asking extends YesNoQuestion ? Choice : unknown>>;

/** The reply to a question: the answer, or an outcome that sends the question to the client. */
export type Asked<Answer = unknown> =
  /** `state`: the seal that came back with the answer, if the client carried one. */
  | { readonly answer: Answer; readonly state?: string }
  /** The answer will come with a later request. This outcome sends the question to the client. */
  | { readonly outcome: Outcome };

/** Reports the progress of a call. The values must grow. */
export type ReportProgress = (progress: number, total?: number, message?: string) => void;

/** Sends a log message to the client (deprecated since 2026-07-28; only native handlers use it). */
export type WriteLog = (level: string, data: unknown) => void;

// ExecutionContext: the state of one request, from its arrival to the audit trail.
//   fromRequest → withToolCall → withResult → seal
// Every step returns a copy; a sealed context is deeply frozen and refuses further steps. It never holds a secret:
// of the arguments only a digest is kept, of the upstream URL no query.

import type { FailureMode } from '../errors.ts';
import type { UpstreamTrace } from './outcome.ts';

export interface RequestFacts {
  readonly requestId: string;
  readonly method: string;
  readonly principal: string;
  readonly transport: string;
}

export interface ResultFacts {
  readonly outcome: 'ok' | 'failed' | 'input_required' | 'error';
  readonly failureMode?: FailureMode | undefined;
  /** JSON-RPC error code, when the request ended in one. */
  readonly errorCode?: number | undefined;
  readonly upstream?: UpstreamTrace | undefined;
  readonly durationMs: number;
}

interface State extends RequestFacts {
  readonly startedAt: number;
  readonly tool: string | undefined;
  readonly argumentsDigest: string | undefined;
  readonly results: readonly ResultFacts[];
  readonly sealed: boolean;
}

const BIRTH = Symbol('only ExecutionContext itself makes contexts');

export class ExecutionContext implements State {
  readonly requestId: string;
  readonly method: string;
  readonly principal: string;
  readonly transport: string;
  readonly startedAt: number;
  readonly tool: string | undefined;
  readonly argumentsDigest: string | undefined;
  readonly results: readonly ResultFacts[];
  readonly sealed: boolean;

  constructor(key: symbol, state: State) {
    if (key !== BIRTH) throw new TypeError('Make an ExecutionContext with ExecutionContext.fromRequest().');
    this.requestId = state.requestId;
    this.method = state.method;
    this.principal = state.principal;
    this.transport = state.transport;
    this.startedAt = state.startedAt;
    this.tool = state.tool;
    this.argumentsDigest = state.argumentsDigest;
    this.results = state.results;
    this.sealed = state.sealed;
  }

  static fromRequest(facts: RequestFacts): ExecutionContext {
    if (facts.requestId.trim() === '') throw new TypeError('An ExecutionContext needs a request id that is not blank.');
    if (facts.method.trim() === '') throw new TypeError('An ExecutionContext needs a method that is not blank.');
    return new ExecutionContext(BIRTH, {
      requestId: facts.requestId,
      method: facts.method,
      principal: facts.principal,
      transport: facts.transport,
      startedAt: Date.now(),
      tool: undefined,
      argumentsDigest: undefined,
      results: [],
      sealed: false,
    });
  }

  /** Binds the tool (or resource, or prompt) this request is about. Once. */
  withToolCall(tool: string, argumentsDigest: string): ExecutionContext {
    mustBeOpen(this);
    if (tool.trim() === '') throw new TypeError('withToolCall() needs a tool name that is not blank.');
    if (this.tool !== undefined) throw new TypeError(`This context is already bound to ${this.tool}.`);
    return new ExecutionContext(BIRTH, copy(this, { tool, argumentsDigest }));
  }

  withResult(result: ResultFacts): ExecutionContext {
    mustBeOpen(this);
    if (this.tool === undefined) throw new TypeError('Bind a tool with withToolCall() before adding a result.');
    return new ExecutionContext(BIRTH, copy(this, { results: [...this.results, result] }));
  }

  seal(): ExecutionContext {
    mustBeOpen(this);
    const results = this.results.map((result) => {
      if (result.upstream) Object.freeze(result.upstream);
      return Object.freeze(result);
    });
    return Object.freeze(new ExecutionContext(BIRTH, copy(this, { results: Object.freeze(results), sealed: true })));
  }
}

function mustBeOpen(context: ExecutionContext): void {
  if (context.sealed) throw new TypeError(`The context of request ${context.requestId} is sealed.`);
}

// Spelled out: a spread of a class instance is several times slower, and this runs for every call.
function copy(from: State, changes: Partial<State>): State {
  return {
    requestId: from.requestId,
    method: from.method,
    principal: from.principal,
    transport: from.transport,
    startedAt: from.startedAt,
    tool: changes.tool ?? from.tool,
    argumentsDigest: changes.argumentsDigest ?? from.argumentsDigest,
    results: changes.results ?? from.results,
    sealed: changes.sealed ?? from.sealed,
  };
}

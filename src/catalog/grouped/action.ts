// What can stand behind one action of a grouped tool: a function written for it, or an operation of a REST API.
import type { z } from 'zod';
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Middleware } from '../../call/handler.ts';
import type { Operation } from '../../orchestration/operation.ts';

interface ActionBase<Data> {
  /** Without dots: `group.action` is how actions are called. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  /** Innermost, closest to the handler. */
  readonly middleware?: readonly Middleware<Data>[] | undefined;
}

/** A function. It receives validated arguments and may return an Outcome, a text, or any JSON value. */
export interface NativeAction<Schema extends z.ZodObject = z.ZodObject, Common = unknown, Data = unknown>
  extends ActionBase<Data> {
  readonly schema?: Schema | undefined;
  readonly handler: (context: ExecutionContext<Data>, args: z.output<Schema> & Common) => unknown;
  readonly operation?: never;
}

/** A REST operation: its own schema is enforced, its guard asks, its errors explain. */
export interface RestAction<Data = unknown> extends ActionBase<Data> {
  readonly operation: Operation;
  readonly schema?: never;
  readonly handler?: never;
}

export type AnyAction = NativeAction<z.ZodObject, never> | RestAction;

/** An action in its place. */
export interface PlacedAction {
  /** `list`, or `users.list` inside a group. */
  readonly key: string;
  readonly definition: AnyAction;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly groupMiddleware: readonly Middleware[];
}

// An agent that plays a task by its recorded steps. Whatever a later step needs and the task did not say is taken from the
// answer before it; where that does not have it, the task has come to a dead end.
import type { Answer, Connection } from '../clients.ts';
import { findAction } from '../exposures.ts';

export class DeadEnd extends Error {}

export class Agent {
  calls = 0;
  errors = 0;
  /** Answers that asked for a confirmation: no errors, they are what the guard is for. */
  confirmations = 0;
  readonly transcript: string[] = [];
  private last: Answer | undefined;
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async call(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    if (!this.connection.tools.some(({ name }) => name === tool))
      throw new DeadEnd(`${tool} is none of the tools: ${this.connection.tools.map(({ name }) => name).join(', ')}`);
    this.calls++;
    const answer = await this.connection.call(tool, args);
    this.last = answer;
    if (answer.structured?.failure_mode === 'not_confirmed') this.confirmations++;
    else if (answer.isError) this.errors++;
    this.transcript.push(
      `${tool} ${JSON.stringify(args)}\n  → ${answer.text.replaceAll('\n', '\n    ').slice(0, 1_500)}`,
    );
    return answer;
  }

  /** A call that has to work: the agent made no mistake. */
  async succeed(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await this.call(tool, args);
    if (answer.isError) throw new DeadEnd(`${tool} failed: ${answer.text}`);
    return answer;
  }

  /** A call with a mistake in it: the answer has to refuse it. */
  async mistake(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await this.call(tool, args);
    if (!answer.isError) throw new Error(`${tool} took ${JSON.stringify(args)}: ${answer.text}`);
    return answer;
  }

  /** What the last answer says at the first group of a pattern. */
  learn(pattern: RegExp): string {
    const text = pattern.exec(this.last?.text ?? '')?.[1];
    if (text === undefined) throw new DeadEnd(`the answer does not say ${pattern}: ${this.last?.text}`);
    return text;
  }

  /** The first line of the last answer. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers.
  json(): any {
    return JSON.parse(this.last!.text.split('\n')[0]!);
  }

  /** Where an operation is among grouped tools, as their list shows it. */
  find(operation: string): { readonly tool: string; readonly action?: string } {
    try {
      return findAction(this.connection.tools, operation);
    } catch (error) {
      throw new DeadEnd((error as Error).message);
    }
  }
}

// What a case of the attack is, and what it is given.
import type { Answer, Door, Params } from './doors.ts';
import type { Gateway, Launch } from './gateway.ts';
import type { Upstream } from './upstream.ts';

export interface Limits {
  /** The longest a parallel client may wait. */
  readonly stallMs: number;
  /** How much memory a case may take for a moment. */
  readonly growthMb: number;
}

export type Fixture = 'tools' | 'search' | 'grouped';

export interface Attack {
  readonly upstream: Upstream;
  readonly limits: Limits;
  /** The gateway of the case's fixture. */
  readonly gateway: Gateway;
  /** Another gateway, for this case alone; ended with it. */
  launch(how: Launch): Promise<Gateway>;
  /** Does the same through every door; the first reason to fail counts. */
  everyDoor(act: (door: Door) => Promise<string | undefined>): Promise<string | undefined>;
}

export interface Case {
  /** The part of the rule it belongs to: A no input stalls, B the operator decides, C doors, D who calls. */
  readonly part: 'A' | 'B' | 'C' | 'D';
  readonly id: string;
  /** Shared gateway it runs against; a case without one launches its own. */
  readonly fixture?: Fixture;
  /** Why it failed, or undefined. Stall, memory and life are judged by the runner. */
  run(attack: Attack): Promise<string | undefined>;
  /** Milliseconds after which the case is given up; 10,000 unless said. */
  readonly limitMs?: number;
}

/** The read of a resource has no other code for an upstream that failed, and says how it failed; any other is a bug. */
export function isInternal({ error, text }: Answer): boolean {
  return error?.code === -32603 && !text.includes('failure_mode');
}

/** An answer of any kind will do, but an internal error is a bug, whatever was sent. */
export async function askSafely(door: Door, method: string, params: Params): Promise<string | undefined> {
  const answer = await door.ask(method, params);
  return isInternal(answer) ? `internal error: ${answer.text.slice(0, 200)}` : undefined;
}

/** Requests of one kind, each through every door. */
export function requests(id: string, fixture: Fixture, method: string, variants: () => readonly Params[]): Case {
  return {
    part: 'A',
    id,
    fixture,
    run: ({ everyDoor }) => {
      const built = variants();
      return everyDoor(async (door) => {
        for (const params of built) {
          const reason = await askSafely(door, method, params);
          if (reason !== undefined) return reason;
        }
        return undefined;
      });
    },
  };
}

/** One request through every door. */
export function request(id: string, fixture: Fixture, method: string, params: () => Params): Case {
  return requests(id, fixture, method, () => [params()]);
}

/** A call of a tool through every door. */
export function call(id: string, tool: string, args: () => Params, fixture: Fixture = 'tools'): Case {
  return request(id, fixture, 'tools/call', () => ({ name: tool, arguments: args() }));
}

// The load: clients that read, write and confirm without a break until they are told to stop. Every write has an id of its own,
// made here, so that the API can tell whether it came once.
import { randomUUID } from 'node:crypto';
import { type Caller, openCaller } from './callers.ts';
import { type Call, describeCall, type Face, type Kind, Ledger } from './ledger.ts';

interface Role {
  readonly face: Face;
  readonly kinds: readonly Kind[];
  readonly count: number;
}

const ROLES: readonly Role[] = [
  { face: 'v2 modern', kinds: ['read', 'write', 'read'], count: 4 },
  { face: 'v2 modern', kinds: ['confirm'], count: 2 },
  { face: 'v1 legacy', kinds: ['read', 'write'], count: 3 },
  { face: 'v1 legacy', kinds: ['confirm'], count: 2 },
  { face: 'token', kinds: ['confirm', 'write'], count: 2 },
  { face: 'v2 modern', kinds: ['other api'], count: 2 },
];
/** Between two calls of a client: the machine has other things to do as well. */
const PAUSE_MS = 5;
const QUIET_MS = 30_000;

export class Load {
  readonly ledger = new Ledger();
  readonly #callers: { caller: Caller; kinds: readonly Kind[] }[] = [];
  #isOn = false;
  #loops: Promise<void>[] = [];

  /** All clients, connected. */
  static async open(url: string): Promise<Load> {
    const load = new Load();
    for (const { face, kinds, count } of ROLES)
      for (let at = 0; at < count; at++) load.#callers.push({ caller: await openCaller(face, url), kinds });
    return load;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#loops = this.#callers.map(async ({ caller, kinds }) => {
      for (let at = 0; this.#isOn; at++) {
        await makeCall(this.ledger, caller, kinds[at % kinds.length]!);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    });
  }

  /** Resolves when every call under way has come to its end. */
  async pause(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#loops.splice(0));
  }

  /** Until every face has had some good calls of every kind: whatever was wrong is over. Throws where it does not end. */
  async untilAllIsWell(): Promise<void> {
    const from = performance.now();
    const wanted = new Set(ROLES.flatMap(({ face, kinds }) => kinds.map((kind) => `${face} ${kind}`)));
    const listMissing = () => {
      const counts = new Map<string, number>();
      for (const { face, kind, startedAt, outcome } of this.ledger.since(from))
        if (startedAt >= from && outcome === 'ok')
          counts.set(`${face} ${kind}`, (counts.get(`${face} ${kind}`) ?? 0) + 1);
      return [...wanted].filter((one) => (counts.get(one) ?? 0) < 3);
    };
    while (listMissing().length > 0) {
      if (performance.now() - from > QUIET_MS) {
        const bad = this.ledger.since(from).filter(({ outcome }) => outcome !== 'ok');
        throw new Error(
          `not answered again: ${listMissing().join(', ')}\n${bad.slice(0, 5).map(describeCall).join('\n')}`,
        );
      }
      await this.ledger.next(100);
    }
  }

  async close(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#callers.map(({ caller }) => caller.close().catch(() => {})));
  }
}

/** One call, or the calls of one confirmation. Never rejects. */
export async function makeCall(ledger: Ledger, caller: Caller, kind: Kind): Promise<Call> {
  const id = randomUUID();
  const call = ledger.begin(caller.face, kind, id);
  try {
    let { isError, structured, text } = await send(call, caller, {});
    const token = structured.confirmation_token;
    if (kind === 'confirm' && caller.face === 'token' && token !== undefined)
      ({ isError, structured, text } = await send(call, caller, { confirmation_token: token }));
    const mode = structured.failure_mode;
    if (!isError) ledger.end(call, 'ok');
    // A refusal is an answer that says why; anything else is a failure.
    else if (typeof mode === 'string' && text.length > 20) ledger.end(call, 'refused', mode, text);
    else ledger.end(call, 'failed', undefined, text);
  } catch (error) {
    const message = describeError(error);
    // The modern era says it as an error of the protocol (S:basic/patterns/mrtr), and that the question can be asked anew.
    if (message.includes('Call the tool again without it')) ledger.end(call, 'refused', 'not_confirmed', message);
    else ledger.end(call, 'failed', undefined, message);
  }
  return call;
}

function send(call: Call, caller: Caller, more: Record<string, unknown>) {
  const { id, kind } = call;
  if (kind === 'confirm') return caller.call(call, 'shop_delete', { id, ...more });
  if (kind === 'write') return caller.call(call, 'shop_create', { id, name: 'An item' });
  if (kind === 'other api') return caller.call(call, 'depot_get', { id });
  return caller.call(call, 'shop_get', { id });
}

function describeError(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

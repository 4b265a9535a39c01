// Letters between processes about sessions of legacy HTTP clients: the answer to a question of another process, a call to be
// cancelled wherever it runs, a message that could not be read. The sender has checked whose session it is.
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '../../call/caller.ts';
import { parseJsonObject } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { Shares } from '../shares.ts';
import type { RequestId } from '../wire/jsonrpc.ts';
import type { Letters } from './letters.ts';

/** What a client answered. */
export interface ClientAnswer {
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** One protocol of this process, which handles letters about its own sessions only. */
export interface Addressee {
  settle(session: string, answer: ClientAnswer): void;
  cancel(session: string, id: RequestId): void;
  giveUp(session: string, why: string): void;
}

export interface Mailbox {
  /** Of this process; it stands in the ids of its questions. */
  readonly address: string;
  /** False while an answer that comes to another process could not be passed on. */
  readonly isUsable: boolean;
  register(addressee: Addressee): void;
  /** To the process that asked. Rejects if it cannot be delivered now; an answer to no question of ours is dropped. */
  forward(session: string, principal: Pick<Principal, 'id'>, answer: ClientAnswer): Promise<void>;
  cancel(session: string, principal: Pick<Principal, 'id'>, id: RequestId): void;
  giveUp(session: string, principal: Pick<Principal, 'id'>, why: string): void;
}

/** The address in the id of a question. */
const QUESTION = /^landbridge-([0-9a-f]{16})-[0-9a-f-]{36}$/;
/** Longer ids of a client are not passed on, because every process would have to read them. */
const MAX_ID_CHARS = 256;

const MAX_CHARS = 1024 * 1024;
/** How long to wait for a Redis that is being restarted, or for a process that lost its connection to it. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 100;
/** Answers that wait for that. */
const MAX_PATIENT = 500;

export function createMailbox(letters: Letters): Mailbox {
  const addressees: Addressee[] = [];
  const patience = new Shares(MAX_PATIENT);
  const allowance = new Allowance();
  letters.receive((text) => {
    const letter = parseLetter(text);
    for (const addressee of letter ? addressees : []) deliver(letter!, addressee);
  });

  const deliverWithin = async (to: string, text: string, patienceMs: number): Promise<void> => {
    const until = performance.now() + patienceMs;
    while ((await letters.send(to, text)) !== 'delivered') {
      // An empty letter finds out whether the receiver is there, so that a large one is not sent again and again.
      do {
        if (performance.now() + RETRY_MS > until) throw undelivered();
        await pause(RETRY_MS);
      } while ((await letters.send(to, '')) !== 'delivered');
    }
  };

  return {
    address: letters.address,
    get isUsable() {
      return letters.isUsable;
    },
    register: (addressee) => void addressees.push(addressee),
    async forward(session, principal, answer) {
      const [, to] = (typeof answer.id === 'string' && QUESTION.exec(answer.id)) || [];
      if (to === undefined || to === letters.address) return;
      const text = writeAnswer(session, answer);
      const mayWait = patience.enter(principal);
      try {
        await deliverWithin(to, text, mayWait ? PATIENCE_MS : 0);
      } finally {
        if (mayWait) patience.leave(principal);
      }
    },
    cancel(session, principal, id) {
      if (String(id).length > MAX_ID_CHARS) return;
      if (allowance.take(principal.id)) letters.sendAll(JSON.stringify({ session, cancel: id }));
    },
    giveUp(session, principal, why) {
      if (allowance.take(principal.id)) letters.sendAll(JSON.stringify({ session, unread: why }));
    },
  };
}

interface Letter {
  readonly session: string;
  readonly answer?: ClientAnswer;
  readonly cancel?: RequestId;
  readonly unread?: string;
}

/** An answer that is too large still ends its question: no other one will come. */
function writeAnswer(session: string, answer: ClientAnswer): string {
  const text = JSON.stringify({ session, answer });
  if (text.length <= MAX_CHARS) return text;
  const error = { message: 'its answer is too large to be passed on' };
  return JSON.stringify({ session, answer: { id: answer.id, error } });
}

/** Letters come from our own processes, but maybe from another release. */
function parseLetter(text: string): Letter | undefined {
  const letter = parseJsonObject(text);
  return typeof letter?.session === 'string' ? (letter as unknown as Letter) : undefined;
}

function deliver({ session, answer, cancel, unread }: Letter, addressee: Addressee): void {
  if (answer !== undefined) addressee.settle(session, answer);
  if (cancel !== undefined) addressee.cancel(session, cancel);
  if (unread !== undefined) addressee.giveUp(session, unread);
}

function undelivered(): GatewayError {
  return new GatewayError(
    'ANSWER_UNDELIVERED',
    'The answer could not be handed to the process of this gateway that asked: that process has ended, or the shared state is down. Send the same answer again in a few seconds; if the call has ended by then, make it again.',
    { retry_after_seconds: 2 },
  );
}

/** Per second. A message costs every process some work, so it is limited. */
const MAX_PER_CALLER = 50;
const MAX_PER_SECOND = 500;

class Allowance {
  readonly #own = new Map<string, number>();
  #all = 0;
  #second = 0;

  take(caller: string): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#all = 0;
      this.#own.clear();
    }
    const own = this.#own.get(caller) ?? 0;
    if (own >= MAX_PER_CALLER || this.#all >= MAX_PER_SECOND) return false;
    this.#own.set(caller, own + 1);
    this.#all++;
    return true;
  }
}

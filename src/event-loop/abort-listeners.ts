// Listeners for the abort of a call's signal. One signal may serve many calls, such as all those of a connection: its owner then
// notifies their listeners itself, because adding and removing one on an AbortSignal took 2 us per call, and node compares each new
// listener with all existing ones. With node's own listeners, a call took up to 1.3 times as much processor time.
import { setMaxListeners } from 'node:events';
import { type ActiveItem, ActiveSet } from './active-set.ts';

export interface AbortListener extends ActiveItem {
  /** The signal was aborted. */
  handleEvent(): void;
}

/** The key of a property, since looking up a signal in a WeakMap takes a microsecond per call. */
const SHARED = Symbol('the SharedSignal of this signal');

/** Like the reason that node creates for each signal, with a stack trace: that takes 20 us, and connections end all the time. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError');

/** A signal for many calls: those of one HTTP connection, or all legacy calls over HTTP. */
export class SharedSignal {
  readonly listeners = new ActiveSet<AbortListener>();
  /** Code outside this file, such as a handler, has added a listener. Asking node for the listeners takes a microsecond. */
  hasOtherListeners = false;
  readonly #controller = new AbortController();

  constructor() {
    const { signal } = this;
    (signal as OwnedSignal)[SHARED] = this;
    signal.addEventListener = noteListener;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(ABORTED);
    for (const listener of this.listeners.takeAll()) listener.handleEvent();
  }
}

type OwnedSignal = AbortSignal & { [SHARED]?: SharedSignal };

function noteListener(this: OwnedSignal, ...args: Parameters<AbortSignal['addEventListener']>): void {
  this[SHARED]!.hasOtherListeners = true;
  // Many calls may listen at once; node would warn of a leak.
  setMaxListeners(0, this);
  AbortSignal.prototype.addEventListener.apply(this, args);
}

/** After each call of this, removeAbortListener() must be called, unless the signal is aborted first. */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const owner = (signal as OwnedSignal)[SHARED];
  if (owner === undefined) signal.addEventListener('abort', listener);
  else owner.listeners.add(listener);
}

export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const owner = (signal as OwnedSignal)[SHARED];
  if (owner === undefined) signal.removeEventListener('abort', listener);
  else owner.listeners.remove(listener);
}

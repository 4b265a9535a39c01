// Notices that a caller leaves while its call is in progress. A signal that serves many calls (that of an HTTP connection) gets
// one listener for all of them: adding and removing one per call took 2 µs of every call.

export interface Companion {
  /** The caller left. */
  handleEvent(): void;
}

class Company {
  readonly #companions: Companion[] = [];

  add(one: Companion): void {
    this.#companions.push(one);
  }

  remove(one: Companion): void {
    if (this.#companions[0] === one) this.#companions.shift();
    else if (this.#companions.includes(one)) this.#companions.splice(this.#companions.indexOf(one), 1);
  }

  handleEvent(): void {
    for (const one of this.#companions.splice(0)) one.handleEvent();
  }
}

const companies = new WeakMap<AbortSignal, Company>();

/** Call it once for a signal that many calls will wait for; from then on it has a single listener. */
export function shareSignal(signal: AbortSignal): void {
  const company = new Company();
  companies.set(signal, company);
  signal.addEventListener('abort', company);
}

/** Every `stayWith` needs a `part`, unless the caller leaves first. */
export function stayWith(signal: AbortSignal, one: Companion): void {
  const company = companies.get(signal);
  if (company === undefined) signal.addEventListener('abort', one);
  else company.add(one);
}

export function part(signal: AbortSignal, one: Companion): void {
  const company = companies.get(signal);
  if (company === undefined) signal.removeEventListener('abort', one);
  else company.remove(one);
}

// Callers that leave while something is done for them. A signal that serves one call after the other (that of an HTTP
// connection) has one listener for all of them: adding and removing one for each took 2 us of every call.

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

/** To be called once for a signal that many calls will wait for. It has one listener from then on. */
export function shareSignal(signal: AbortSignal): void {
  const company = new Company();
  companies.set(signal, company);
  signal.addEventListener('abort', company);
}

/** `stayWith` must end with `part`, unless the caller leaves. */
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

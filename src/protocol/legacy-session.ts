// Legacy HTTP keeps no session here. What must be known later (may this client be asked things?) travels in the
// session id itself, signed: any replica with the same key can read it, nobody can make one up.
import { randomBytes } from 'node:crypto';
import { isObject } from '../endpoint/is-object.ts';
import type { Signer } from '../orchestration/signer.ts';

type Capabilities = Readonly<Record<string, unknown>>;

/** What `initialize` said, as far as it matters later. */
export interface Declared {
  readonly capabilities: Capabilities;
  /** What the client calls itself. */
  readonly name?: string | undefined;
  /** Its own version. */
  readonly release?: string | undefined;
}

export interface LegacySessions {
  mint(principal: string, declaration: Declared): string;
  /** Undefined when the id is not one of ours for this principal. */
  read(principal: string, sessionId: string): Declared | undefined;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const MAX_CHARS = 512;
const MAX_NAME_CHARS = 40;
const MAX_RELEASE_CHARS = 20;

const PURPOSE = 'session';
/** Checking a signature takes a third of the time of a small call, so the most recently checked ids are remembered. */
const MAX_REMEMBERED = 1_000;

export function createLegacySessions(signer: Signer): LegacySessions {
  const memory = new Map<string, Declared & { readonly principal: string }>();

  const open = (principal: string, sessionId: string): Declared | undefined => {
    const payload = sessionId.length > MAX_CHARS ? undefined : signer.open(PURPOSE, [principal], sessionId);
    if (payload === undefined) return undefined;
    const [, modesByName, name, release] = payload as [string, [string, string[]][], string?, string?];
    const capabilities = modesByName.map(([key, modes]) => [key, Object.fromEntries(modes.map((mode) => [mode, {}]))]);
    return { capabilities: Object.fromEntries(capabilities), name, release };
  };

  return {
    mint(principal, { capabilities, name, release }) {
      const modesByName = ASKABLE.filter((key) => isObject(capabilities[key])).map((key) => [
        key,
        Object.keys(capabilities[key] as object).filter((mode) => mode === 'form' || mode === 'url'),
      ]);
      const payload = [randomBytes(16).toString('base64url'), modesByName];
      if (name === undefined) return signer.seal(PURPOSE, [principal], payload);
      const words = [toPlain(name, MAX_NAME_CHARS), toPlain(release ?? '', MAX_RELEASE_CHARS)];
      return signer.seal(PURPOSE, [principal], [...payload, ...words]);
    },
    read(principal, sessionId) {
      const last = memory.get(sessionId);
      if (last?.principal === principal) return last;
      const declaration = open(principal, sessionId);
      if (declaration === undefined) return undefined;
      if (memory.size >= MAX_REMEMBERED) memory.delete(memory.keys().next().value as string);
      memory.set(sessionId, { principal, ...declaration });
      return declaration;
    },
  };
}

/** One-byte characters only, so that the length of an id is known. */
function toPlain(text: string, maxChars: number): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, maxChars);
}

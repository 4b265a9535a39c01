// Session ids of legacy HTTP clients. The gateway stores no sessions: what it must know later, such as whether the client can be asked
// questions, is in the session id itself, signed. Any replica with the same key can read it, and nobody else can make one.
import { randomBytes } from 'node:crypto';
import { isObject } from '../endpoint/is-object.ts';
import type { Signer } from '../orchestration/signer.ts';

type Capabilities = Readonly<Record<string, unknown>>;

/** The part of a client's declaration in `initialize` that is needed later. */
export interface ClientDeclaration {
  readonly capabilities: Capabilities;
  /** The name of the client. */
  readonly name?: string | undefined;
  /** Its own version. */
  readonly release?: string | undefined;
}

export interface SessionIds {
  mint(principal: string, declaration: ClientDeclaration): string;
  /** Undefined if the id was not signed by us for this principal. */
  read(principal: string, sessionId: string): ClientDeclaration | undefined;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const MAX_CHARS = 512;
const MAX_NAME_CHARS = 40;
const MAX_RELEASE_CHARS = 20;

const PURPOSE = 'session';
/** Verifying a signature takes a third of the time of a small call, so the ids that were verified last are cached. */
const MAX_CACHED = 1_000;

export function createSessionIds(signer: Signer): SessionIds {
  const cache = new Map<string, ClientDeclaration & { readonly principal: string }>();

  const open = (principal: string, sessionId: string): ClientDeclaration | undefined => {
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
      const last = cache.get(sessionId);
      if (last?.principal === principal) return last;
      const declaration = open(principal, sessionId);
      if (declaration === undefined) return undefined;
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
      cache.set(sessionId, { principal, ...declaration });
      return declaration;
    },
  };
}

/** One-byte characters only, so that the length of an id is bounded. */
function toPlain(text: string, maxChars: number): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, maxChars);
}

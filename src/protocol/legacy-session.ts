// Legacy HTTP keeps no session here. What must be known later (may this client be asked things?) travels in the
// session id itself, signed: any replica with the same key can read it, nobody can make one up.
import { randomBytes } from 'node:crypto';
import { isObject } from '../endpoint/is-object.ts';
import type { Signer } from '../orchestration/signer.ts';

type Capabilities = Readonly<Record<string, unknown>>;

export interface LegacySessions {
  mint(principal: string, capabilities: Capabilities): string;
  /** The declared capabilities, or undefined when the id is not one of ours for this principal. */
  read(principal: string, sessionId: string): Capabilities | undefined;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const MAX_CHARS = 512;

const PURPOSE = 'session';
/** Checking a signature costs a third of a small call; the ids that were checked last need none. */
const MAX_REMEMBERED = 1_000;

export function createLegacySessions(signer: Signer): LegacySessions {
  const remembered = new Map<string, { readonly principal: string; readonly capabilities: Capabilities }>();

  const open = (principal: string, sessionId: string): Capabilities | undefined => {
    const payload = sessionId.length > MAX_CHARS ? undefined : signer.open(PURPOSE, [principal], sessionId);
    if (payload === undefined) return undefined;
    const [, modesByName] = payload as [string, [string, string[]][]];
    return Object.fromEntries(
      modesByName.map(([name, modes]) => [name, Object.fromEntries(modes.map((mode) => [mode, {}]))]),
    );
  };

  return {
    mint(principal, capabilities) {
      const modesByName = ASKABLE.filter((name) => isObject(capabilities[name])).map((name) => [
        name,
        Object.keys(capabilities[name] as object).filter((mode) => mode === 'form' || mode === 'url'),
      ]);
      return signer.seal(PURPOSE, [principal], [randomBytes(16).toString('base64url'), modesByName]);
    },
    read(principal, sessionId) {
      const last = remembered.get(sessionId);
      if (last?.principal === principal) return last.capabilities;
      const capabilities = open(principal, sessionId);
      if (capabilities === undefined) return undefined;
      if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value as string);
      remembered.set(sessionId, { principal, capabilities });
      return capabilities;
    },
  };
}

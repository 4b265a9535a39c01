// Legacy HTTP keeps no session here. What must be known later (may this client be asked things?) travels in the
// session id itself, signed: any replica with the same key can read it, nobody can make one up.
import { randomBytes } from 'node:crypto';
import { isObject } from '../endpoint/is-object.ts';
import type { Signer } from '../orchestration/signer.ts';

export interface LegacySessions {
  mint(principal: string, capabilities: Readonly<Record<string, unknown>>): string;
  /** The declared capabilities, or undefined when the id is not one of ours for this principal. */
  read(principal: string, sessionId: string): Readonly<Record<string, unknown>> | undefined;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const MAX_CHARS = 512;

const PURPOSE = 'session';

export function createLegacySessions(signer: Signer): LegacySessions {
  return {
    mint(principal, capabilities) {
      const declared = ASKABLE.filter((name) => isObject(capabilities[name])).map((name) => [
        name,
        Object.keys(capabilities[name] as object).filter((mode) => mode === 'form' || mode === 'url'),
      ]);
      return signer.seal(PURPOSE, [principal], [randomBytes(16).toString('base64url'), declared]);
    },
    read(principal, sessionId) {
      const payload = sessionId.length > MAX_CHARS ? undefined : signer.open(PURPOSE, [principal], sessionId);
      if (payload === undefined) return undefined;
      const [, declared] = payload as [string, [string, string[]][]];
      return Object.fromEntries(
        declared.map(([name, modes]) => [name, Object.fromEntries(modes.map((mode) => [mode, {}]))]),
      );
    },
  };
}

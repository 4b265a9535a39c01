// Legacy HTTP keeps no session here. What must be known later (may this client be asked things?) travels in the
// session id itself, signed: any replica with the same key can read it, nobody can make one up.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface LegacySessions {
  mint(principal: string, capabilities: Readonly<Record<string, unknown>>): string;
  /** The declared capabilities, or undefined when the id is not one of ours for this principal. */
  read(principal: string, sessionId: string): Readonly<Record<string, unknown>> | undefined;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const MAX_CHARS = 512;

/** Whether a client declared anything that a later request would have to know. */
export function isAskable(capabilities: Readonly<Record<string, unknown>>): boolean {
  return ASKABLE.some((name) => typeof capabilities[name] === 'object' && capabilities[name] !== null);
}

export function createLegacySessions(key: Buffer): LegacySessions {
  const sign = (principal: string, payload: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['session', principal, payload]))
      .digest('base64url');
  return {
    mint(principal, capabilities) {
      const kept = ASKABLE.filter((name) => typeof capabilities[name] === 'object' && capabilities[name] !== null).map(
        (name) => [name, Object.keys(capabilities[name] as object).filter((mode) => mode === 'form' || mode === 'url')],
      );
      const payload = Buffer.from(JSON.stringify([randomBytes(16).toString('base64url'), kept])).toString('base64url');
      return `${payload}.${sign(principal, payload)}`;
    },
    read(principal, sessionId) {
      if (sessionId.length > MAX_CHARS) return undefined;
      const dot = sessionId.indexOf('.');
      const payload = sessionId.slice(0, Math.max(0, dot));
      const mac = sessionId.slice(dot + 1);
      const want = Buffer.from(sign(principal, payload));
      const got = Buffer.from(mac);
      if (got.length !== want.length || !timingSafeEqual(got, want)) return undefined;
      const [, kept] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, [string, string[]][]];
      return Object.fromEntries(
        kept.map(([name, modes]) => [name, Object.fromEntries(modes.map((mode) => [mode, {}]))]),
      );
    },
  };
}

// What a token looks like before anything of it is believed: a JWT in three parts, or a text that only its issuer can read.
import { type Node, parseJsonObject } from '../../endpoint/untrusted.ts';

export interface TokenShape {
  readonly header: Node;
  /** Unverified. */
  readonly claims: Node;
}

/** The signature may be empty: an unsigned token is still a JWT, and is refused as one. */
const THREE_PARTS = /^([A-Za-z0-9_-]{4,})\.([A-Za-z0-9_-]{2,})\.[A-Za-z0-9_-]*$/;

/** Undefined: no JWT. */
export function readShape(token: string): TokenShape | undefined {
  const parts = THREE_PARTS.exec(token);
  if (parts === null) return undefined;
  const header = decode(parts[1]!);
  const claims = decode(parts[2]!);
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

/** Whether it starts with a readable header and claims: then it is not opaque, and is not sent to introspection. */
export function isLikeJwt(token: string): boolean {
  const [header = '', claims = ''] = token.split('.', 2);
  return decode(header) !== undefined && decode(claims) !== undefined;
}

function decode(part: string): Node | undefined {
  return parseJsonObject(Buffer.from(part, 'base64url').toString());
}

// Client certificates: the name in a certificate that a trusted authority signed → a principal. A list in the configuration says
// which of them may do what; without a list, every valid certificate is accepted.
import type { Socket } from 'node:net';
import { compileGlob } from '../endpoint/glob.ts';
import { type PeerCertificate, readPeerCertificate } from '../transport/listener-tls.ts';
import type { Refusal } from '../transport/request-checks.ts';
import type { Identify } from '../transport/request-handler.ts';
import { type AuthResult, expiryOf, type Permissions, toPrincipal } from './identify.ts';

export interface CertificateRule extends Permissions {
  /** A pattern of the subject's common name. */
  readonly subject?: string | undefined;
  /** A pattern of one of its alternative names. */
  readonly san?: string | undefined;
  /** The principal is `cert:<name>`. Absent: the name that the pattern matches. */
  readonly name?: string | undefined;
}

/** Undefined: the client sent no certificate, and has to authenticate in another way. */
export type CertificateCheck = (socket: Socket) => AuthResult | undefined;

/** Printable ASCII, at most 200 characters; other names are ignored. */
const NAME = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

const refuse = (status: 401 | 403, why: string): Refusal => ({
  status,
  message: `${status === 401 ? 'Unauthorized' : 'Forbidden'}: ${why}`,
  reason: 'certificate',
  why,
});
const UNTRUSTED = refuse(401, 'this client certificate is not signed by a trusted authority, or is not valid now.');
const EXPIRED = refuse(401, 'this client certificate, or its permission, has expired. Connect with a new one.');
const NAMELESS = refuse(
  403,
  'this client certificate has no usable name: it needs one common name, or an alternative name.',
);

/** The result for a certificate, and until when it is valid. */
interface CertificateResult {
  readonly result: AuthResult;
  readonly untilMs: number;
}

/** Without `rules`, every valid certificate is accepted under the name in it, with all permissions. */
export function createCertificateCheck(rules: readonly CertificateRule[] | undefined): CertificateCheck {
  const match = rules === undefined ? acceptByName : compileRules(rules);
  /** The certificate of a connection cannot change; it can only expire. */
  const results = new WeakMap<Socket, CertificateResult>();
  return (socket) => {
    let current = results.get(socket);
    if (current === undefined) {
      const certificate = readPeerCertificate(socket);
      if (certificate === undefined) return undefined;
      if (certificate === 'untrusted') return UNTRUSTED;
      current = match(certificate);
      results.set(socket, current);
    }
    return Date.now() < current.untilMs ? current.result : EXPIRED;
  };
}

/** Over HTTP a key or token takes precedence over a valid certificate: a proxy may connect on behalf of the caller. */
export function withCertificates(certificates: CertificateCheck | undefined, byToken: Identify): Identify {
  if (!certificates) return byToken;
  return (request, profile) => {
    const result = certificates(request.socket);
    const { authorization, 'x-api-key': key } = request.headers;
    const hasNoToken = authorization === undefined && key === undefined;
    // An invalid certificate is refused even if the request has a key.
    if (result !== undefined && (hasNoToken || !('principal' in result))) return result;
    return byToken(request, profile);
  };
}

function acceptByName(certificate: PeerCertificate): CertificateResult {
  const name = nameOf(certificate);
  const result = name === undefined ? NAMELESS : { principal: Object.freeze({ id: `cert:${name}` }) };
  return { result, untilMs: certificate.validToMs };
}

function nameOf({ commonName, altNames }: PeerCertificate): string | undefined {
  return [commonName, ...altNames].find((name): name is string => name !== undefined && NAME.test(name));
}

/** The first rule that matches decides. */
function compileRules(rules: readonly CertificateRule[]): (certificate: PeerCertificate) => CertificateResult {
  const matchers = rules.map(({ subject, san, ...rule }) => ({
    rule,
    subject: subject === undefined ? undefined : compileGlob(subject),
    san: san === undefined ? undefined : compileGlob(san),
  }));
  return (certificate) => {
    const { commonName, altNames, validToMs } = certificate;
    for (const { rule, subject, san } of matchers) {
      const altName = san && altNames.find((name) => NAME.test(name) && san(name));
      const isSubject =
        subject === undefined || (commonName !== undefined && NAME.test(commonName) && subject(commonName));
      const name = rule.name ?? (subject ? commonName : altName);
      if (!isSubject || (san && altName === undefined) || name === undefined) continue;
      const principal = toPrincipal(`cert:${name}`, rule);
      return { result: { principal }, untilMs: Math.min(validToMs, expiryOf(rule)) };
    }
    const name = nameOf(certificate);
    const refusal = refuse(403, 'no entry of auth.certificates matches this client certificate.');
    return { result: name === undefined ? refusal : { ...refusal, caller: `cert:${name}` }, untilMs: validToMs };
  };
}

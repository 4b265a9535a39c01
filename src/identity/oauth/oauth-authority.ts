// Access tokens → principals. A token that was good before is found by its hash. Any other is checked with the issuer it names
// or, if it is not a JWT, by introspection. Every error is a refusal.
import { hash } from 'node:crypto';
import { textAt } from '../../endpoint/untrusted.ts';
import { cutDetail, type Refusal } from '../../transport/admission.ts';
import type { Authority, Verdict } from '../identify.ts';
import { audiencesOf } from './claims.ts';
import { type Checked, createIssuer, type Denial, type IssuerParts, WRONG_AUDIENCE } from './issuer.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { withOwn } from './scope-rules.ts';
import { createTokenCache } from './token-cache.ts';
import { isLikeJwt, readShape } from './token-shape.ts';

export interface OAuthAuthority extends Authority {
  /** The issuers that did not answer the last time. */
  readonly away: readonly string[];
  /** Fetches the keys of every issuer; one that is away is tried again. */
  start(): void;
  close(): void;
}

export interface OAuthParts extends IssuerParts {
  readonly issuers: readonly IssuerSettings[];
}

/** RFC 6750 2.1. A mistyped or expired API key of ours (`lb_`) is not sent to any issuer. */
const OPAQUE = /^(?!lb_)[A-Za-z0-9._~+/-]+=*$/;
const MAX_CACHED = 10_000;
const MAX_CACHED_CHARS = 16 * 1024 * 1024;
const MAX_VERDICTS = 100;
const RETRY = { 'retry-after': '5' };
const UNAVAILABLE: Refusal = Object.freeze({
  status: 503,
  message:
    'The authorization server of this token cannot be reached at the moment, so the token cannot be checked. Try again.',
  headers: RETRY,
  reason: 'issuer_away',
  why: 'the authorization server cannot be reached',
});

type Details = NonNullable<Refusal['details']>;

/** A good token with its verdict for each endpoint, which holds as long as the token does. */
interface Cached {
  readonly checked: Checked;
  readonly verdicts: Map<string, Verdict>;
}

export function createOAuthAuthority({ issuers: settings, ...parts }: OAuthParts): OAuthAuthority {
  const { resource } = parts;
  const { refuse, toDetails, decide } = createVerdicts(resource, settings);
  const issuers = settings.map((one) => createIssuer(one, parts));
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));
  const askable = issuers.flatMap(({ introspect }) => introspect ?? []);
  const cache = createTokenCache<Cached>(MAX_CACHED, MAX_CACHED_CHARS);

  const verdictOf = ({ checked, verdicts }: Cached, profile: string): Verdict => {
    let verdict = verdicts.get(profile);
    if (verdict === undefined) {
      verdict = decide(checked, profile);
      // Any name may be asked for; there are not as many profiles.
      if (verdicts.size < MAX_VERDICTS) verdicts.set(profile, verdict);
    }
    return verdict;
  };

  const conclude = (outcome: Checked | Denial, token: string, key: string, profile: string): Verdict => {
    if ('kind' in outcome) {
      if (outcome.kind !== 'bad') return UNAVAILABLE;
      // Not verified, and for the log alone.
      const claims = readShape(token)?.claims;
      const details = claims && toDetails(textAt(claims, 'iss') ?? '', audiencesOf(claims), profile);
      return refuse(profile, outcome.why, details);
    }
    const entry = { checked: outcome, verdicts: new Map() };
    // The text of the token, and its claims.
    cache.set(key, entry, token.length * 2);
    return verdictOf(entry, profile);
  };

  /**
   * An opaque token does not say who issued it. The issuers are asked in the order of the file, up to the first that knows it:
   * each one that is asked could use the token here.
   */
  const introspect = async (token: string, key: string, profile: string): Promise<Verdict | undefined> => {
    const url = resource.urlOf(profile);
    let answer: Checked | Denial | undefined;
    for (const look of askable) {
      answer = (await look(token, key, url)) ?? answer;
      if (answer !== undefined && !('kind' in answer && answer.kind === 'unavailable')) break;
    }
    return answer && conclude(answer, token, key, profile);
  };

  return {
    check(token, profile) {
      const key = hash('sha256', token, 'base64');
      const entry = cache.get(key);
      if (entry !== undefined) {
        if (entry.checked.isStillGood()) return verdictOf(entry, profile);
        cache.delete(key);
      }
      const shape = readShape(token);
      if (shape === undefined)
        return askable.length > 0 && OPAQUE.test(token) && !isLikeJwt(token)
          ? introspect(token, key, profile)
          : undefined;
      const { iss } = shape.claims;
      const issuer = typeof iss === 'string' ? byName.get(iss) : undefined;
      const outcome = issuer?.verify(token, shape, resource.urlOf(profile));
      if (!(outcome instanceof Promise)) return outcome && conclude(outcome, token, key, profile);
      return outcome.then((result) => conclude(result, token, key, profile));
    },
    explain(token) {
      const shape = readShape(token);
      const issuer = shape && (textAt(shape.claims, 'iss') ?? '');
      if (issuer === undefined || byName.has(issuer)) return undefined;
      return { why: 'the issuer of the token is not trusted', details: { issuer: cutDetail(issuer) } };
    },
    get away() {
      return issuers.filter((issuer) => issuer.isAway()).map(({ name }) => name);
    },
    start() {
      for (const issuer of issuers) issuer.start();
    },
    close() {
      for (const issuer of issuers) issuer.close();
    },
  };
}

/** Verdicts on tokens: what the caller is told, and what is logged. */
function createVerdicts(resource: IssuerParts['resource'], settings: readonly IssuerSettings[]) {
  const expectedBy = new Map(settings.map(({ issuer, audience }) => [issuer, audience]));

  /** `details`, what the token says, and `caller` are for the log. */
  const refuse = (profile: string, description: string, details?: Details, caller?: string): Refusal => ({
    status: 401,
    message: `Unauthorized: ${description}`,
    headers: { 'www-authenticate': resource.challenge(profile, { error: 'invalid_token', description }) },
    why: description,
    details,
    caller,
  });
  const toDetails = (issuer: string, audiences: readonly string[], profile: string): Details => ({
    issuer: cutDetail(issuer),
    audience: cutDetail(audiences.join(' ')),
    expected: [expectedBy.get(issuer) ?? resource.urlOf(profile)].flat().join(' '),
  });

  const decide = ({ issuer, audiences, scopes, principal }: Checked, profile: string): Verdict => {
    if (!issuer.isFor(audiences, resource.urlOf(profile)))
      return refuse(profile, WRONG_AUDIENCE, toDetails(issuer.name, audiences, profile), principal.id);
    const missing = issuer.rules.missingFor(profile, scopes);
    if (missing.length === 0) return { principal };
    const description = 'The token lacks scopes that this endpoint needs.';
    const problem = { error: 'insufficient_scope', description } as const;
    return {
      status: 403,
      message: `Forbidden: ${description} Get one that also has ${missing.join(' ')}.`,
      headers: { 'www-authenticate': resource.challenge(profile, problem, withOwn(principal.scopes, missing)) },
      caller: principal.id,
      why: description,
      details: { missing: missing.join(' ') },
    };
  };
  return { refuse, toDetails, decide };
}

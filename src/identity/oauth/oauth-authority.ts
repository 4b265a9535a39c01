// Access tokens → principals. A token that was good before is found in a cache, by its hash. Any other is checked with the issuer
// it names or, if it is not a JWT, by introspection. Every error is a refusal.
import { hash } from 'node:crypto';
import { textAt } from '../../endpoint/untrusted.ts';
import { cutDetail, type Refusal } from '../../transport/request-checks.ts';
import type { Authority, AuthResult } from '../identify.ts';
import { audiencesOf, isLikeJwt, parseJwt } from './claims.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { withOwn } from './scope-rules.ts';
import { TokenCache } from './token-cache.ts';
import {
  type CheckedToken,
  type IssuerDependencies,
  type TokenRefusal,
  TrustedIssuer,
  WRONG_AUDIENCE,
} from './trusted-issuer.ts';

export interface OAuthAuthority extends Authority {
  /** The issuers that did not answer the last request. */
  readonly away: readonly string[];
  /** Fetches the keys of every issuer; an issuer that does not answer is tried again. */
  start(): void;
  close(): void;
}

export interface OAuthOptions extends IssuerDependencies {
  readonly issuers: readonly IssuerSettings[];
}

/** RFC 6750 2.1. A mistyped or expired API key of this gateway (`lb_`) is not sent to any issuer. */
const OPAQUE = /^(?!lb_)[A-Za-z0-9._~+/-]+=*$/;
const MAX_CACHED = 10_000;
const MAX_CACHED_CHARS = 16 * 1024 * 1024;
const MAX_RESULTS = 100;
const RETRY = { 'retry-after': '5' };
const UNAVAILABLE: Refusal = Object.freeze({
  status: 503,
  message:
    'The authorization server of this token cannot be reached at the moment, so the token cannot be checked. It is asked again within 10 s. Try again.',
  headers: RETRY,
  reason: 'issuer_away',
  why: 'the authorization server cannot be reached',
});

/** The text may also be an API key that was not made here. */
const OPAQUE_ADVICE =
  'If it is an access token, it is opaque, and this gateway accepts only JWTs: request the token with the parameter resource (RFC 8707), or configure introspection in the gateway.';

type Details = NonNullable<Refusal['details']>;

/** A good token with its result for each endpoint, which is valid as long as the token. */
interface CachedToken {
  readonly checked: CheckedToken;
  readonly results: Map<string, AuthResult>;
}

export function createOAuthAuthority({ issuers: settings, ...dependencies }: OAuthOptions): OAuthAuthority {
  const { resource } = dependencies;
  const { refuse, toDetails, decide } = createResults(resource, settings);
  const issuers = settings.map((one) => new TrustedIssuer(one, dependencies));
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));
  const introspectable = issuers.filter(({ canIntrospect }) => canIntrospect);
  const cache = new TokenCache<CachedToken>(MAX_CACHED, MAX_CACHED_CHARS);

  const resultOf = ({ checked, results }: CachedToken, profile: string): AuthResult => {
    let result = results.get(profile);
    if (result === undefined) {
      result = decide(checked, profile);
      // Clients may ask for any number of names, whether or not there are such profiles.
      if (results.size < MAX_RESULTS) results.set(profile, result);
    }
    return result;
  };

  const conclude = (outcome: CheckedToken | TokenRefusal, token: string, key: string, profile: string): AuthResult => {
    if ('kind' in outcome) {
      if (outcome.kind !== 'bad') return UNAVAILABLE;
      // Not verified: for the log only.
      const claims = parseJwt(token)?.claims;
      const details = claims && toDetails(textAt(claims, 'iss') ?? '', audiencesOf(claims), profile);
      return refuse(profile, outcome.why, details);
    }
    const entry = { checked: outcome, results: new Map() };
    // The entry holds the text of the token, and its claims.
    cache.set(key, entry, token.length * 2);
    return resultOf(entry, profile);
  };

  /**
   * An opaque token does not say who issued it. The issuers are asked in the order of the file, until one recognises
   * it: each issuer that is asked could use the token here.
   */
  const introspect = async (token: string, key: string, profile: string): Promise<AuthResult | undefined> => {
    const url = resource.urlOf(profile);
    let answer: CheckedToken | TokenRefusal | undefined;
    for (const issuer of introspectable) {
      answer = (await issuer.introspect(token, key, url)) ?? answer;
      if (answer !== undefined && !('kind' in answer && answer.kind === 'unavailable')) break;
    }
    return answer && conclude(answer, token, key, profile);
  };

  return {
    check(token, profile) {
      const key = hash('sha256', token, 'base64');
      const entry = cache.get(key);
      if (entry !== undefined) {
        if (entry.checked.isStillGood()) return resultOf(entry, profile);
        cache.delete(key);
      }
      const jwt = parseJwt(token);
      if (jwt === undefined)
        return introspectable.length > 0 && OPAQUE.test(token) && !isLikeJwt(token)
          ? introspect(token, key, profile)
          : undefined;
      const { iss } = jwt.claims;
      const issuer = typeof iss === 'string' ? byName.get(iss) : undefined;
      const outcome = issuer?.verify(token, jwt, resource.urlOf(profile));
      if (!(outcome instanceof Promise)) return outcome && conclude(outcome, token, key, profile);
      return outcome.then((result) => conclude(result, token, key, profile));
    },
    explain(token) {
      const jwt = parseJwt(token);
      const issuer = jwt && (textAt(jwt.claims, 'iss') ?? '');
      if (issuer === undefined || byName.has(issuer)) return undefined;
      return { why: 'the issuer of the token is not trusted', details: { issuer: cutDetail(issuer) } };
    },
    advise(token) {
      return introspectable.length === 0 && OPAQUE.test(token) && !isLikeJwt(token) ? OPAQUE_ADVICE : undefined;
    },
    get away() {
      return issuers.filter(({ isUnavailable }) => isUnavailable).map(({ name }) => name);
    },
    start() {
      for (const issuer of issuers) issuer.start();
    },
    close() {
      for (const issuer of issuers) issuer.close();
    },
  };
}

/** The results of checking tokens, with the texts for the caller and for the log. */
function createResults(resource: IssuerDependencies['resource'], settings: readonly IssuerSettings[]) {
  const expectedBy = new Map(settings.map(({ issuer, audience }) => [issuer, audience]));
  /** The URL of the endpoint is public: the metadata has it. An `audience` of the settings may not be, so it is not named. */
  const namesAudience = settings.every(({ audience }) => audience === undefined);
  const describe = (why: string, profile: string) =>
    why === WRONG_AUDIENCE && namesAudience ? `${why} Its audience must be ${resource.urlOf(profile)}.` : why;

  /** `details` (what the token says) and `caller` are for the log only. */
  const refuse = (profile: string, why: string, details?: Details, caller?: string): Refusal => {
    const description = describe(why, profile);
    return {
      status: 401,
      message: `Unauthorized: ${description}`,
      headers: { 'www-authenticate': resource.challenge(profile, { error: 'invalid_token', description }) },
      why,
      details,
      caller,
    };
  };
  const toDetails = (issuer: string, audiences: readonly string[], profile: string): Details => ({
    issuer: cutDetail(issuer),
    audience: cutDetail(audiences.join(' ')),
    expected: [expectedBy.get(issuer) ?? resource.urlOf(profile)].flat().join(' '),
  });

  const decide = ({ issuer, audiences, scopes, principal }: CheckedToken, profile: string): AuthResult => {
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

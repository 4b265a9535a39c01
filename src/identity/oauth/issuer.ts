// One authorization server that this gateway trusts: which of its tokens are access tokens for one of our endpoints, and whose
// they are. No claim is used before the signature was checked or the issuer was asked.
import type { Principal } from '../../call/caller.ts';
import { lookup } from '../../endpoint/environment.ts';
import { freeze } from '../../endpoint/freeze.ts';
import type { Effect } from '../../endpoint/model.ts';
import { type Node, own, textAt } from '../../endpoint/untrusted.ts';
import { type Ask, createAuthorizationServer } from './authorization-server.ts';
import { audiencesOf, checkTimes, endOf, isBoundToKey, isOtherKind, scopesOf, subjectOf } from './claims.ts';
import { createIntrospection } from './introspection.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { resolveScopes, type ScopeRules, withOwn } from './scope-rules.ts';
import { createSigningKeys } from './signing-keys.ts';
import type { TokenShape } from './token-shape.ts';

export interface Issuer {
  readonly name: string;
  readonly rules: ScopeRules;
  /** The last time it was asked for something, or for its keys, it did not answer as it should. */
  isAway(): boolean;
  /** `url`: the endpoint that is called. */
  isFor(audiences: readonly string[], url: string): boolean;
  /** A JWT that names this issuer. */
  verify(token: string, shape: TokenShape, url: string): Checked | Denial | Promise<Checked | Denial>;
  /** For opaque tokens; absent if introspection is not configured. `key` is the hash of the token. */
  readonly introspect?: (token: string, key: string, url: string) => Promise<Checked | Denial | undefined>;
  start(): void;
  close(): void;
}

/** A token that was found good. */
export interface Checked {
  readonly issuer: Issuer;
  readonly principal: Principal;
  readonly audiences: readonly string[];
  /** Its scopes, with all they imply. */
  readonly scopes: ReadonlySet<string>;
  /** False once it has expired, or its signing key was withdrawn. */
  isStillGood(): boolean;
}

/** `bad`: a sentence for the caller. */
export type Denial = { readonly kind: 'bad'; readonly why: string } | { readonly kind: 'unavailable' };

export interface IssuerParts {
  readonly resource: ProtectedResource;
  readonly ask: Ask;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly log: IssuerLog;
}

export interface IssuerLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const DEFAULT_TYPES = ['at+jwt', 'JWT'];
const DEFAULT_SKEW_SECONDS = 30;
const DEFAULT_KEYS_MAX_AGE_SECONDS = 86_400;
const DEFAULT_CACHE_SECONDS = 30;
const MAX_KID_CHARS = 256;
/** At most one line in this time, however many tokens meet the same failure. */
const LOG_INTERVAL_MS = 10_000;

export function createIssuer(settings: IssuerSettings, { ask, variables, log, resource }: IssuerParts): Issuer {
  const { issuer: name, audience, introspection: asking } = settings;
  const rules = resolveScopes(settings);
  const skew = settings.clockSkewSeconds ?? DEFAULT_SKEW_SECONDS;
  const ownAudiences = audience === undefined ? undefined : [audience].flat();
  const header = createHeaderCheck(settings);
  const notes = createNotes(name, log);
  const server = createAuthorizationServer(settings, ask);
  const keys = createSigningKeys({
    server,
    ask,
    maxAgeMs: (settings.jwksMaxAgeSeconds ?? DEFAULT_KEYS_MAX_AGE_SECONDS) * 1000,
    onFetched: notes.fetched,
    onFailure: notes.failed,
  });

  const isFor = (audiences: readonly string[], url: string) =>
    audiences.some((one) => (ownAudiences === undefined ? one === url : ownAudiences.includes(one)));

  const problemOf = (claims: Node, url: string, needsExpiry: boolean): string | undefined => {
    const problem = checkTimes(claims, { now: Date.now() / 1000, skew }, needsExpiry);
    if (problem !== undefined) return problem;
    if (isBoundToKey(claims)) return 'The token is bound to a key of its holder, so it is not a bearer token.';
    if (!isFor(audiencesOf(claims), url)) return WRONG_AUDIENCE;
    if (subjectOf(claims, settings.principal ?? 'sub') === undefined) return 'The token does not name the caller.';
    return undefined;
  };

  /** Undefined if no scope of this issuer would allow the call. */
  const createStepUp =
    (own: readonly string[], effects: readonly Effect[] | undefined): Principal['stepUp'] =>
    (profile, effect) => {
      const needs = rules.neededFor(effect);
      if (needs.length === 0 || effects === undefined || effects.includes(effect)) return undefined;
      const scopes = withOwn(own, needs);
      const description = 'The token lacks a scope that this call needs.';
      const problem = { error: 'insufficient_scope', description } as const;
      return { scopes, challenge: resource.challenge(profile, problem, scopes) };
    };

  const toChecked = (token: string, claims: Node, isStillGood: () => boolean): Checked => {
    const own = scopesOf(claims);
    const scopes = rules.expand(own);
    const effects = rules.effectsOf(scopes);
    const principal: Principal = Object.freeze({
      id: `${name}|${subjectOf(claims, settings.principal ?? 'sub')}`,
      scopes: Object.freeze([...own]),
      effects: effects && Object.freeze(effects),
      ...(settings.limits && { limits: settings.limits }),
      claims: freeze(claims),
      token: () => token,
      ...(settings.stepUp && { stepUp: createStepUp(own, effects) }),
    });
    return { issuer: self, principal, audiences: audiencesOf(claims), scopes, isStillGood };
  };

  const client = asking && {
    clientId: lookup(variables, asking.clientIdEnv) ?? '',
    clientSecret: lookup(variables, asking.clientSecretEnv) ?? '',
  };
  const introspection = client && createIntrospection({ server, ask, ...client, onFailure: notes.failed });
  const cacheMs = (asking?.cacheSeconds ?? DEFAULT_CACHE_SECONDS) * 1000;

  const self: Issuer = {
    name,
    rules,
    isAway: () => notes.isAway,
    isFor,
    verify(token, shape, url) {
      // Cheap checks come before the signature, so that made-up tokens cost little.
      const why = header.problemOf(shape) ?? problemOf(shape.claims, url, true);
      if (why !== undefined) return { kind: 'bad', why };
      const options = { algorithms: header.algorithms, issuer: name, clockTolerance: skew, requiredClaims: ['exp'] };
      return keys.verify(token, options).then((verification) => {
        if (verification.kind !== 'good') return verification;
        const { claims, generation } = verification;
        // The same bytes, read by the library that has checked them.
        const problem = problemOf(claims, url, true);
        if (problem !== undefined) return { kind: 'bad', why: problem };
        const end = endOf(claims, skew);
        return toChecked(token, claims, () => Date.now() < end && keys.areGood() && keys.generation === generation);
      });
    },
    ...(introspection && {
      async introspect(token: string, key: string, url: string) {
        const answer = await introspection.look(token, key);
        if (answer.kind === 'unavailable') return answer;
        notes.answered();
        if (answer.kind === 'inactive') return undefined;
        const why = introspectedProblem(answer.claims, name) ?? problemOf(answer.claims, url, false);
        if (why !== undefined) return { kind: 'bad', why };
        const end = Math.min(endOf(answer.claims, skew), Date.now() + cacheMs);
        return toChecked(token, answer.claims, () => Date.now() < end);
      },
    }),
    start: keys.start,
    close: keys.close,
  };
  return self;
}

export const WRONG_AUDIENCE = 'The token was not issued for this endpoint.';
const NO_ACCESS_TOKEN = 'This is not an access token.';

/** What the header of a JWT may say. Where keys come from it does not decide: `jku`, `jwk`, `x5u` and `x5c` are not read. */
function createHeaderCheck(settings: IssuerSettings) {
  const algorithms = [...(settings.algorithms ?? DEFAULT_ALGORITHMS)];
  // RFC 9864 has a name of its own for what EdDSA with this curve is.
  if (algorithms.includes('EdDSA')) algorithms.push('Ed25519');
  const types = new Set((settings.types ?? DEFAULT_TYPES).map(plainType));
  return {
    algorithms,
    problemOf({ header, claims }: TokenShape): string | undefined {
      const kid = own(header, 'kid');
      const type = own(header, 'typ');
      if (!algorithms.includes(textAt(header, 'alg') ?? ''))
        return 'The token is signed in a way that is not accepted.';
      // RFC 7515 4.1.11: critical extensions that are not understood must be refused. None is understood here.
      if (own(header, 'crit') !== undefined) return 'The token has critical extensions that are not understood.';
      if (kid !== undefined && !(typeof kid === 'string' && kid.length <= MAX_KID_CHARS))
        return 'The token names its key in a way that is not accepted.';
      // Several large issuers write no type at all.
      const kind = type === undefined ? 'jwt' : typeof type === 'string' ? plainType(type) : '';
      if (!types.has(kind)) return NO_ACCESS_TOKEN;
      return kind !== 'at+jwt' && isOtherKind(claims) ? NO_ACCESS_TOKEN : undefined;
    },
  };
}

/** RFC 7515 4.1.9: `application/` may be left out, and case does not matter. */
function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

/** What a good answer about an opaque token may say beside what any token may. */
function introspectedProblem(claims: Node, issuer: string): string | undefined {
  const iss = own(claims, 'iss');
  const type = own(claims, 'token_type');
  if (iss !== undefined && iss !== issuer) return 'The token is from another issuer.';
  if (type !== undefined && !(typeof type === 'string' && /^(?:bearer|access_token)$/i.test(type)))
    return NO_ACCESS_TOKEN;
  return isOtherKind(claims) ? NO_ACCESS_TOKEN : undefined;
}

/** Log lines about an issuer: one when it becomes available, one when it does not answer. */
function createNotes(issuer: string, log: IssuerLog) {
  let isAway = true;
  let hasFailed = true;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    get isAway() {
      return hasFailed;
    },
    /** Tokens can be asked about, whether or not keys were fetched since. */
    answered() {
      hasFailed = false;
    },
    fetched(keys: number) {
      hasFailed = false;
      if (isAway) log.info({ issuer, keys }, 'fetched the keys of the authorization server');
      isAway = false;
      loggedAt = Number.NEGATIVE_INFINITY;
    },
    failed(why: string) {
      isAway = true;
      hasFailed = true;
      if (Date.now() - loggedAt < LOG_INTERVAL_MS) return;
      loggedAt = Date.now();
      log.warn({ issuer, why }, 'the authorization server cannot be used; the gateway tries again');
    },
  };
}

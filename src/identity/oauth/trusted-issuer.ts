// One authorization server that this gateway trusts: which of its tokens are access tokens for one of our endpoints,
// and which caller each one identifies. No claim is used before the signature was checked or the issuer was asked.
import type { Principal } from '../../call/caller.ts';
import { lookup } from '../../endpoint/environment.ts';
import { freeze } from '../../endpoint/freeze.ts';
import type { Effect } from '../../endpoint/model.ts';
import { type Node, own, textAt } from '../../endpoint/untrusted.ts';
import { type AskServer, AuthorizationServer } from './authorization-server.ts';
import {
  audiencesOf,
  callerNameOf,
  checkTimes,
  isBoundToKey,
  isOtherKind,
  scopesOf,
  type UnverifiedJwt,
  validUntilMs,
} from './claims.ts';
import { Introspection } from './introspection.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { resolveScopes, type ScopeRules, withOwn } from './scope-rules.ts';

/** A token that passed all checks. */
export interface CheckedToken {
  readonly issuer: TrustedIssuer;
  readonly principal: Principal;
  readonly audiences: readonly string[];
  /** Its scopes, with all they imply. */
  readonly scopes: ReadonlySet<string>;
  /** False once it has expired, or its signing key was withdrawn. */
  isStillGood(): boolean;
}

/** `bad`: a sentence for the caller. */
export type TokenRefusal = { readonly kind: 'bad'; readonly why: string } | { readonly kind: 'unavailable' };

export interface IssuerDependencies {
  readonly resource: ProtectedResource;
  readonly ask: AskServer;
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
/** At most one line in this time, however many tokens fail for the same reason. */
const LOG_INTERVAL_MS = 10_000;

export const WRONG_AUDIENCE = 'The token was not issued for this endpoint.';
const NO_ACCESS_TOKEN = 'This is not an access token.';

export class TrustedIssuer {
  readonly name: string;
  readonly rules: ScopeRules;
  readonly #settings: IssuerSettings;
  readonly #resource: ProtectedResource;
  readonly #audiences: readonly string[] | undefined;
  readonly #principalClaim: string;
  readonly #skew: number;
  readonly #header: HeaderRules;
  readonly #status: IssuerStatus;
  readonly #keys: IssuerKeys;
  readonly #introspection: Introspection | undefined;
  readonly #cacheMs: number;

  constructor(settings: IssuerSettings, { ask, variables, log, resource }: IssuerDependencies) {
    const { issuer, audience, introspection } = settings;
    this.name = issuer;
    this.rules = resolveScopes(settings);
    this.#settings = settings;
    this.#resource = resource;
    this.#audiences = audience === undefined ? undefined : [audience].flat();
    this.#principalClaim = settings.principal ?? 'sub';
    this.#skew = settings.clockSkewSeconds ?? DEFAULT_SKEW_SECONDS;
    this.#header = new HeaderRules(settings);
    this.#status = new IssuerStatus(issuer, log);
    const server = new AuthorizationServer(settings, ask);
    const onFailure = (why: string) => this.#status.noteFailure(why);
    this.#keys = new IssuerKeys({
      server,
      maxAgeMs: (settings.jwksMaxAgeSeconds ?? DEFAULT_KEYS_MAX_AGE_SECONDS) * 1000,
      onFetched: (keys) => this.#status.noteKeys(keys),
      onFailure,
    });
    this.#introspection =
      introspection &&
      new Introspection({
        server,
        clientId: lookup(variables, introspection.clientIdEnv) ?? '',
        clientSecret: lookup(variables, introspection.clientSecretEnv) ?? '',
        onFailure,
      });
    this.#cacheMs = (introspection?.cacheSeconds ?? DEFAULT_CACHE_SECONDS) * 1000;
  }

  /** The last request to it, about a token or for its keys, failed. */
  get isUnavailable(): boolean {
    return this.#status.isUnavailable;
  }

  /** Whether it can be asked about opaque tokens. */
  get canIntrospect(): boolean {
    return this.#introspection !== undefined;
  }

  /** `url`: the endpoint that is called. */
  isFor(audiences: readonly string[], url: string): boolean {
    return audiences.some((one) => (this.#audiences === undefined ? one === url : this.#audiences.includes(one)));
  }

  /** Verifies a JWT that names this issuer. */
  verify(
    token: string,
    jwt: UnverifiedJwt,
    url: string,
  ): CheckedToken | TokenRefusal | Promise<CheckedToken | TokenRefusal> {
    // Cheap checks come before the signature, so that made-up tokens cost little.
    const why = this.#header.problemOf(jwt) ?? this.#problemOf(jwt.claims, url, true);
    if (why !== undefined) return { kind: 'bad', why };
    const options = {
      algorithms: this.#header.algorithms,
      issuer: this.name,
      clockTolerance: this.#skew,
      requiredClaims: ['exp'],
    };
    return this.#keys.verify(token, options).then((verification) => {
      if (verification.kind !== 'good') return verification;
      const { claims, generation } = verification;
      // The same claims, now parsed by the library that has checked the signature.
      const problem = this.#problemOf(claims, url, true);
      if (problem !== undefined) return { kind: 'bad', why: problem };
      const end = validUntilMs(claims, this.#skew);
      const keys = this.#keys;
      return this.#accept(token, claims, () => Date.now() < end && keys.checkFresh() && keys.generation === generation);
    });
  }

  /** Asks about an opaque token. `key` is the hash of the token. Undefined if the issuer does not recognise it. */
  async introspect(token: string, key: string, url: string): Promise<CheckedToken | TokenRefusal | undefined> {
    const answer = await this.#introspection!.check(token, key);
    if (answer.kind === 'unavailable') return answer;
    this.#status.noteAnswer();
    if (answer.kind === 'inactive') return undefined;
    const why = introspectionProblem(answer.claims, this.name) ?? this.#problemOf(answer.claims, url, false);
    if (why !== undefined) return { kind: 'bad', why };
    const end = Math.min(validUntilMs(answer.claims, this.#skew), Date.now() + this.#cacheMs);
    return this.#accept(token, answer.claims, () => Date.now() < end);
  }

  start(): void {
    this.#keys.start();
  }

  close(): void {
    this.#keys.close();
  }

  #problemOf(claims: Node, url: string, needsExpiry: boolean): string | undefined {
    const problem = checkTimes(claims, { now: Date.now() / 1000, skew: this.#skew }, needsExpiry);
    if (problem !== undefined) return problem;
    if (isBoundToKey(claims)) return 'The token is bound to a key of its holder, so it is not a bearer token.';
    if (!this.isFor(audiencesOf(claims), url)) return WRONG_AUDIENCE;
    if (callerNameOf(claims, this.#principalClaim) === undefined) return 'The token does not name the caller.';
    return undefined;
  }

  #accept(token: string, claims: Node, isStillGood: () => boolean): CheckedToken {
    const { limits, stepUp } = this.#settings;
    const ownScopes = scopesOf(claims);
    const scopes = this.rules.expand(ownScopes);
    const effects = this.rules.effectsOf(scopes);
    const principal: Principal = Object.freeze({
      id: `${this.name}|${callerNameOf(claims, this.#principalClaim)}`,
      scopes: Object.freeze([...ownScopes]),
      effects: effects && Object.freeze(effects),
      ...(limits && { limits }),
      claims: freeze(claims),
      token: () => token,
      ...(stepUp && { stepUp: this.#createStepUp(ownScopes, effects) }),
    });
    return { issuer: this, principal, audiences: audiencesOf(claims), scopes, isStillGood };
  }

  /** The created function returns undefined if no scope of this issuer would allow the call. */
  #createStepUp(ownScopes: readonly string[], effects: readonly Effect[] | undefined): Principal['stepUp'] {
    return (profile, effect) => {
      const needs = this.rules.neededFor(effect);
      if (needs.length === 0 || effects === undefined || effects.includes(effect)) return undefined;
      const scopes = withOwn(ownScopes, needs);
      const description = 'The token lacks a scope that this call needs.';
      const problem = { error: 'insufficient_scope', description } as const;
      return { scopes, challenge: this.#resource.challenge(profile, problem, scopes) };
    };
  }
}

/**
 * What the header of a JWT may contain. It cannot choose where keys come from: `jku`, `jwk`, `x5u` and `x5c` are not
 * read.
 */
class HeaderRules {
  readonly algorithms: string[];
  readonly #types: ReadonlySet<string>;

  constructor(settings: IssuerSettings) {
    this.algorithms = [...(settings.algorithms ?? DEFAULT_ALGORITHMS)];
    // RFC 9864 has a separate name for EdDSA with this curve.
    if (this.algorithms.includes('EdDSA')) this.algorithms.push('Ed25519');
    this.#types = new Set((settings.types ?? DEFAULT_TYPES).map(plainType));
  }

  problemOf({ header, claims }: UnverifiedJwt): string | undefined {
    const kid = own(header, 'kid');
    const type = own(header, 'typ');
    if (!this.algorithms.includes(textAt(header, 'alg') ?? ''))
      return 'The token is signed in a way that is not accepted.';
    // RFC 7515 4.1.11: critical extensions that are not understood must be refused. None is understood here.
    if (own(header, 'crit') !== undefined) return 'The token has critical extensions that are not understood.';
    if (kid !== undefined && !(typeof kid === 'string' && kid.length <= MAX_KID_CHARS))
      return 'The token names its key in a way that is not accepted.';
    // Several large issuers write no type at all.
    const kind = type === undefined ? 'jwt' : typeof type === 'string' ? plainType(type) : '';
    if (!this.#types.has(kind)) return NO_ACCESS_TOKEN;
    return kind !== 'at+jwt' && isOtherKind(claims) ? NO_ACCESS_TOKEN : undefined;
  }
}

/** RFC 7515 4.1.9: `application/` may be left out, and case does not matter. */
function plainType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

/** Checks that apply only to the answer about an opaque token. */
function introspectionProblem(claims: Node, issuer: string): string | undefined {
  const iss = own(claims, 'iss');
  const type = own(claims, 'token_type');
  if (iss !== undefined && iss !== issuer) return 'The token is from another issuer.';
  if (type !== undefined && !(typeof type === 'string' && /^(?:bearer|access_token)$/i.test(type)))
    return NO_ACCESS_TOKEN;
  return isOtherKind(claims) ? NO_ACCESS_TOKEN : undefined;
}

/** Whether an issuer answers, and the log lines about it: one when its keys arrive, one when it does not answer. */
class IssuerStatus {
  /** True until the first success. */
  isUnavailable = true;
  readonly #issuer: string;
  readonly #log: IssuerLog;
  /** A line about its keys is due when they are next fetched. */
  #isLogDue = true;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(issuer: string, log: IssuerLog) {
    this.#issuer = issuer;
    this.#log = log;
  }

  /** It answered about a token, whether or not its keys could be fetched. */
  noteAnswer(): void {
    this.isUnavailable = false;
  }

  noteKeys(keys: number): void {
    this.isUnavailable = false;
    if (this.#isLogDue) this.#log.info({ issuer: this.#issuer, keys }, 'fetched the keys of the authorization server');
    this.#isLogDue = false;
    this.#loggedAt = Number.NEGATIVE_INFINITY;
  }

  noteFailure(why: string): void {
    this.isUnavailable = true;
    this.#isLogDue = true;
    if (Date.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = Date.now();
    this.#log.warn({ issuer: this.#issuer, why }, 'the authorization server cannot be used; the gateway tries again');
  }
}

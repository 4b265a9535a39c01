// The definition of a kind of credential. kinds/ has a file for each kind, kind-table.ts lists them.
import type { z } from 'zod';
import type { AssertionSigner } from '../call/assertion-signer.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { CallerText } from '../endpoint/caller/caller-text.ts';
import type { Credential, Secret } from '../endpoint/credential.ts';
import type { Environment } from '../endpoint/environment.ts';
import type { ClientAuthentication } from './tokens/client-request.ts';
import type { IssuedToken, TokenClient, TokenRequest } from './tokens/token-request.ts';

/**
 * zod and the building blocks of domain files. They are handed in: a start without domain files builds no shapes, and does not
 * load zod for them.
 */
export interface ShapeTools {
  /** The types of zod that kinds use. */
  readonly z: Pick<
    typeof z,
    | 'array'
    | 'boolean'
    | 'discriminatedUnion'
    | 'enum'
    | 'int'
    | 'literal'
    | 'number'
    | 'record'
    | 'string'
    | 'union'
    | 'unknown'
  >;
  /** With a description and examples, for the reference. */
  about<Type extends z.ZodType>(type: Type, description: string, ...examples: unknown[]): Type;
  withDefault(description: string, value: unknown): string;
  /** An object that refuses unknown keys. */
  closed<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict>;
  list<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>>;
  named(pattern: RegExp, message: string): z.ZodString;
  headerName(message: string): z.ZodString;
  inAnyCase(words: readonly string[]): RegExp;
  readonly text: z.ZodString;
  readonly texts: z.ZodReadonly<z.ZodArray<z.ZodString>>;
  readonly FILLED: string;
}

export type Shape = (tools: ShapeTools) => z.ZodType;
export type DefinitionOf<S extends Shape> = z.output<ReturnType<S>>;

/** The domain that credentials belong to. */
export interface CredentialHome {
  /** Base URL of the domain, if the file names one. */
  readonly url: string | undefined;
  /** Plain headers of the domain: they go with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The context in which a kind builds a credential. Problems are collected, so that an author sees all of them at once.
 */
export interface BuildContext {
  readonly env: Environment;
  readonly home: CredentialHome;
  /** A secret by the name of its variable. Missing names are reported before. */
  secret(variable: string | undefined): Secret;
  /** Reports a problem at a field of this credential. */
  say(message: string, ...path: string[]): void;
}

/** Where a credential stands in a request. Without a field: the text is a whole Cookie header. */
export interface CredentialPlace {
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly field?: string;
  /** Put before the value: `Bearer `. */
  readonly prefix?: string;
}

/** The part of a request that a signature can cover. */
export interface SignableRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

/** The value is known when the endpoint is compiled, and the same for all calls. */
export interface StaticProof<C extends Credential> {
  readonly type: 'static';
  /** The text after the prefix, not encoded; '' if there is none. */
  value(credential: C): string;
  /** The same credential with another secret, for the doctor, which tests whether the API checks it. */
  withValue?(credential: C, value: string): C;
}

/** An access token, fetched from a server and kept until it expires. */
export interface TokenProof<C extends Credential> {
  readonly type: 'token';
  /** Every caller has a token of its own, made from the token it presented; callers without one are refused. */
  readonly isPerCaller?: true;
  /**
   * The assumed lifetime if the server sends none. A token that expires earlier is replaced when the API refuses it.
   */
  readonly defaultLifetimeS: number;
  /** How many refused tokens may be replaced within ten seconds. */
  readonly maxReplacements: number;
  /** An API that refuses the token has done nothing (RFC 9110 15.5.2), so even a write may be repeated. */
  readonly mayRepeatWrites?: true;
  /** The statuses with which the API says that a token is no longer valid. */
  renewOn(credential: C): readonly number[];
  /** All that a token depends on: credentials with the same content share one, wherever they are declared. */
  cacheKey(credential: C): readonly unknown[];
  fetch(client: TokenClient, request: TokenRequest<C>, authentication: ClientAuthentication): Promise<IssuedToken>;
  /** Throws if the token must not be sent to this origin. */
  checkOrigin?(credential: C, origin: string, tool: string): void;
}

/** A statement about the caller, signed by the gateway for every call. */
export interface AssertionProof<C extends Credential> {
  readonly type: 'assertion';
  sign(
    credential: C,
    signer: AssertionSigner | undefined,
    context: ExecutionContext,
    apiOrigin: string,
  ): Promise<string>;
  /** The statement about this caller, to which a confirmation is bound. */
  statementOf(credential: C, context: ExecutionContext): object;
}

/** A signature over the finished request: for one address and one moment, so a redirected request is signed again. */
export interface SignatureProof<C extends Credential> {
  readonly type: 'signature';
  /** The text that dry runs show in its place. */
  readonly placeholder: string;
  sign<Request extends SignableRequest>(request: Request, credential: C, at: Date): Request;
}

/**
 * One kind of credential. Methods without a comment of their own concern one credential of this kind. Optional members
 * are needed by few kinds; their comments give the default.
 */
export interface CredentialKind<C extends Credential = Credential, S extends Shape = Shape> {
  /** Its fields in a domain file, built only when a domain file is read. */
  readonly shape: S;
  /** The fields that name its secrets, in the order of `secrets()`. Each may be written for another source: `clientIdFile`. */
  readonly variableFields: readonly string[];
  /** The fields of the secrets without which it cannot work. */
  readonly requiredFields: readonly string[];
  /** Adds values of the environment that the file leaves out. */
  complete?(
    definition: Readonly<Record<string, unknown>>,
    env: Environment,
    say: (field: string, message: string) => void,
  ): Record<string, unknown>;
  build(name: string, definition: DefinitionOf<S>, context: BuildContext): C;
  /** Documents cannot declare this kind, so a domain file that uses it defines it completely. */
  readonly isOnlyInDomainFiles?: true;
  /** Listed after the others in the reference and the JSON Schema. */
  readonly isLastInReference?: true;

  /** The secrets that it takes from the environment and from files. */
  secrets(credential: C): readonly Secret[];
  /** Required secrets that are not set. Default: all that have no value, or an empty one. */
  missing?(credential: C): readonly Secret[];
  /** Texts that must not be seen in answers and logs. */
  hiddenTexts(credential: C): readonly string[];

  place(credential: C): CredentialPlace;
  /** The URL of the server that sees its secrets. Default: the API itself. */
  destination?(credential: C): string;
  readonly proof: StaticProof<C> | TokenProof<C> | AssertionProof<C> | SignatureProof<C>;

  /** It identifies the caller to the API: calls must not fall back to a credential of the gateway. */
  readonly identifiesCaller?: true;
  /** Its texts with placeholders for the caller. */
  callerTexts?(credential: C): readonly CallerText[];

  /** How it looks in a request, for people: `Authorization: Token …`. */
  describe(credential: C): string;
  /** Its kind in `landbridge explain`. Default: its name. */
  explainKind?(credential: C): string;
  /** Lines of the banner that say what is sent where, besides those of its variables. */
  bannerLines?(credential: C, destination: string, apiOrigin: string): readonly string[];
  /** Where its token came from, if a call was refused. */
  tokenSource?(credential: C): string;
  /** It is a parameter of the document that looks like a key; no security scheme says so. */
  isParameter?(credential: C): boolean;
  /**
   * The variable of a key with its own field in the request; a parameter of the document may describe the same field.
   */
  keyVariable?(credential: C): string;
  /**
   * The token may come from a login operation of the document. Other kinds report its source themselves
   * (`tokenSource`).
   */
  readonly mayComeFromLogin?: true;
  /** The request that issues its token, `POST https://shop.example/login`: that operation cannot require the token. */
  issuingRequest?(credential: C): string;
  /** The token endpoint, if a document chose it. */
  documentTokenUrl?(credential: C): string | undefined;
  /** The domain file declares it in full and names its variables. Default: a document may have declared it. */
  isDeclaredInFull?(credential: C): boolean;
  /** Whether one of a domain file is the scheme of a document, of the same kind. Default: it is. */
  isSameScheme?(scheme: C, own: C): boolean;
}

/** Secrets without a value, or with an empty one. */
export function withoutValue(secrets: readonly Secret[]): readonly Secret[] {
  return secrets.filter(({ value }) => value === undefined || value === '');
}

/** The value of a secret as a text to hide, if there is one. */
export function hiddenText({ value }: Secret): string[] {
  return value === undefined || value === '' ? [] : [value];
}

export const AUTHORIZATION = { in: 'header', field: 'authorization' } as const;
export const BEARER: CredentialPlace = { ...AUTHORIZATION, prefix: 'Bearer ' };

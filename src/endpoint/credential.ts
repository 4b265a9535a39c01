// How requests prove who they are: secrets, the logins that hand out tokens, and every kind of credential.
import type { CallerText } from './caller/caller-text';

/** A secret from the environment or a file. `value` is undefined while there is none. Never serialise one. */
export interface Secret {
  /** '': there is no variable for it. `file:/run/secrets/x`: it is read from that file. */
  readonly variable: string;
  readonly value: string | undefined;
  /** It says who, and proves nothing (a user name): answers may show it. */
  readonly isName?: true;
  /** Why the file that should hold it gives nothing, in words. */
  readonly problem?: string;
}

/** The request of a login, its secrets filled in: never print more of it than method and URL. */
export interface LoginRequest {
  readonly method: string;
  /** Absolute, without query. It may hold secrets: for sending only. */
  readonly url: string;
  /** The same for people and models, as it was written: `${VARIABLE}` stands where a secret would. */
  readonly shown: string;
  /** Encoded, without `?`. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Where a login's answer has the token; undefined: wherever answers usually have it. */
export type TokenPlace =
  | { readonly in: 'body'; readonly at: string }
  | { readonly in: 'header'; readonly field: string };

/** How long a token is good: a dot path of the answer, or a fixed time. undefined: what the answer or the token itself says. */
export type TokenLifetime =
  | { readonly at: string; readonly unit?: 'seconds' | 'milliseconds' }
  | { readonly seconds: number };

/** How a token is sent. `cookies`: those the login has set. */
export type TokenCarrier =
  | { readonly in: 'header' | 'query' | 'cookie'; readonly field: string; readonly prefix?: string }
  | { readonly in: 'cookies' };

/** A claim of an assertion: fixed, or made of who calls. */
export type AssertionClaim = { readonly name: string } & ({ readonly value: unknown } | { readonly text: CallerText });

/** How a request proves who it is. Bound to the origin of the endpoint that carries it, and sent nowhere else. */
export type Credential =
  | {
      readonly kind: 'apiKey';
      readonly name: string;
      readonly in: 'header' | 'query' | 'cookie' | 'body';
      /** Name of the header, query parameter, cookie or top field of the body. */
      readonly field: string;
      readonly secret: Secret;
      /** Put before the secret, e.g. `Token `. */
      readonly prefix?: string;
      /** A parameter of the document that is a key by its name; no security scheme says so. */
      readonly isParameter?: boolean;
    }
  | { readonly kind: 'basic'; readonly name: string; readonly username: Secret; readonly password: Secret }
  | { readonly kind: 'bearer'; readonly name: string; readonly secret: Secret }
  | {
      readonly kind: 'oauth2';
      readonly name: string;
      readonly tokenUrl: string;
      /** Chosen by a document from the network: must not lead to a private address. */
      readonly publicOnly?: boolean;
      readonly clientId: Secret;
      readonly clientSecret: Secret;
      readonly scopes: readonly string[];
    }
  | {
      /** A token that a login hands out, renewed before it expires and when the API refuses it. */
      readonly kind: 'login';
      readonly name: string;
      readonly request: LoginRequest;
      /** Every variable of the request. */
      readonly secrets: readonly Secret[];
      /** Chosen by a document from the network: must not lead to a private address. */
      readonly publicOnly?: boolean;
      readonly token?: TokenPlace;
      readonly lifetime?: TokenLifetime;
      readonly send: TokenCarrier;
      /** Statuses with which the API says that a token is no longer good. */
      readonly renewOn: readonly number[];
      /** The password flow of a document's scheme: a domain file tells it its variables. */
      readonly isScheme?: true;
    }
  | {
      /** The caller's own verified token, exchanged for one that the API accepts (RFC 8693). */
      readonly kind: 'token_exchange';
      readonly name: string;
      readonly tokenUrl: string;
      readonly clientId: Secret;
      readonly clientSecret: Secret;
      readonly scopes: readonly string[];
      readonly audience: readonly string[];
      readonly resource: readonly string[];
      /** As the RFC spells them: `urn:ietf:params:oauth:token-type:access_token`. */
      readonly subjectTokenType: string;
      readonly requestedTokenType?: string;
    }
  | {
      /** A short-lived JWT about the caller, signed by the gateway for every call. */
      readonly kind: 'assertion';
      readonly name: string;
      readonly in: 'header';
      /** The header that carries it. */
      readonly field: string;
      readonly prefix?: string;
      /** undefined: the origin of the API. */
      readonly audience?: string;
      readonly subject: CallerText;
      readonly lifetimeS: number;
      readonly claims: readonly AssertionClaim[];
    }
  | {
      /** Every request is signed (AWS Signature Version 4). */
      readonly kind: 'awsSigv4';
      readonly name: string;
      readonly accessKeyId: Secret;
      readonly secretAccessKey: Secret;
      /** Of temporary keys; unset for others. */
      readonly sessionToken?: Secret;
      readonly region: string;
      /** The name requests are signed for, `dynamodb`. */
      readonly service: string;
    };

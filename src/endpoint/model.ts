// The types that all layers share. Hand-written domain files and imported OpenAPI documents both become `Endpoint` values, and later
// layers do not know which of them an endpoint came from.
import type { CallerText } from './caller/caller-text.ts';
import type { Credential } from './credential.ts';

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown } | boolean;

/** What a call does to the data of the API, the least dangerous first. */
export const EFFECTS = ['read', 'write', 'destructive'] as const;
/** What an operation does to data. */
export type Effect = (typeof EFFECTS)[number];

/** What the deployment does with a call of some effect: let it pass, ask the person first, or refuse. The least strict first. */
export const GUARD_POLICIES = ['allow', 'confirm', 'deny'] as const;
/** What happens to a guarded call: it runs, needs a confirmation, or is refused. */
export type GuardPolicy = (typeof GUARD_POLICIES)[number];

/**
 * What counts as a confirmation if the policy is `confirm`. `ask`: only the answer of a person to a question that the client shows.
 * `token`: a signed token that the caller sends back; nobody is asked. `either`: the question, or a token if nobody could be asked.
 * The least strict first: a token only shows that the model sent it back.
 */
export const CONFIRM_WAYS = ['token', 'either', 'ask'] as const;
/** What counts as a confirmation: the answer of a person, a signed token, or either. */
export type ConfirmWay = (typeof CONFIRM_WAYS)[number];

/** One tool per operation, one per group, a search over all; `auto`: the first of them that fits the token budget. */
export const EXPOSURES = ['tools', 'grouped', 'search', 'auto'] as const;

/** Validated arguments of one call, keyed by public argument name. */
export type Args = { readonly [key: string]: unknown };

export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'; // OAS 3.2: `name=value` pairs, values not percent-encoded

/** Where one argument goes on the wire. */
export type Target =
  | {
      readonly in: 'path' | 'query' | 'header' | 'cookie';
      /** Wire name; for `path` the template variable. */
      readonly name: string;
      readonly style: ParameterStyle;
      readonly explode: boolean;
      readonly allowReserved?: boolean;
      /** `content` parameters: the value is serialised as this media type, then encoded. */
      readonly mediaType?: string;
      /** How arrays inside a deepObject are written; the OAS leaves it open. */
      readonly arrays?: 'indices' | 'brackets' | 'repeat';
      /** Swagger 2.0 collectionFormat where no style means the same: array items are joined by this (then encoded). */
      readonly delimiter?: string;
    }
  /** OAS 3.2 `in: querystring`: the argument is the whole query string, serialised as `mediaType`. */
  | { readonly in: 'querystring'; readonly mediaType: string }
  /** A property inside the body, at this property path (before `BodyPlan.wrap` is applied). */
  | { readonly in: 'body'; readonly at: readonly string[] }
  /** The whole body. */
  | { readonly in: 'body-root' };

/** One public argument. Its schema is `inputSchema.properties[key]`. */
export interface Arg {
  readonly key: string;
  readonly required: boolean;
  /** One argument may feed several places (the same path variable twice; an overlay's `same: true`). */
  readonly to: readonly Target[];
  /** Accepted, but not offered: the API fills it in itself. */
  readonly readOnly?: true;
}

/** A value sent with every call and never shown as an argument. */
export interface FixedValue {
  readonly value: unknown;
  readonly to: Target;
}

/** How one property of a form or multipart body is written (OAS Encoding Object). */
export interface PartEncoding {
  /** For a file it may also be a list or ranges; the file's own type then decides. */
  readonly contentType?: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** As in Target: joins array items of a non-exploded value. */
  readonly delimiter?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The part is a file: its argument is a file (conventions/file-types.ts), or an array of them. */
  readonly file?: boolean;
}

export interface BodyPlan {
  /** For a binary body it may also be a list or ranges (`image/png, image/*`); the file's own type then decides. */
  readonly mediaType: string;
  readonly required: boolean;
  /**
   * json: JSON.stringify. form: urlencoded. multipart: form-data. text: a string as it is.
   * binary: one file argument becomes the bytes.
   */
  readonly kind: 'json' | 'form' | 'multipart' | 'binary' | 'text';
  readonly encoding?: Readonly<Record<string, PartEncoding>>;
  /** `{data: {…}}` bodies: the arguments are wrapped in these property names, outermost first. */
  readonly wrap?: readonly string[];
}

/** A header whose value depends on the caller: copied from its request, or made of what was verified about it. */
export type CallerHeader =
  | { readonly name: string; readonly from: 'request' }
  | { readonly name: string; readonly from: 'principal'; readonly text: CallerText };

/** A proxy for requests that leave this network. */
export interface ProxyServer {
  /** Scheme, host and port, without user info. */
  readonly url: string;
  /** Value of Proxy-Authorization; secret. */
  readonly authorization?: string;
  /** Its values that must be redacted. */
  readonly secrets: readonly string[];
  /** Where it is configured: `HTTPS_PROXY`, or the place in a domain file. */
  readonly from: string;
}

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** How the requests of a domain reach their origin. One object per domain: requests with the same object share sockets. */
export interface UpstreamConnection {
  /** The origin of the API as the operator named it. Certificate and server name are for it alone. */
  readonly origin?: string;
  /**
   * PEM. For the API's own origin they replace the authorities this machine trusts; for any other origin they are added to them.
   */
  readonly authorities?: readonly string[];
  readonly certificate?: { readonly cert: string; readonly key: string; readonly passphrase?: string };
  readonly minVersion?: TlsVersion;
  /** The name in the API's certificate, if it is not that of its URL. */
  readonly serverName?: string;
  /** Undefined: the environment decides. */
  readonly proxy?: ProxyServer | 'none';
}

/** How an answer is cut down before it reaches the model. */
export interface ResponsePlan {
  /** Accept header; default `application/json, *\/*;q=0.5`. */
  readonly accept?: string;
  /** According to the document, successful answers have no body. */
  readonly empty?: true;
  /** Keep only these dot paths (applied to every item of an array). An answer that has none of them is not shown. */
  readonly pick?: readonly string[];
  /**
   * Drop these keys. A plain name (`type-id`) or a glob (`*_url`) is a key at any place, so that it means the same in
   * one item and in a list of them; a dot path (`owner.login`, `$.meta` for the root) is that one place, in every item of
   * an array on the way.
   */
  readonly drop?: readonly string[];
  /** Character budget of the text; whole items are cut, never mid-JSON. */
  readonly maxChars: number;
  readonly format: 'auto' | 'json' | 'toon' | 'text';
  /** Also return `structuredContent`. */
  readonly structured: boolean;
  /** Pictures, sounds and other files up to here are passed on; larger ones are described. 1 MiB by default, 0 for none. */
  readonly maxFileBytes?: number;
}

/** How to get the next page, so that a cut or paged answer can say which argument to pass. */
export interface Pagination {
  readonly kind: 'page' | 'offset' | 'cursor';
  /** Public argument that selects the next page. */
  readonly arg: string;
  /** Public argument that sets the page size. */
  readonly sizeArg?: string;
  /** Dot path of the next cursor in the answer. */
  readonly nextFrom?: string;
}

/** Bounds of an argument that is clamped; `inputSchema` has the same. */
export interface ClampedArgument {
  readonly key: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Arguments ready to send, or the problems as sentences. */
export type Parsed =
  | { readonly ok: true; readonly args: Args }
  | { readonly ok: false; readonly problems: readonly string[] };

/** An example of the document for a request: a value, what it is an example of, and its place. */
export interface DocumentExample {
  /** The whole body, or the place on the wire of one parameter or body field. */
  readonly of: 'body' | Target;
  readonly value: unknown;
  /** JSON pointer; a file other than the document itself is named in front of it. */
  readonly place: string;
  /** It is inside a schema, which other operations may share, and not beside one. */
  readonly inSchema: boolean;
}

/** What the audit trail may keep of calls. */
export interface AuditPlan {
  /** Keeps the arguments, and not just a digest of them. */
  readonly arguments?: boolean;
  /** Places in them that are never kept (redaction/redact-paths.ts). */
  readonly redact?: readonly string[];
}

export interface EndpointLimits {
  /** Connecting, waiting and reading, as one budget. */
  readonly timeoutMs: number;
  /** Cap on the decompressed answer. */
  readonly maxResponseBytes: number;
}

/** One operation of an API. */
export interface Endpoint {
  /** `${domain}.${action}`, unique and stable. */
  readonly id: string;
  readonly domain: string;
  /** snake_case verb_noun, unique inside the domain. */
  readonly action: string;
  /** Public name as a tool of its own: ^[a-z][a-z0-9_]{0,47}$, unique in the gateway. */
  readonly toolName: string;
  readonly title?: string;
  /** One sentence. Never empty. */
  readonly summary: string;
  readonly description?: string;
  /** Groups of the domain this endpoint belongs to (OpenAPI tags); may be empty. */
  readonly tags: readonly string[];
  readonly effect: Effect;
  /** The reason for the effect: `POST, but named delete_points`, or the place in a domain file. */
  readonly effectReason?: string;
  readonly idempotent: boolean;
  readonly deprecated: boolean;
  /** Overrides the deployment's policy for this endpoint. */
  readonly guard?: GuardPolicy;
  /** What counts as a confirmation of its calls. */
  readonly confirm?: ConfirmWay;
  /** Upper case. */
  readonly method: string;
  /** Template below the base URL: `/pets/{petId}`. */
  readonly path: string;
  /** Absolute http(s) URL from configuration: origin plus optional base path, no query, no trailing slash. */
  readonly baseUrl: string;
  /** A document from the network chose the base URL, so it must not lead to a private address. */
  readonly publicOnly?: boolean;
  /** Undefined if the domain file has no settings for it. */
  readonly connection?: UpstreamConnection;
  /** Sent with every request, e.g. User-Agent. Never secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lower-case names. No argument can write one of them, even one with the same name. */
  readonly callerHeaders?: readonly CallerHeader[];
  readonly args: readonly Arg[];
  readonly fixed: readonly FixedValue[];
  /** Parameters of the API that are hidden from callers and never sent. */
  readonly withheld?: readonly Target[];
  readonly body?: BodyPlan;
  /**
   * What is enforced: an object schema over the public argument names, full fidelity, self-contained (`$defs` inside),
   * `additionalProperties: false` at the top unless a domain file opens it, and then `parse` finds a place for the others.
   * May be a getter that builds the schema on first use and keeps it.
   */
  readonly inputSchema: JsonSchema;
  /**
   * Runs after `inputSchema` has accepted the arguments: checks no schema can express (zod refinements) and defaults a
   * domain file wants sent. What it returns is what goes to the API.
   */
  readonly parse?: (args: Args) => Parsed;
  /** The document is wrong about its API: what `inputSchema` would refuse is sent with a note (schema/check/lenient.ts). */
  readonly lenient?: boolean;
  /** Numbers that are moved to the nearest bound instead of being refused. */
  readonly clamp?: readonly ClampedArgument[];
  /** Schema of the successful JSON answer, if known. May be a getter. Shown by describe, never enforced. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Does most of the work of building `outputSchema`, in steps. Without it, reading that field may take 100 ms (Stripe: all of its objects). */
  readonly prepareOutput?: () => Generator<void, void>;
  /** Alternatives, each a set of credentials that go together. `[]`: none needed. An empty set: anonymous calls are allowed. */
  readonly security: readonly (readonly Credential[])[];
  readonly response: ResponsePlan;
  readonly pagination?: Pagination;
  readonly limits: EndpointLimits;
  readonly audit?: AuditPlan;
  /** Realistic argument sets. */
  readonly examples: readonly Args[];
  /** Every request example of the document, unchanged; read on demand (schema/example-calls.ts). */
  readonly documentExamples?: () => readonly DocumentExample[];
  /** Parts of the operation in the document that the endpoint does not use; collected on demand. */
  readonly leftOut?: () => readonly LeftOut[];
  /** Also (or only) offered as an MCP resource template. */
  readonly expose: 'tool' | 'resource' | 'both';
  readonly source: {
    readonly kind: 'module' | 'yaml' | 'openapi';
    readonly file: string;
    readonly pointer?: string;
    /** As the document spells it; domain files name operations by it. */
    readonly operationId?: string;
  };
  /** Where a name, description, default… came from; shown by `landbridge explain`. Keys are free text. */
  readonly provenance?: Readonly<Record<string, string>>;
}

/** A part of an operation that was not taken over: `header parameter Accept`. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  /** The name of a parameter that repeats what a security scheme of the document sends. */
  readonly token?: string;
}

/** An operation that cannot work, and why. It is left out; the others are served. */
export interface Quarantined {
  readonly document: string;
  readonly method: string;
  readonly path: string;
  /** JSON pointer of the offending place. */
  readonly pointer: string;
  readonly reason: string;
}

/** How much may be called. `rate` as it is written: `100/min`. */
export interface CallLimits {
  readonly rate?: string | undefined;
  readonly concurrent?: number | undefined;
  readonly queue?: number | undefined;
  readonly waitSeconds?: number | undefined;
}

/** One API area: what a domain file or an imported document becomes. */
export interface Domain {
  /** ^[a-z][a-z0-9_]{0,31}$ */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
  readonly quarantined: readonly Quarantined[];
  /** Default policy for destructive (and, if set, write) endpoints of this domain. */
  readonly guard: { readonly write?: GuardPolicy; readonly destructive?: GuardPolicy };
  /** What counts as a confirmation of calls of its endpoints. */
  readonly confirm?: ConfirmWay;
  readonly exposure?: (typeof EXPOSURES)[number];
  /** The call limits of its API, if they differ from those of all APIs. */
  readonly limits?: CallLimits;
  /** Tool names listed one to one in every exposure mode. */
  readonly pinned: readonly string[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  /** The OpenAPI document's text, offered as a resource. */
  readonly document?: { readonly text: string; readonly mimeType: string };
  /** Warnings at start (missing credentials, ignored keywords…). */
  readonly warnings: readonly string[];
  readonly source: string;
}

export interface PromptSpec {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
    /** Declared values, for completion. */
    readonly values?: readonly string[];
  }[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    /** `{{argument}}` is replaced. Exactly one of text and resource. */
    readonly text?: string;
    /** URI of a resource to embed; `{{argument}}` is replaced. */
    readonly resource?: string;
    /** Where that is written, for the error if there is no such resource. */
    readonly place?: string;
  }[];
}

export interface ResourceSpec {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly text: string;
}

export const DEFAULT_RESPONSE: ResponsePlan = Object.freeze({ maxChars: 20_000, format: 'auto', structured: false });
export const DEFAULT_ENDPOINT_LIMITS: EndpointLimits = Object.freeze({
  timeoutMs: 30_000,
  maxResponseBytes: 10 * 1024 * 1024,
});

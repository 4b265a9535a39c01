// What an author writes: the shape of a domain file, the same in TypeScript, JavaScript, YAML and JSON. The types follow from
// definition-schema.ts and shape/; fields that need an explanation in editors are repeated here, because derived types have no comments.
// Strings marked "env text" may hold `${VARIABLE}` and `${VARIABLE:-default}`; they are filled in when the domain is built.
import type { z } from 'zod';
import type { CredentialDefinition } from '../../credentials/kind-table.ts';
import type { SchemeDefinition } from '../../credentials/shapes.ts';
import type { BaseUrl } from '../../endpoint/environment.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import type { domain } from './definition-schema.ts';
import type { argCuration, filter, operation } from './shape/curation-schema.ts';
import type { endpoint } from './shape/endpoint-schema.ts';
import type { prompt, resource } from './shape/offer-schema.ts';
import type { bodyKind, location, placement } from './shape/placement-schema.ts';

export type ArgumentLocation = z.output<typeof location>;
export type BodyKind = z.output<typeof bodyKind>;

/** Where an argument is sent, if not at the default place (see `place.ts`). */
export interface Placement extends z.output<typeof placement> {
  /** Name on the wire; default: the argument's own. */
  readonly name?: string;
  /** Property path inside the body, instead of `name`. */
  readonly at?: readonly string[];
  /** A file: the argument is `{filename, mimeType, base64 | text}`. */
  readonly file?: boolean;
  /** A number beyond the argument's bounds is moved to the nearest one, and the answer says so. */
  readonly clamp?: boolean;
}

/** One argument of a YAML or JSON file: JSON Schema keywords and a placement, side by side. */
export type ArgDefinition = Placement & { readonly required?: boolean | readonly string[] } & {
  readonly [keyword: string]: unknown;
};

/** One endpoint of a domain file. */
export interface EndpointDefinition extends z.output<typeof endpoint> {
  /** Default GET. A method outside of HTTP's own is written `{ custom: PURGE }`, so that a typo is not mistaken for one. */
  readonly method?: string | { readonly custom: string };
  /** Template below the base URL: `/posts/{id}`. */
  readonly path: string;
  /** One sentence: what it does. */
  readonly summary: string;
  /** When to use it, what comes back, limits. */
  readonly description?: string;
  /**
   * The arguments: a zod object, an object of zod types, or (in YAML) an object of JSON Schemas that may carry their
   * placement. Defaults given here are applied and sent.
   */
  readonly args?: z.ZodType | { readonly [key: string]: z.ZodType | ArgDefinition };
  /** The arguments as one JSON Schema of type object (`required`, `oneOf`, `dependencies`…), instead of `args`. */
  readonly inputSchema?: JsonSchema;
  /** Where arguments and fixed values go; the rest follows the rule: template variable, else query or body by method. */
  readonly place?: { readonly [key: string]: ArgumentLocation | Placement };
  /** Sent with every call, never shown. Placed like arguments. */
  readonly fixed?: { readonly [key: string]: unknown };
  readonly baseUrl?: BaseUrl;
  /** Names of credentials that go together, as alternatives; `[]` for none. */
  readonly security?: readonly (readonly string[])[];
}

export interface PromptDefinition extends z.output<typeof prompt> {
  /** One message of the user; `{{argument}}` is replaced. Or `messages`, for more. */
  readonly text?: string;
}

export interface ResourceDefinition extends z.output<typeof resource> {
  /** Default text/markdown. */
  readonly mimeType?: string;
  /** Instead of `text`: a file in the folder of the domain file. */
  readonly file?: string;
}

/** Picks operations of an OpenAPI document. A key matches if one of its values does; all given keys must match. */
export interface OperationFilter extends z.output<typeof filter> {
  /** As the document spells them, or as the groups of fully-qualified names: `platform.users`. */
  readonly tags?: readonly string[];
  /** Globs: `*` within a segment, `**` across segments. */
  readonly paths?: readonly string[];
  /** operationIds, `METHOD /path` or fully-qualified names (`platform.users.*`); globs allowed. */
  readonly operations?: readonly string[];
}

/** Changes to one argument of an imported operation. */
export interface ArgCuration extends z.output<typeof argCuration> {
  /** Public name. */
  readonly rename?: string;
  /**
   * Not offered to the model, and not sent. A required argument is sent with its `default` (this one, else that of the document).
   * Without a default, it needs `required: false`.
   */
  readonly hide?: boolean;
  /** Not offered to the model; always sent with this value. */
  readonly fixed?: unknown;
  /** Sent when the model leaves the argument out. */
  readonly default?: unknown;
  /** A number beyond the argument's bounds is moved to the nearest one, and the answer says so. */
  readonly clamp?: boolean;
}

/**
 * An argument the document lacks: JSON Schema keywords (or a `schema`) and a placement, side by side, as in a hand-written
 * endpoint. Having `in`, `type` or `schema` distinguishes it from a change.
 */
export type ArgAddition = ArgDefinition & { readonly schema?: JsonSchema };

/** Changes to one imported operation. */
export interface OperationCuration extends z.output<typeof operation> {
  /** The action: `list_pets` becomes the tool `<prefix>_list_pets`. */
  readonly name?: string;
  /** Replaces the text of the document; without a `summary`, its first sentence becomes the summary. */
  readonly description?: string;
  /** Changes to arguments, and arguments to add. */
  readonly args?: { readonly [key: string]: ArgCuration | ArgAddition };
  /** `required: false`: a call may omit the body; what the body requires applies only if one is sent. */
  readonly body?: { readonly required: boolean };
  /** Sends what the document's schema would refuse, with a note in the answer. */
  readonly lenient?: boolean;
  /** Arguments the document does not name are passed on: as body fields, or as query parameters if there is no body. */
  readonly additional?: boolean;
}

/** A domain file: one API, its endpoints and how they are served. */
export interface DomainDefinition extends z.output<typeof domain> {
  /** Lower case, letters, digits and `_`; unique in the gateway. */
  readonly name: string;
  readonly baseUrl?: BaseUrl;
  /** Put before every action to make its tool's name; default: the domain's name, `''` for none. */
  readonly prefix?: string;
  /** Env text. Sent with every request. */
  readonly headers?: { readonly [name: string]: string };
  /** By name; with `openapi`, the name of a security scheme needs no `kind`. */
  readonly credentials?: { readonly [name: string]: CredentialDefinition | SchemeDefinition };
  /** Which credentials a call needs, as alternatives; default: the one that is declared. */
  readonly security?: readonly (readonly string[])[];
  /** Actions listed one to one in every exposure mode. */
  readonly pinned?: readonly string[];
  readonly prompts?: { readonly [name: string]: PromptDefinition };
  /** By URI. */
  readonly resources?: { readonly [uri: string]: ResourceDefinition };
  readonly endpoints?: { readonly [action: string]: EndpointDefinition };

  /** An OpenAPI document to import: a path relative to this file, or a URL. */
  readonly openapi?: string;
  /** Where `landbridge import --update` gets a new version of the document: a path relative to this file, or a URL. Env text. */
  readonly importedFrom?: string;
  /** OpenAPI Overlay documents, applied in order before the import. */
  readonly overlays?: readonly string[];
  /** A folder, relative to this file, that the document's `$ref`s may reach; without it, only the folder of the document. */
  readonly refsRoot?: string;
  /** The default of `lenient` for all imported operations. */
  readonly lenient?: boolean;
  /** Which of the document's servers is meant, if it has several: its URL, name or description as the document has it. */
  readonly server?: string;
  /** Values for the variables of the document's server URLs; `${VARIABLE}` is filled in. */
  readonly serverVariables?: { readonly [variable: string]: string };
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  /** By operationId, `METHOD /path`, action or tool name. */
  readonly operations?: { readonly [operation: string]: OperationCuration };
}

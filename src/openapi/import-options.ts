import type { Credential } from '../endpoint/credential.ts';
import type { HeaderCredential, OriginHeaders } from '../endpoint/headers/header-fields.ts';
import type { UpstreamConnection } from '../endpoint/model.ts';
import type { DocumentLimits } from './source/limits.ts';

/** What is known of an operation before its request is read. */
export interface OperationInfo {
  /** Upper case. */
  readonly method: string;
  /** The document's path key. */
  readonly path: string;
  readonly operationId?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** `domain.group.action`, one per tag; set once names are chosen. */
  readonly qualifiedNames?: readonly string[];
  /** The action and the name of the tool, before a domain file changes them; set once names are chosen. */
  readonly names?: readonly string[];
}

/** Where the secrets of one security scheme come from: names of variables, never values. */
export interface CredentialSource {
  readonly env?: string;
  readonly usernameEnv?: string;
  readonly passwordEnv?: string;
  readonly clientIdEnv?: string;
  readonly clientSecretEnv?: string;
  readonly accessKeyIdEnv?: string;
  readonly secretAccessKeyEnv?: string;
  readonly sessionTokenEnv?: string;
  readonly region?: string;
  readonly service?: string;
  /** The parameter of this name is an argument, although it looks like an API key. */
  readonly argument?: boolean;
  readonly tokenUrl?: string;
  readonly scopes?: readonly string[];
}

/** The options of importDocument(). */
export interface ImportOptions {
  /** Domain name; default: the document's title, else its file name. */
  readonly name?: string;
  /** Put in front of every tool name. */
  readonly prefix?: string;
  /** Replaces every server of the document; without a path of its own (`https://host`) it keeps theirs. */
  readonly baseUrl?: string;
  /** The server of the document to use: its URL, name or description. */
  readonly server?: string;
  /** The main origin will be written into the operator's own file, so variables are named as with a `baseUrl`. */
  readonly ownOrigin?: boolean;
  readonly serverVariables?: Readonly<Record<string, string>>;
  /**
   * `Name: value`, with `${VAR}` read from `env`. Sent to the main origin, and to that of the document when it is fetched. The
   * values are secrets.
   */
  readonly headers?: readonly string[];
  /** Headers without secrets: sent when the document is fetched. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
  /** Further headers as credentials, beside `headers`. */
  readonly headerCredentials?: readonly HeaderCredential[];
  /** Headers for one origin; not sent if the document's main origin is another one. */
  readonly headersFor?: OriginHeaders;
  /** The operator's settings for connections; by default, those of the environment. */
  readonly connection?: UpstreamConnection;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By security scheme name. */
  readonly credentials?: Readonly<Record<string, CredentialSource>>;
  /** The operator's own credentials by name, given the main server; one with the name of a scheme replaces that scheme. */
  readonly ownCredentials?: (mainUrl: string) => ReadonlyMap<string, Credential>;
  /** The only credential of a domain file: used for operations that declare none. */
  readonly singleCredential?: string;
  /** OpenAPI Overlay documents, applied in order before the document is read. */
  readonly overlays?: readonly string[];
  /** Operations for which it returns false are left out: neither tools nor quarantined. */
  readonly select?: (operation: OperationInfo) => boolean;
  /** A folder `$ref`s may also reach, besides the document's own. */
  readonly refsRoot?: string;
  readonly limits?: Partial<DocumentLimits>;
  readonly onProgress?: (text: string) => void;
  /** Called with every file as it was received: the document first, then the files that its `$ref`s name. */
  readonly onFile?: (uri: string, text: string) => void;
  readonly stdin?: NodeJS.ReadableStream;
}

// What a caller may say about an import, and the handful of things derived from it.

import type { Credential } from '../endpoint/credential.ts';
import type { HeaderCredential, HeadersFor } from '../endpoint/headers/header-fields.ts';
import type { Connection } from '../endpoint/model.ts';
import type { Limits } from './source/limits.ts';

/** What is known of an operation before it is read. */
export interface OperationInfo {
  /** Upper case. */
  readonly method: string;
  /** The document's path key. */
  readonly path: string;
  readonly operationId?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** `domain.group.action`, one per tag; known once names are given out. */
  readonly qualifiedNames?: readonly string[];
}

/** Where one security scheme's secrets come from; variable names, never values. */
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
  /** A parameter that was taken for a key is an argument after all. */
  readonly argument?: boolean;
  readonly tokenUrl?: string;
  readonly scopes?: readonly string[];
}

export interface ImportOptions {
  /** Domain name; default: the document's title, else its file name. */
  readonly name?: string;
  /** Put in front of every tool name, as it is. */
  readonly prefix?: string;
  /** Replaces every server of the document; without a path of its own (`https://host`) it keeps theirs. */
  readonly baseUrl?: string;
  /** Which server of the document is meant: its URL, name or description. */
  readonly server?: string;
  /** The main origin will be written into the operator's own file, so variables get the names they have with a `baseUrl`. */
  readonly ownOrigin?: boolean;
  readonly serverVariables?: Readonly<Record<string, string>>;
  /**
   * `Name: value`; `${VAR}` is read from `env`. Sent to the main origin, and to that of the document when it is fetched; the
   * values are secrets.
   */
  readonly headers?: readonly string[];
  /** Headers without secrets: sent when the document is fetched. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
  /** Headers that are credentials already, beside those of `headers`. */
  readonly headerCredentials?: readonly HeaderCredential[];
  /** Headers for one origin; not used if the document's main origin is another one. */
  readonly headersFor?: HeadersFor;
  /** The operator's settings for connections; without them, those of the environment apply. */
  readonly connection?: Connection;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By security scheme name. */
  readonly credentials?: Readonly<Record<string, CredentialSource>>;
  /** The operator's own credentials by name, once the main server is known; one with the name of a scheme replaces it. */
  readonly ownCredentials?: (mainUrl: string) => ReadonlyMap<string, Credential>;
  /** The one credential of a domain file: it goes with operations that name none. */
  readonly singleCredential?: string;
  /** OpenAPI Overlay documents, applied in order before the document is read. */
  readonly overlays?: readonly string[];
  /** Operations it refuses are left out: neither tools nor quarantined. */
  readonly select?: (operation: OperationInfo) => boolean;
  /** A folder `$ref`s may also reach, besides the document's own. */
  readonly refsRoot?: string;
  readonly limits?: Partial<Limits>;
  readonly onProgress?: (text: string) => void;
  /** Told of every file that was read, as it was received: the document first, then what its `$ref`s name. */
  readonly onFile?: (uri: string, text: string) => void;
  readonly stdin?: NodeJS.ReadableStream;
}

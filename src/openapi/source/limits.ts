// Limits for a document. Real documents stay far below: GitHub's has 13 MB and 90,000 objects, DigitalOcean's some 2,000 files.
import type { FetchRoute } from '../../network/fetch-document.ts';

export interface DocumentLimits {
  /** Limit for one file or answer. */
  readonly maxBytes: number;
  /** Limit for all files of a document together. */
  readonly maxTotalBytes: number;
  readonly maxFiles: number;
  /** Levels of nesting, with aliases expanded. */
  readonly maxDepth: number;
  /** Objects and arrays, with aliases expanded. */
  readonly maxNodes: number;
  readonly maxOperations: number;
  /** Levels of schemas nested without a `$ref` between them. */
  readonly maxSchemaDepth: number;
  /** Schemas in one operation's request, `$ref` targets counted once. */
  readonly maxSchemas: number;
  /** Arguments of one operation; bodies with more fields stay one argument. */
  readonly maxArguments: number;
  readonly fetchTimeoutMs: number;
  /** How documents are fetched (proxies, certificates); directly by default. */
  readonly reach?: FetchRoute;
}

export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = Object.freeze({
  maxBytes: 32 * 1024 * 1024,
  maxTotalBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  maxDepth: 512,
  maxNodes: 3_000_000,
  maxOperations: 50_000,
  maxSchemaDepth: 200,
  maxSchemas: 50_000,
  maxArguments: 400,
  fetchTimeoutMs: 30_000,
});

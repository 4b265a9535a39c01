// A resource: data that clients read by its URI.
import type { BaseInit } from './base.ts';
import { GroupItem } from './group-item.ts';

export interface ResourceAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 (optional) to 1 (needed). */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

export interface ResourceInit extends BaseInit {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  readonly annotations?: ResourceAnnotations | undefined;
}

/**
 * A resource of MCP.
 *
 * ```ts
 * const resource = new Resource({ name: 'readme', uri: 'docs://readme', mimeType: 'text/markdown' });
 * console.assert(resource.uri === 'docs://readme');
 * ```
 */
export class Resource extends GroupItem {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly size: number | undefined;
  readonly annotations: ResourceAnnotations | undefined;

  constructor(init: ResourceInit) {
    super(init);
    if (init.uri === '') throw new TypeError(`Resource "${init.name}" needs a URI; got an empty one.`);
    this.uri = init.uri;
    this.mimeType = init.mimeType;
    this.size = init.size;
    this.annotations = init.annotations;
  }
}

// MCP content blocks, which are the same in all revisions, and the outcome of a call.

/** A content block of MCP. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource:
        | { readonly uri: string; readonly mimeType?: string; readonly text: string }
        | { readonly uri: string; readonly mimeType?: string; readonly blob: string };
    }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType?: string };

/** The outcome of a call. A failed call has one too; its text says what to do next. */
export interface Outcome {
  readonly content: readonly Content[];
  readonly isError: boolean;
  readonly structured?: unknown;
  /** The gateway shut down before the call was over: a 503 over HTTP. */
  readonly isUnavailable?: boolean;
  /** Set instead of content if a person must be asked first (MCP 2026-07-28, multi round-trip requests). */
  readonly inputRequired?: {
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
  };
}

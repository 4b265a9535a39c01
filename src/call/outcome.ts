// MCP content blocks (all eras share these shapes) and what a call comes to.

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

/** What a call comes to. A failed call is an outcome too: its text says what to do next. */
export interface Outcome {
  readonly content: readonly Content[];
  readonly isError: boolean;
  readonly structured?: unknown;
  /** The gateway shut down before the call was over: a 503 over HTTP. */
  readonly isUnavailable?: boolean;
  /** Set instead of content when the person must be asked first (MCP 2026-07-28, multi round-trip requests). */
  readonly inputRequired?: {
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
  };
}

// MCP content blocks (all eras share these shapes) and what a call comes to.
import type { FailureMode } from '../errors.ts';

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

/** What was asked of the REST API. `url` carries no query string and no credentials. */
export interface UpstreamTrace {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly bytes: number;
}

/** What a call comes to. Failures are outcomes too: `failure` names the mode, the text says what to do next. */
export interface Outcome {
  readonly content: readonly Content[];
  readonly isError: boolean;
  readonly structured?: unknown;
  readonly failure?: FailureMode;
  readonly upstream?: UpstreamTrace;
  /** Set instead of content when the person must be asked first (MCP 2026-07-28, multi round-trip requests). */
  readonly inputRequired?: {
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly requestState?: string;
  };
}

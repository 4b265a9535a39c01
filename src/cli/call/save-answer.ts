// `landbridge call --output file`: the bytes of an answer as the API sent them, unshaped and unredacted, for the operator who runs
// the command.
import { writeFileSync } from 'node:fs';
import { withFields } from '../../domain/curation/copy-endpoint.ts';
import { DEFAULT_ENDPOINT_LIMITS, type Domain } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import type { RawResponse } from '../../executor/send.ts';
import type { Output } from '../io.ts';

export interface AnswerFile {
  /** Keeps the answer's bytes; returns the text that is shown instead. */
  take(answer: RawResponse): string;
  /** Whether the answer is incomplete. */
  isCut(): boolean;
  /** Writes the bytes. Throws if there are none. */
  save(stdout: Output): void;
}

/** With --output an answer may be this large, even if the operation's own limit is smaller. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** And may take this long, unless the operation has a timeout of its own. */
const MAX_FILE_MS = 5 * 60_000;

/** `path`: `-` is standard output. */
export function createAnswerFile(path: string): AnswerFile {
  let bytes: Buffer | undefined;
  let isCut = false;
  return {
    take({ body, headers, cut }) {
      // A copy: the memory of a large answer may be handed to another thread.
      bytes = Buffer.from(body);
      isCut = cut !== undefined;
      const type = headers['content-type'] === undefined ? '' : `, ${headers['content-type']}`;
      return `${path === '-' ? 'The answer' : path}: ${bytes.length} bytes${type}${isCut ? `. It is incomplete: ${cut}` : ''}`;
    },
    isCut: () => isCut,
    save(stdout) {
      if (bytes === undefined) throw new GatewayError('BAD_CONFIG', `The API sent no answer to write to ${path}.`);
      if (path === '-') stdout.write(bytes);
      else writeBytes(path, bytes);
    },
  };
}

function writeBytes(path: string, bytes: Buffer): void {
  try {
    writeFileSync(path, bytes);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new GatewayError('BAD_CONFIG', `Cannot write ${path} (${code}); the call itself was made.`, {}, cause);
  }
}

/** The domains, with limits for one tool that allow answers as large and as slow as a file. */
export function withLargeAnswers(domains: readonly Domain[], tool: string): readonly Domain[] {
  return domains.map((domain) => ({
    ...domain,
    endpoints: domain.endpoints.map((endpoint) => {
      if (endpoint.toolName !== tool) return endpoint;
      const { limits } = endpoint;
      const maxResponseBytes = Math.max(limits.maxResponseBytes, MAX_FILE_BYTES);
      const timeoutMs = limits.timeoutMs === DEFAULT_ENDPOINT_LIMITS.timeoutMs ? MAX_FILE_MS : limits.timeoutMs;
      return withFields(endpoint, { limits: { timeoutMs, maxResponseBytes } });
    }),
  }));
}

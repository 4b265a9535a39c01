// How kinds of credentials fetch their tokens: with this executor's sender, in a span of its own if the call is traced.
import type { TokenClient } from '../credentials/tokens/token-request.ts';
import type { Redactor } from '../endpoint/redaction/redact.ts';
import { extractProblem, retryAfter } from './answer/api-problem.ts';
import type { Send } from './send.ts';
import { sendTraced } from './traced-send.ts';

export function createTokenClient(send: Send, redact: Redactor, userAgent: string): TokenClient {
  return {
    send: (request, options, span) =>
      span === undefined ? send(request, options) : sendTraced(send, request, options, span),
    readProblem: (answer) => extractProblem(answer, ''),
    retryAfter: ({ status, headers }) => retryAfter(status, headers),
    userAgent,
    redact,
  };
}

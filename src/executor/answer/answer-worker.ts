// The code in the threads of answer-threads.ts: one large answer after another, read by the same function as the small
// ones on the main thread.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createRedactor } from '../../endpoint/redaction/redact.ts';
import { GatewayError, ToolError } from '../../errors.ts';
import type { AnswerJob, AnswerReply } from './answer-threads.ts';
import { compileAnswer } from './build-answer.ts';

const port = parentPort as MessagePort;
port.on('message', (job: AnswerJob) => port.postMessage(read(job)));

function read({ plan, secrets, input }: AnswerJob): AnswerReply {
  const { body } = input.raw;
  // A Buffer arrives in a thread as a plain Uint8Array.
  const raw = { ...input.raw, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  try {
    return { answer: compileAnswer(plan, createRedactor(secrets))({ ...input, raw }) };
  } catch (error) {
    // Any other error ends this thread, and fails the call that waits for it.
    if (!(error instanceof GatewayError)) throw error;
    const { code, message, details } = error;
    return { failure: { code, message, details, why: error instanceof ToolError ? error.why : undefined } };
  }
}

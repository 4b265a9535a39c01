// Prism as an independent judge: it reads a document with other eyes, and says of every request that Landbridge makes of
// generated arguments whether the document allows it. It stands as a proxy before an API that takes everything; its mock
// would have to make an answer of the document as well, and where it cannot, nothing is heard of the request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { secretsIn } from '../../../src/credentials/secrets.ts';
import type { Credential } from '../../../src/endpoint/credential.ts';
import type { Endpoint } from '../../../src/endpoint/model.ts';
import { loadDomains } from '../../../src/index.ts';
import { startProgram } from '../children.ts';
import { type Connection, connect } from '../clients.ts';
import { findLimit, type Rejection } from './prism-limits.ts';
import { type Recorder, startRecorder, type Verdict } from './recorder.ts';
import { type SampleCall, sampleCalls } from './sample-arguments.ts';

export interface Judgement {
  readonly document: string;
  readonly operations: number;
  /** Of these so many were called. */
  readonly tried: number;
  /** Operations nothing was sent of, by reason. */
  readonly unsent: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly accepted: number;
  /** Refused for a reason that is the document's or the judge's, by its name in prism-limits.ts. */
  readonly excused: ReadonlyMap<string, readonly string[]>;
  /** What is left is ours. */
  readonly ours: readonly string[];
}

const MAX_OPERATIONS = 150;

/** One document, one Prism, one Landbridge. */
export async function judgeDocument(id: string, file: string, prismFolder: string): Promise<Judgement> {
  const api = createServer((request, response) => request.resume().once('end', () => response.writeHead(204).end()));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  api.unref();
  const upstream = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const main = join(prismFolder, 'node_modules/.bin/prism');
  const prism = await startProgram({
    command: process.execPath,
    args: [main, 'proxy', '--errors', '-h', '127.0.0.1', '-p', '0', file, upstream],
  });
  const recorder = await startRecorder(prism.url);
  try {
    const [domain] = await loadDomains({ paths: [file], env: {}, baseUrl: recorder.url });
    const endpoints = domain!.endpoints;
    const env = Object.fromEntries(endpoints.flatMap(({ security }) => security.flat()).flatMap(variablesOf));
    const args = [file, '--base-url', recorder.url, '--exposure', 'search', '--guard', 'allow', '--log-level', 'error'];
    const connection = await connect({ args, env }, { version: 'v2', wire: 'http', person: 'cannot be asked' });
    try {
      return await judgeEndpoints(id, endpoints, connection, recorder);
    } finally {
      await connection.close();
    }
  } finally {
    await recorder.close();
    await prism.stop();
    api.close();
    api.closeAllConnections();
  }
}

/** What is fetched with a secret would leave the machine; only what is sent as it is gets a value. */
function variablesOf(credential: Credential): [variable: string, value: string][] {
  if (!['apiKey', 'basic', 'bearer'].includes(credential.kind)) return [];
  return secretsIn(credential).map(({ variable }) => [variable, 'c2VjcmV0']);
}

async function judgeEndpoints(
  id: string,
  endpoints: readonly Endpoint[],
  connection: Connection,
  recorder: Recorder,
): Promise<Judgement> {
  const unsent = new Map<string, number>();
  const excused = new Map<string, string[]>();
  const ours: string[] = [];
  const sample = spread(endpoints, MAX_OPERATIONS);
  let requests = 0;
  let accepted = 0;
  for (const endpoint of sample) {
    const calls = sampleCalls(endpoint);
    if (calls.length === 0) count(unsent, 'no arguments found');
    for (const call of calls) {
      const answer = await connection.call('call_operation', {
        operation: endpoint.toolName,
        arguments: call.arguments,
      });
      const verdicts = recorder.take();
      if (verdicts.length === 0) {
        const reason = String(answer.structured?.failure_mode ?? 'not sent');
        // Its own validator took the arguments a moment ago, and the API is there.
        if (reason === 'missing_credential') count(unsent, reason);
        else ours.push(`${endpoint.id}: ${answer.text}`);
        break;
      }
      for (const verdict of verdicts) {
        requests++;
        const rejection = toRejection(endpoint, call, verdict);
        if (rejection === undefined) {
          accepted++;
          continue;
        }
        const limit = findLimit(rejection);
        if (limit === undefined) ours.push(describe(rejection));
        else excused.set(limit, [...(excused.get(limit) ?? []), describe(rejection)]);
      }
    }
  }
  return {
    document: id,
    operations: endpoints.length,
    tried: sample.length,
    unsent,
    requests,
    accepted,
    excused,
    ours,
  };
}

function count(numbers: Map<string, number>, key: string): void {
  numbers.set(key, (numbers.get(key) ?? 0) + 1);
}

/** Every so-manieth, so that all parts of a large document are there. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(items.length, most) }, (_, index) => items[Math.floor(index * step)]!);
}

function toRejection(endpoint: Endpoint, call: SampleCall, verdict: Verdict): Rejection | undefined {
  if (verdict.problem === undefined) return undefined;
  return { endpoint, call, verdict };
}

function describe({ endpoint, call, verdict }: Rejection): string {
  const { violations, problem } = verdict;
  return [
    `${endpoint.id} (${call.kind}): ${verdict.request} → ${verdict.status}`,
    ...violations.map(({ place, code, message }) => `  ${place} ${code}: ${message}`),
    ...(problem === undefined ? [] : [`  ${problem.kind}: ${problem.detail}`]),
    `  arguments ${JSON.stringify(call.arguments).slice(0, 400)}`,
    `  body ${verdict.body}`,
  ].join('\n');
}

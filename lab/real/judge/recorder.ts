// Stands before the judge: passes every request on as it came, below a path of its own, and keeps what the judge said of it.
// The judge forwards what it has nothing against to an API behind it that takes everything.
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Violation {
  /** `body.name` */
  readonly place: string;
  readonly code: string;
  readonly message: string;
}

export interface Verdict {
  readonly request: string;
  readonly body: string;
  readonly status: number;
  /** What it says against the request; empty as well where its problem is another. */
  readonly violations: readonly Violation[];
  /** Why the judge did not forward the request (`NO_PATH_MATCHED_ERROR`); undefined where it has nothing against it. */
  readonly problem: { readonly kind: string; readonly detail: string } | undefined;
}

export interface Recorder {
  /** What `--base-url` gets. Its path replaces the document's, because Prism leaves that out. */
  readonly url: string;
  /** Since the last time. */
  take(): readonly Verdict[];
  close(): Promise<void>;
}

const PREFIX = '/judge';
const MAX_SHOWN_CHARS = 400;

export async function startRecorder(judge: string): Promise<Recorder> {
  let verdicts: Verdict[] = [];
  const server = createServer((incoming, outgoing) => {
    const sent: Buffer[] = [];
    const path = (incoming.url ?? '').startsWith(PREFIX)
      ? incoming.url!.slice(PREFIX.length)
      : `/outside${incoming.url}`;
    const onward = httpRequest(
      judge + path,
      { method: incoming.method, headers: { ...incoming.headers, host: new URL(judge).host } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          const problem = readProblem(answer.headers['content-type'], body);
          verdicts.push({
            request: `${incoming.method} ${path}`,
            body: Buffer.concat(sent).toString('latin1').slice(0, MAX_SHOWN_CHARS),
            status: answer.statusCode ?? 0,
            violations: problem?.violations ?? [],
            problem,
          });
          // Nothing that a client would try again.
          outgoing.writeHead(problem === undefined ? 204 : 400).end();
        });
      },
    );
    // The judge itself is gone: that is said as such, and not taken for an answer.
    onward.once('error', () => outgoing.writeHead(599).end('the judge does not answer'));
    incoming.on('data', (chunk: Buffer) => {
      sent.push(chunk);
      onward.write(chunk);
    });
    incoming.on('end', () => onward.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    take: () => {
      const taken = verdicts;
      verdicts = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface RawViolation {
  readonly location?: readonly string[];
  readonly severity?: string;
  readonly code?: string | number;
  readonly message?: string;
}

function toViolations(raw: readonly RawViolation[]): Violation[] {
  return raw
    .filter(({ severity }) => severity === 'Error')
    .map(({ location = [], code, message }) => ({
      place: location.filter((part) => part !== 'request').join('.'),
      code: String(code),
      message: String(message),
    }));
}

/** Said after the request has passed: of the answer behind it, or because the judge itself sends no such body on. */
const AFTERWARDS = ['VIOLATIONS', 'PROXY_UNSUPPORTED_REQUEST_BODY'];

function readProblem(
  type: string | undefined,
  body: Buffer,
): (NonNullable<Verdict['problem']> & { readonly violations: readonly Violation[] }) | undefined {
  if (!type?.startsWith('application/problem+json')) return undefined;
  try {
    const problem = JSON.parse(body.toString()) as { type?: string; detail?: string; validation?: RawViolation[] };
    const [, kind] = /prism\/errors#(\w+)/.exec(problem.type ?? '') ?? [];
    if (kind === undefined || AFTERWARDS.includes(kind)) return undefined;
    return { kind, detail: problem.detail ?? '', violations: toViolations(problem.validation ?? []) };
  } catch {
    return undefined;
  }
}

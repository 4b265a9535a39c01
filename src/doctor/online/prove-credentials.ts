// doctor --online: one line per credential. A credential counts as proved only if a read succeeds with it and is refused without it or
// with a wrong one.
import { randomBytes } from 'node:crypto';
import type { CatalogOperation } from '../../catalog/tree.ts';
import { isPerCaller } from '../../credentials/caller-need.ts';
import { chooseCredentials, isTokenCredential, withValue } from '../../credentials/proof.ts';
import { secretsIn } from '../../credentials/secrets.ts';
import { originOf } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import type { Args, Endpoint } from '../../endpoint/model.ts';
import type { Finding } from '../finding.ts';
import { doubtOf, isRead } from './read-plan.ts';

/** The result of a call. */
export interface ReadAnswer {
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** The text a model would read. */
  readonly text: string;
  /** The tool that a failure is about; the text may begin with its name. */
  readonly tool?: string | undefined;
  /** The parsed JSON of a successful answer, if it is JSON. */
  readonly value?: unknown;
  /** It failed before the API was called, because of a credential: the server that issues tokens refused it, or had none. */
  readonly isUnproven?: boolean;
}

/** A read that was called with the credentials of its endpoint. */
interface Trial {
  readonly endpoint: Endpoint;
  readonly args: Args;
  readonly answer: ReadAnswer;
}

export interface ProofOptions {
  /** Calls a read with other credentials than its own. */
  readonly callAs: (endpoint: Endpoint, args: Args, security: Endpoint['security']) => Promise<ReadAnswer>;
  /** Fetches a token, for credentials that no read can be called with; what went wrong, in words. */
  readonly issue: (credential: Credential, endpoint: Endpoint) => Promise<string | undefined>;
}

const MAX_TRIALS = 3;
const MAX_SHOWN = 300;

/** The credentials a call of this endpoint is made with; undefined if it needs none, or some are not set. */
function credentialsFor(endpoint: Endpoint): readonly Credential[] | undefined {
  const choice = chooseCredentials(endpoint);
  return choice.kind === 'chosen' ? choice.credentials : undefined;
}

/** A key that is equal for all endpoints that send the same credentials to the same origin. */
function credentialKey(endpoint: Endpoint): string {
  const credentials = credentialsFor(endpoint);
  if (credentials === undefined) return '';
  const names = credentials.map((credential) => [credential.kind, credential.name]);
  return JSON.stringify([endpoint.domain, originOf(endpoint.baseUrl), names]);
}

/** Collects the answers of reads, and judges each credential by them. */
export class CredentialProofs {
  readonly #trials = new Map<string, Trial[]>();

  add(endpoint: Endpoint, args: Args, answer: ReadAnswer): void {
    const key = credentialKey(endpoint);
    if (key === '') return;
    const trials = this.#trials.get(key) ?? [];
    this.#trials.set(key, trials);
    // Refusals come first: an answer proves little, because the read may be public.
    if (isRefusal(answer) || answer.isUnproven) trials.unshift({ endpoint, args, answer });
    else if (trials.length < MAX_TRIALS) trials.push({ endpoint, args, answer });
  }

  /** A finding for every set of credentials that some operation sends; a probe is a call too. */
  async judge(
    operations: readonly CatalogOperation[],
    options: ProofOptions,
  ): Promise<{ findings: Finding[]; calls: number }> {
    const findings: Finding[] = [];
    let calls = 0;
    const countingOptions: ProofOptions = {
      ...options,
      callAs: (...call) => {
        calls++;
        return options.callAs(...call);
      },
    };
    for (const [key, { endpoint }] of firstOfEach(operations)) {
      const credentials = credentialsFor(endpoint)!;
      const trials = this.#trials.get(key) ?? [];
      const verdict =
        trials.length === 0
          ? await proveByIssuer(credentials, endpoint, options)
          : await proveByReads(credentials, trials, countingOptions);
      const message = `${credentials.map(describe).join(' and ')}: ${verdict.message}`;
      findings.push({ check: 'proof', where: endpoint.domain, ...verdict, message });
    }
    return { findings, calls };
  }
}

function firstOfEach(operations: readonly CatalogOperation[]): Map<string, CatalogOperation> {
  const first = new Map<string, CatalogOperation>();
  for (const operation of operations) {
    const key = credentialKey(operation.endpoint);
    if (key !== '' && !first.has(key)) first.set(key, operation);
  }
  return first;
}

/** `bearer SHOP_TOKEN`: what it is, and where its secrets come from. */
function describe(credential: Credential): string {
  const variables = secretsIn(credential).flatMap(({ variable, value }) => (value === undefined ? [] : [variable]));
  return [credential.kind, [...new Set(variables)].join(' and ')].filter((text) => text !== '').join(' ');
}

type Verdict = Pick<Finding, 'severity' | 'message' | 'fix'>;

const PROVED = 'nothing to do';
/** The doctor has no caller's token that could be exchanged. */
const NEEDS_CALLER: Verdict = {
  severity: 'note',
  message:
    'the authorization server accepts the gateway; the exchange itself can only be tried with the token of a caller',
  fix: 'call a tool of this domain through the gateway with such a token',
};

async function proveByReads(
  credentials: readonly Credential[],
  trials: readonly Trial[],
  options: ProofOptions,
): Promise<Verdict> {
  const refusal = trials.find(({ answer }) => answer.isUnproven || isRefusal(answer));
  const successes = trials.filter(({ answer: { status } }) => status !== undefined && status < 300);
  // If other reads accept the credential, a 403 is only a missing permission, which check-reads.ts reports.
  if (refusal !== undefined && (successes.length === 0 || refusal.answer.status !== 403))
    return describeRefusal(refusal);
  for (const { endpoint, args } of successes) {
    const without = await options.callAs(endpoint, args, []);
    if (isRefusal(without)) return proved(`accepted by ${nameOf(endpoint)}, which refuses calls without it`);
    const wrongCredentials = withWrongSecrets(credentials);
    if (wrongCredentials !== undefined && isRefusal(await options.callAs(endpoint, args, [wrongCredentials])))
      return proved(`accepted by ${nameOf(endpoint)}, which refuses a wrong credential`);
  }
  const [first] = successes;
  if (first !== undefined)
    return {
      severity: 'warning',
      message: `not proved: ${nameOf(first.endpoint)} – the API answers the same without it`,
      fix: 'the API did not check this credential: make sure that it is the right API and base URL',
    };
  const [{ endpoint, answer }] = trials as [Trial, ...Trial[]];
  if (answer.status === undefined)
    return {
      severity: 'error',
      message: `not proved: ${firstSentence(answer.text, answer.tool)}`,
      fix: 'check the base URL, the API, and tls and proxy in the domain file',
    };
  return {
    severity: 'warning',
    message: `not proved: ${answer.status} from ${nameOf(endpoint)}`,
    fix: 'repair these reads first: none gave an answer that shows whether the credential is right',
  };
}

function proved(message: string): Verdict {
  return { severity: 'note', message, fix: PROVED };
}

function isRefusal({ status }: ReadAnswer): boolean {
  return status === 401 || status === 403;
}

function describeRefusal({ endpoint, answer: { status, text, tool, isUnproven } }: Trial): Verdict {
  if (isUnproven)
    return {
      severity: 'error',
      message: firstSentence(text, tool),
      fix: 'correct the variables, or the token URL',
    };
  const why = status === 401 ? 'it is wrong or expired' : 'it is wrong, or a permission is missing';
  return {
    severity: 'error',
    message: `${status} from ${nameOf(endpoint)} – ${why}`,
    fix: status === 401 ? 'correct the variable' : 'correct the variable, or request the missing permission',
  };
}

/** Credentials whose token is fetched can be proved where it is issued. */
async function proveByIssuer(
  credentials: readonly Credential[],
  endpoint: Endpoint,
  { issue }: ProofOptions,
): Promise<Verdict> {
  const tokenCredentials = credentials.filter(isTokenCredential);
  for (const credential of tokenCredentials) {
    const problem = await issue(credential, endpoint);
    if (problem !== undefined)
      return {
        severity: 'error',
        message: firstSentence(problem),
        fix: 'correct the variables, or the token URL',
      };
  }
  if (tokenCredentials.some(isPerCaller)) return NEEDS_CALLER;
  if (tokenCredentials.length === credentials.length)
    return proved('a token was issued, but there is no read to try it with');
  return {
    severity: 'warning',
    message: 'not proved: no read can be called with it',
    fix: 'add an example of the arguments to an operation that only reads (in the domain file)',
  };
}

/** The same credentials with wrong secrets; undefined for logins, because wrong passwords could lock the account. */
function withWrongSecrets(credentials: readonly Credential[]): readonly Credential[] | undefined {
  const copies = credentials.flatMap(
    (credential) => withValue(credential, `doctor${randomBytes(16).toString('hex')}`) ?? [],
  );
  return copies.length === credentials.length ? copies : undefined;
}

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** The first sentence, without the tool's name in front. */
function firstSentence(text: string, tool?: string): string {
  const front = tool === undefined ? '' : `${tool}: `;
  const [line = ''] = (text.startsWith(front) ? text.slice(front.length) : text).split(/\n|\. /);
  return line.replace(/\.$/, '').slice(0, MAX_SHOWN);
}

/** Paths that usually identify the caller or need no permission, so they are best for trying a credential. */
const IDENTIFYING_PATH = /(?:^|\/)(?:me|whoami|self|user|account|profile|session|ping|status)\/?$/i;

/** One read for each set of credentials, to be called first: the number of calls is limited. */
export function chooseProofs(operations: readonly CatalogOperation[]): ReadonlySet<CatalogOperation> {
  const choices = new Map<string, CatalogOperation>();
  for (const operation of operations) {
    const { endpoint } = operation;
    const key = credentialKey(endpoint);
    const isFree = endpoint.args.every((arg) => !arg.required) && isRead(endpoint) && doubtOf(endpoint) === undefined;
    const better = choices.get(key);
    if (
      isFree &&
      (better === undefined || (IDENTIFYING_PATH.test(endpoint.path) && !IDENTIFYING_PATH.test(better.endpoint.path)))
    )
      choices.set(key, operation);
  }
  return new Set(choices.values());
}

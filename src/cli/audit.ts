// landbridge audit verify, landbridge audit key.
import { existsSync } from 'node:fs';
import { type ChainVerdict, trailOf, verifyChains } from '../audit/chains.ts';
import type { Head } from '../audit/line.ts';
import { openSigningKey, readCheckingKey, readSigningKey } from '../audit/signing-key.ts';
import { defaultKeyFile, withoutWorkerNumber, workerTrailFiles } from '../audit/trail-names.ts';
import type { Flaw } from '../audit/verify.ts';
import { type Config, checkEnvironment, readConfig } from '../config/read-config.ts';
import { GatewayError, usageError } from '../errors.ts';
import type { Io } from './io.ts';
import { colours as pc } from './terminal/palette.ts';
import { count, shown } from './terminal/terminal.ts';

interface AuditFlags {
  readonly config?: string;
  readonly key?: readonly string[];
  readonly head?: readonly string[];
  readonly closed?: boolean;
  readonly json?: boolean;
}

export async function runAudit(
  { stdout, env }: Io,
  action: string,
  files: readonly string[],
  flags: AuditFlags,
): Promise<number> {
  const source = flags.config === undefined ? {} : { config: flags.config };
  checkEnvironment(source, env);
  const readSettings = () => readConfig(source, env, 'variables');
  if (action === 'verify') {
    const { text, isOk } = verify(files, flags, readSettings);
    stdout.write(text);
    return isOk ? 0 : 1;
  }
  if (action === 'key') {
    stdout.write(readPublicKey(files, readSettings));
    return 0;
  }
  throw usageError(
    `There is no "landbridge audit ${action}". Use "landbridge audit verify audit.jsonl" or "landbridge audit key".`,
  );
}

/** Settings are read only where the command line leaves something open. */
type ReadSettings = () => Config;

function verify(
  names: readonly string[],
  flags: AuditFlags,
  readSettings: ReadSettings,
): { readonly text: string; readonly isOk: boolean } {
  const files = names.length > 0 ? names : listFiles(readSettings());
  const besides = flags.key === undefined ? findKeysBeside(files, readSettings().audit) : new Map<string, string>();
  const keys = (flags.key ?? [...new Set(besides.values())]).map(readCheckingKey);
  const heads = (flags.head ?? []).map(parseHead);
  const verdicts = verifyChains(files, { keys, heads, mustBeClosed: flags.closed ?? false });
  const [firstBeside] = besides.values();
  const besideOf = ({ files: own }: ChainVerdict) => own.map((file) => besides.get(file)).find(Boolean) ?? firstBeside;
  const chains = verdicts.map((chain) => ({ ...chain, keyBeside: besideOf(chain) }));
  const isOk = chains.every(({ ok }) => ok);
  const whole = chains.length === 1 ? chains[0] : { ok: isOk, chains, keyBeside: firstBeside };
  // Of several replicas each has a worker 1.
  const hasReplicas = new Set(chains.map(({ worker }) => worker)).size < chains.length;
  const text = flags.json
    ? `${JSON.stringify(whole)}\n`
    : chains.map((chain) => renderVerdict(chain, hasReplicas ? shown(chain.trail) : undefined)).join('\n');
  return { text, isOk };
}

/** The file of the configuration; with several workers, that of each. */
function listFiles(settings: Config): readonly string[] {
  const { file } = auditOf(settings);
  const { workers } = settings;
  // --workers may have been given to `serve` only: look for the files of workers as well.
  const isOne = workers === 1 && (existsSync(file) || workerTrailFiles(file, 0).length === 0);
  return isOne ? [file] : workerTrailFiles(file, workers === 'auto' || workers === 1 ? 0 : workers);
}

/** By audit file: the private key beside it, if it has its default name. It shows accidents, but proves nothing. */
function findKeysBeside(files: readonly string[], audit: AuditConfig | undefined): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const file of files) {
    const places = [...listBeside(file), ...(audit ? [keyFileOf(audit)] : [])];
    const key = places.find((path) => existsSync(path));
    if (key !== undefined) keys.set(file, key);
  }
  if (keys.size > 0) return keys;
  throw new GatewayError(
    'BAD_CONFIG',
    `There is no key to check the signatures with. Give the public key with --key; "landbridge audit key" prints it. There is no ${listBeside(files[0]!)[0]} either.`,
  );
}

function listBeside(file: string): readonly string[] {
  // The name that the trail had when its key was made.
  const first = trailOf(file);
  return [defaultKeyFile(file), defaultKeyFile(first), defaultKeyFile(withoutWorkerNumber(first))];
}

/**
 * The public key of the named file, or of the configured one. The configured one is created if needed, so that its public key is
 * known before the first call.
 */
function readPublicKey([file]: readonly string[], readSettings: ReadSettings): string {
  const key = file === undefined ? openSigningKey(keyFileOf(auditOf(readSettings()))) : readSigningKey(file);
  return key.publicKey;
}

type AuditConfig = NonNullable<Config['audit']>;

function keyFileOf({ file, keyFile }: AuditConfig): string {
  return keyFile ?? defaultKeyFile(file);
}

function auditOf({ audit }: Config): AuditConfig {
  if (audit !== undefined) return audit;
  throw usageError(
    'No audit file is given. Name one, or use a landbridge.yaml with an audit section (--config <file>).',
  );
}

function parseHead(text: string): Head {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (hash === undefined)
    throw usageError(
      `--head ${shown(text)} must be the number and the hash of a record, as in the log: 1234:<43 characters>.`,
    );
  return { seq: Number(seq), hash };
}

interface CheckedChain extends ChainVerdict {
  readonly keyBeside: string | undefined;
}

/** `trail` is shown if there are several. */
function renderVerdict(verdict: CheckedChain, trail?: string): string {
  const {
    keyBeside,
    worker,
    ok,
    files,
    records,
    calls,
    checkpoints,
    first,
    last,
    flaws,
    flawCount,
    notes,
    unsigned,
    isClosed,
  } = verdict;
  const where = ({ file, line, what }: Flaw) => `${shown(file)}:${line}: ${shown(what)}`;
  const more = flawCount - flaws.length;
  const isLaterPart = first !== undefined && first > 1;
  const lines = [
    ...(worker === undefined && trail === undefined
      ? []
      : [pc.bold([worker && `Worker ${worker}`, trail].filter(Boolean).join(', '))]),
    ...notes.map((note) => `${pc.yellow('note')}  ${where(note)}`),
    ...flaws.map((flaw) => `${pc.red('wrong')} ${where(flaw)}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
    `${count(files.length, 'file')}, ${count(records, 'record')}${first === undefined ? '' : ` (${first} to ${last?.seq})`}, ${count(calls, 'call')}, ${count(checkpoints, 'signature')}`,
    ...(unsigned > 0
      ? [
          `${count(unsigned, 'record')} after the last signature: they are consistent, but anyone who can write the file could have added, changed or removed them.`,
        ]
      : []),
    ...(isClosed || !ok
      ? []
      : [
          'The file does not end as it does when a gateway stops. The gateway is still running, was killed, or the end of the file was removed; the file alone cannot show which. --closed reports this as an error, and --head checks for a record from the log.',
        ]),
    ...(keyBeside === undefined
      ? []
      : [
          `Checked with ${shown(keyBeside)}, which is stored beside the file: anyone who changed one may have changed both. Use --key with a public key that you keep elsewhere.`,
        ]),
    ...(ok && isLaterPart ? [pc.yellow(`Records 1 to ${first - 1} are not in these files and were not checked.`)] : []),
    ok
      ? pc.green(
          `Nothing was removed, changed, reordered or inserted${isLaterPart ? ' in these files' : ''} up to the last signature.`,
        )
      : pc.red(`${count(flawCount, 'error')} found.`),
  ];
  return `${lines.join('\n')}\n`;
}

// landbridge key: makes an API key and the line of landbridge.yaml that accepts it, or prints the SHA-256 of a key.

import { type KeyEntry, keyEntry } from '../config/auth-section.ts';
import { explainWeakness, generateKey, hashKey } from '../config/key-format.ts';
import { checkEnvironment } from '../config/read-config.ts';
import { formatFieldPath, toProblems } from '../endpoint/problems.ts';
import { hint } from '../endpoint/suggest.ts';
import { GatewayError, usageError } from '../errors.ts';
import type { Io } from './io.ts';

export interface KeyFlags {
  readonly profiles?: string;
  readonly effects?: string;
  readonly expires?: string;
  readonly json?: boolean;
}

const ACTIONS = ['new', 'hash'];
/** Keys are much shorter. */
const MAX_STDIN_BYTES = 64 * 1024;

export async function runKey(io: Io, action: string, name: string | undefined, flags: KeyFlags): Promise<number> {
  checkEnvironment({}, io.env);
  if (action === 'hash') return printHash(io, await readStdin(io), flags);
  if (action !== 'new') throw usageError(`There is no "landbridge key ${action}"; ${hint(action, ACTIONS)}`);
  if (name === undefined)
    throw usageError('"landbridge key new" needs the name of the caller: landbridge key new <name>.');
  io.stdout.write(renderKey(generateKey(), name, flags));
  return 0;
}

function renderKey(key: string, name: string, flags: KeyFlags): string {
  const entry = toEntry(name, hashKey(key), flags);
  const line = toLine(entry);
  if (flags.json) return `${JSON.stringify({ key, ...entry, line })}\n`;
  return `The key of ${name}. It is shown only once and is not stored: copy it to where ${name} runs.

  ${key}

Add this to landbridge.yaml:

  auth:
    keys:
      ${line}
${isUnrestricted(entry) ? `\nor, without that file, set LANDBRIDGE_API_KEYS=${name}=${entry.sha256}\n` : ''}
${name} sends it as "Authorization: Bearer <key>" or "X-API-Key: <key>".
`;
}

/** A key without restrictions needs no more than its name and hash. */
function isUnrestricted({ profiles, effects, expires }: KeyEntry): boolean {
  return profiles === undefined && effects === undefined && expires === undefined;
}

/** Checked like the settings file: a line with a mistake would keep the gateway from starting. */
function toEntry(name: string, sha256: string, { profiles, effects, expires }: KeyFlags): KeyEntry {
  const result = keyEntry().safeParse(
    {
      name,
      sha256,
      ...(profiles !== undefined && { profiles: split(profiles) }),
      ...(effects !== undefined && { effects: split(effects) }),
      ...(expires !== undefined && { expires }),
    },
    { reportInput: true },
  );
  if (!result.success) {
    const [{ path, message }] = toProblems(result.error.issues) as [{ path: (string | number)[]; message: string }];
    throw usageError(`${path[0] === 'name' ? 'The name' : `--${formatFieldPath(path)}`} ${message}.`);
  }
  if (expires !== undefined && Date.parse(expires) <= Date.now())
    throw usageError(`--expires ${expires} is in the past.`);
  return result.data;
}

function split(list: string): string[] {
  return list.split(',').map((item) => item.trim());
}

/** The entry as YAML on one line, quoted where YAML would read a number, an alias or a boolean. */
function toLine({ name, sha256, profiles, effects, expires }: KeyEntry): string {
  const fields = [
    `name: ${/^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][\w.-]*$/i.test(name) ? name : JSON.stringify(name)}`,
    `sha256: ${JSON.stringify(sha256)}`,
    profiles && `profiles: [${profiles.map((one) => (one === '*' ? '"*"' : one)).join(', ')}]`,
    effects && `effects: [${effects.join(', ')}]`,
    expires && `expires: ${JSON.stringify(expires)}`,
  ];
  return `- { ${fields.filter((field) => field !== undefined).join(', ')} }`;
}

function printHash({ stdout }: Io, text: string, { json }: KeyFlags): number {
  const key = text.trim();
  if (key === '') throw usageError('There is no key on stdin. Use: landbridge key hash < key.txt');
  const weakness = explainWeakness(key);
  if (weakness !== undefined)
    throw new GatewayError('BAD_CONFIG', `This key ${weakness}. Make one with "landbridge key new <name>".`);
  const sha256 = hashKey(key);
  stdout.write(json ? `${JSON.stringify({ sha256 })}\n` : `${sha256}\n`);
  return 0;
}

async function readStdin({ stdin, stderr }: Io): Promise<string> {
  if (stdin.isTTY) stderr.write('Paste the key, then press Enter and Ctrl-D.\n');
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MAX_STDIN_BYTES) throw usageError('The text on stdin is too long for a key.');
  }
  return text;
}

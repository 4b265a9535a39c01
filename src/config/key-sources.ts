// Where API keys are configured: `auth.keys` of landbridge.yaml (a hash, a variable or a file each), LANDBRIDGE_API_KEYS and
// --api-keys. Wherever a key comes from, only its SHA-256 is passed on.

import { resolve } from 'node:path';
import { z } from 'zod';
import { type Mistake, MistakesError } from '../domain/files/mistakes.ts';
import { toPlacedError } from '../domain/files/read-places.ts';
import { type Environment, lookup } from '../endpoint/environment.ts';
import type { Problem } from '../endpoint/problems.ts';
import { readSecretFile } from '../endpoint/sources/secret-file.ts';
import { hint } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';
import type { KeyEntry } from './auth-section.ts';
import type { ConfigFile } from './config-file.ts';
import { explainWeakness, hashKey } from './key-format.ts';

/** An API key by its hash, from which the key cannot be computed. */
export interface ConfiguredKey extends Pick<KeyEntry, 'name' | 'profiles' | 'effects' | 'expires' | 'limits'> {
  /** 64 hexadecimal digits, in lower case. */
  readonly sha256: string;
}

export interface KeySources extends Pick<ConfigFile, 'auth'> {
  readonly env: Environment;
  /** LANDBRIDGE_API_KEYS. */
  readonly apiKeys: readonly ConfiguredKey[];
  /** --api-keys. */
  readonly apiKeysFile?: string | undefined;
}

/** The keys of all sources. Throws with its place if one of them is wrong. */
export function readKeys(
  { auth, env, apiKeys, apiKeysFile }: KeySources,
  profiles: readonly string[],
): ConfiguredKey[] {
  const keys = [
    ...(auth === undefined ? [] : readSection(auth, env, profiles)),
    ...apiKeys,
    ...(apiKeysFile === undefined ? [] : readKeyFile(apiKeysFile)),
  ];
  refuseDuplicates(keys, auth);
  return keys;
}

/** The same key twice is ambiguous: it could be two callers, or two sets of permissions. */
function refuseDuplicates(keys: readonly ConfiguredKey[], auth: AuthSection | undefined): void {
  const owners = new Map<string, number>();
  /** The keys of the section come first, in its order. */
  const placeOf = (index: number) => (index < (auth?.keys?.length ?? 0) ? ['auth', 'keys', index] : undefined);
  for (const [index, { name, sha256 }] of keys.entries()) {
    const first = owners.get(sha256);
    owners.set(sha256, index);
    if (first === undefined) continue;
    const owner = keys[first]!.name;
    const who = owner === name ? `${name} has the same API key twice` : `${owner} and ${name} have the same API key`;
    const message = `${who}: remove one of them, or make another with "landbridge key new"`;
    const [path, other] = [placeOf(index) ?? placeOf(first), placeOf(index) && placeOf(first)];
    if (path === undefined || auth === undefined) throw new GatewayError('BAD_CONFIG', `${message}.`);
    throw toPlacedError(auth, [{ path, message, ...(other && { other }) }]);
  }
}

type AuthSection = NonNullable<ConfigFile['auth']>;

function readSection(auth: AuthSection, env: Environment, profiles: readonly string[]): ConfiguredKey[] {
  const problems: Problem[] = [];
  const keys = (auth.keys ?? []).flatMap((entry, index): ConfiguredKey[] => {
    const path = ['auth', 'keys', index];
    problems.push(...checkProfiles(entry, path, profiles));
    const { sha256: _sha256, env: _env, file: _file, ...owner } = entry;
    const source = readSource(entry, env);
    if ('problem' in source) problems.push({ path: [...path, source.field], message: source.problem });
    return 'problem' in source ? [] : [{ ...owner, sha256: source.sha256 }];
  });
  if (problems.length > 0) throw toPlacedError(auth, problems);
  return keys;
}

/** `path` is that of the entry. */
export function checkProfiles(
  { profiles: names = [] }: Pick<KeyEntry, 'profiles'>,
  path: Problem['path'],
  profiles: readonly string[],
): Problem[] {
  return names.flatMap((name, index) => {
    if (name === '*' || profiles.includes(name)) return [];
    const advice = profiles.length === 0 ? 'no profile is declared (see --profiles)' : hint(name, profiles);
    return [{ path: [...path, 'profiles', index], message: `there is no profile "${name}"; ${advice}` }];
  });
}

type Source = { readonly sha256: string } | { readonly field: 'sha256' | 'env' | 'file'; readonly problem: string };

function readSource({ name, sha256, env: variable, file }: KeyEntry, env: Environment): Source {
  if (sha256 !== undefined) return { sha256: sha256.toLowerCase() };
  const field = variable === undefined ? 'file' : 'env';
  const value = variable === undefined ? readKeyText(file!) : { text: lookup(env, variable) ?? '' };
  const advice = `put the key or its SHA-256 into it ("landbridge key new ${name}" makes one)`;
  if ('problem' in value) return { field, problem: `${value.problem}: ${advice}` };
  const text = value.text.trim();
  if (text === '')
    return {
      field,
      problem: `${variable === undefined ? 'is empty' : `the variable ${variable} is not set`}: ${advice}`,
    };
  const key = toHash(text);
  return 'problem' in key ? { field, problem: `the key ${key.problem}` } : key;
}

/** A file may hold thousands of keys. */
const MAX_KEY_FILE_BYTES = 1024 * 1024;

function readKeyText(file: string): { readonly text: string } | { readonly problem: string } {
  const content = readSecretFile(file, MAX_KEY_FILE_BYTES);
  return 'problem' in content ? { problem: `${content.problem} (looked for ${resolve(file)})` } : content;
}

const SHA256 = /^(?:sha256:)?([0-9a-f]{64})$/i;
const ADVICE = 'make one with "landbridge key new <name>"';

/** A key, or its SHA-256. A text of 64 hexadecimal digits always counts as a hash, never as a key. */
function toHash(text: string): { readonly sha256: string } | { readonly problem: string } {
  const hash = SHA256.exec(text)?.[1];
  if (hash !== undefined) return { sha256: hash.toLowerCase() };
  const weakness = explainWeakness(text);
  if (weakness !== undefined) return { problem: `${weakness}; ${ADVICE}` };
  return { sha256: hashKey(text) };
}

const NAMED_KEY = /^([A-Za-z0-9][A-Za-z0-9._@-]{0,63})\s*=\s*(\S+)$/;

/** `ci=lb_…, batch=9f86…`. Problems do not repeat the key. */
function parseKeyList(items: readonly string[]): ConfiguredKey[] | { readonly problem: string } {
  const keys: ConfiguredKey[] = [];
  for (const [index, item] of items.entries()) {
    const [, name, value] = NAMED_KEY.exec(item) ?? [];
    if (name === undefined || value === undefined)
      return {
        problem: `item ${index + 1} must look like "name=key", with a key from ${ADVICE.slice(14)} or its SHA-256`,
      };
    const key = toHash(value);
    if ('problem' in key) return { problem: `the key of ${name} ${key.problem}` };
    keys.push({ name, ...key });
  }
  return keys;
}

/** The type of LANDBRIDGE_API_KEYS. */
export const keyList = z
  .string()
  .default('')
  .transform((text, context): readonly ConfiguredKey[] => {
    const keys = parseKeyList(split(text, ','));
    if (!('problem' in keys)) return keys;
    // Without `input`, which contains keys.
    context.issues.push({ code: 'custom', message: keys.problem, input: undefined });
    return z.NEVER;
  });

/** One key per line; empty lines and lines that start with # are ignored. */
function readKeyFile(file: string): ConfiguredKey[] {
  const content = readKeyText(file);
  const refuse = (message: string) => new MistakesError('BAD_CONFIG', [{ file, message }]);
  if ('problem' in content) throw refuse(content.problem);
  const mistakes: Mistake[] = [];
  const keys = content.text.split('\n').flatMap((line, index): ConfiguredKey[] => {
    if (line.trim().startsWith('#')) return [];
    const reading = parseKeyList(split(line, ','));
    if (!('problem' in reading)) return reading;
    mistakes.push({ file, line: index + 1, message: reading.problem });
    return [];
  });
  if (mistakes.length > 0) throw new MistakesError('BAD_CONFIG', mistakes);
  if (keys.length === 0) throw refuse('holds no key: write "name=key" on a line of its own');
  return keys;
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

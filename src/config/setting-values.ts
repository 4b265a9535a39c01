// Single values of settings: what a flag or a variable says, and secrets that settings files only refer to.
import { resolve } from 'node:path';
import { type Environment, lookup } from '../endpoint/environment.ts';
import { readSecretFile } from '../endpoint/sources/secret-file.ts';
import { usageError } from '../errors.ts';
import { type Deployment, toConfigError } from './config-file.ts';
import { resolvePaths } from './file-paths.ts';
import { readTyped, type SecretSource, type Setting, secretText, spellFlag } from './settings.ts';

/** The value that a flag or a variable stands for; throws where it is none. */
export function parseTyped(setting: Setting, value: unknown): unknown {
  const result = readTyped(setting, value);
  if (result.success) return resolvePaths(result.data, '');
  const option = setting.flag && spellFlag(setting.flag);
  const { variable } = setting;
  const origin = option && variable ? `${option} (or ${variable})` : (option ?? variable);
  throw usageError(`${origin} ${result.error.issues[0]!.message}.`);
}

/** Reads a secret from a variable or file: settings files are shared and committed. */
export function readSecret(
  { env: variable, file }: SecretSource,
  path: readonly string[],
  deployment: Deployment,
  env: Environment,
): string {
  const refuse = (field: string, message: string) => toConfigError(deployment, [{ path: [...path, field], message }]);
  const field = variable === undefined ? 'file' : 'env';
  let secret = variable === undefined ? '' : lookup(env, variable);
  if (secret === undefined) throw refuse('env', `needs the environment variable ${variable}; set it`);
  if (file !== undefined) {
    const content = readSecretFile(file);
    if ('problem' in content) throw refuse('file', `${content.problem} (looked for ${resolve(file)})`);
    secret = content.text.trimEnd();
  }
  const result = secretText.safeParse(secret);
  if (result.success) return result.data;
  throw refuse(field, `names a secret that ${result.error.issues[0]!.message}`);
}

// The environment, completed by files of variables.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '../endpoint/environment.ts';
import { GatewayError } from '../errors.ts';

export interface EnvFile {
  readonly path: string;
  /** Who named it: `--dotenv`, `landbridge.yaml:3`. */
  readonly from: string;
}

export interface CompleteEnvironment {
  readonly env: Environment;
  /** The file that a variable comes from. */
  readonly fileOf: ReadonlyMap<string, string>;
}

/** The real environment takes precedence over files, a later file over an earlier one. */
export function readEnvironment(files: readonly EnvFile[], processEnv: Environment): CompleteEnvironment {
  const env: Record<string, string | undefined> = Object.create(null);
  const fileOf = new Map<string, string>();
  for (const { path, from } of files) {
    try {
      const variables = parseEnv(readFileSync(path, 'utf8'));
      Object.assign(env, variables);
      for (const name of Object.keys(variables)) if (processEnv[name] === undefined) fileOf.set(name, path);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'it does not exist' : code === 'EISDIR' ? 'it is a folder' : message;
      const sentence = `Cannot read the variables in ${path} (${from}): ${why}. Looked for ${resolve(path)}.`;
      throw new GatewayError('BAD_CONFIG', sentence, {}, cause);
    }
  }
  return { env: Object.freeze(Object.assign(env, processEnv)), fileOf };
}

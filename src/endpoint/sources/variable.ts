// Variables of the environment. Where SHOP_KEY is not set, SHOP_KEY_FILE may name a file that holds its value.
import { readFileOnce } from './secret-file.ts';
import type { ValueSource } from './sources.ts';

/** Suffix of a variable that holds the path of the file with the secret. */
const FILE_SUFFIX = '_FILE';

export const variableSource = {
  mark: '',
  suffix: 'Env',
  noun: 'variable',
  describe: () => '',
  example: (name) => name.toUpperCase(),
  locate: (value) => value,
  read(name, env) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    // A variable set to the empty string counts as unset, as in `${VARIABLE:-default}` of a shell.
    if (value !== undefined && value !== '') return { text: value };
    const variable = name + FILE_SUFFIX;
    const path = (Object.hasOwn(env, variable) ? env[variable] : undefined) || undefined;
    if (path === undefined) return undefined;
    const file = readFileOnce(env, path);
    return 'problem' in file ? { problem: `${variable}: ${path} ${file.problem}` } : file;
  },
} as const satisfies ValueSource;

// The flags of --url, and a connection for as long as a command needs it.

import { type Flags, readConfig } from '../../config/read-config.ts';
import { spellFlag } from '../../config/settings.ts';
import { refuseStrangers } from '../../config/strange-variables.ts';
import { usageError } from '../../errors.ts';
import { PRODUCT } from '../../product.ts';
import {
  type AnswerQuestion,
  connectGateway,
  type Request,
  readGatewayUrl,
  readHeaderFlags,
} from './remote-gateway.ts';

export interface RemoteFlags {
  readonly url?: string;
}

/** Flags that say what to load or how to serve it: a running gateway has decided that. */
const DECIDED: readonly (keyof Flags & string)[] = [
  'config',
  'domains',
  'baseUrl',
  'refsRoot',
  'profiles',
  'readOnly',
  'guard',
  'confirm',
  'exposure',
  'tokenBudget',
];

/** Ends the program with exit code 2 where files, or flags about them, stand beside --url. */
export function refuseFiles(files: readonly string[], flags: Flags): void {
  const flag = DECIDED.find((name) => flags[name] !== undefined);
  const extra = files.length > 0 ? files[0] : flag && spellFlag(flag);
  if (extra === undefined) return;
  const message = `${extra} cannot be used with --url: the running gateway has its own settings.`;
  throw usageError(message);
}

export async function withRemote(
  files: readonly string[],
  flags: Flags & RemoteFlags,
  answer: AnswerQuestion | undefined,
  use: (request: Request) => Promise<void>,
): Promise<void> {
  refuseFiles(files, flags);
  const { env, headers, profile, strangers } = readConfig(flags, process.env, 'nothing');
  refuseStrangers(strangers);
  const url = readGatewayUrl(flags.url ?? '', profile);
  const client = { name: `${PRODUCT.name}-cli`, version: PRODUCT.version };
  const gateway = connectGateway({ url, headers: readHeaderFlags(headers, env), client, answer });
  try {
    await use(gateway.request);
  } finally {
    await gateway.close();
  }
}

// The flags of --url, and a connection for as long as a command needs it.

import { type Flags, readConfig } from '../../config/read-config.ts';
import { spellFlag } from '../../config/setting-table.ts';
import { refuseUnknownVariables } from '../../config/unknown-variables.ts';
import { usageError } from '../../errors.ts';
import { PRODUCT } from '../../product.ts';
import type { Io } from '../io.ts';
import {
  type AnswerQuestion,
  connectGateway,
  readGatewayUrl,
  readHeaderFlags,
  type SendRemoteRequest,
} from './remote-gateway.ts';

export interface RemoteFlags {
  readonly url?: string;
}

/** Flags about what to load or how to serve it: a running gateway has its own settings. */
const FLAGS_OF_A_START: readonly (keyof Flags & string)[] = [
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

/** Refuses files, and flags about them, beside --url. */
export function refuseFiles(files: readonly string[], flags: Flags): void {
  const flag = FLAGS_OF_A_START.find((name) => flags[name] !== undefined);
  const extra = files.length > 0 ? files[0] : flag && spellFlag(flag);
  if (extra === undefined) return;
  const message = `${extra} cannot be used with --url: the running gateway has its own settings.`;
  throw usageError(message);
}

/** `answer`: how the person here answers questions of the gateway. Absent: nobody can be asked. */
export async function withRemote(
  io: Io,
  files: readonly string[],
  flags: Flags & RemoteFlags,
  use: (request: SendRemoteRequest) => Promise<number>,
  answer?: AnswerQuestion,
): Promise<number> {
  refuseFiles(files, flags);
  const { env, headers, profile, unknownVariables } = readConfig(flags, io.env, 'nothing');
  refuseUnknownVariables(unknownVariables);
  const url = readGatewayUrl(flags.url ?? '', profile);
  const client = { name: `${PRODUCT.name}-cli`, version: PRODUCT.version };
  const gateway = connectGateway({ url, headers: readHeaderFlags(headers, env), client, answer });
  try {
    return await use(gateway.request);
  } finally {
    await gateway.close();
  }
}

// What is wrong with the settings themselves: found before anything is loaded or opened, and said with what to do.

import type { Config } from '../../config/read-config.ts';
import { needsSigner } from '../../credentials/proof.ts';
import { isLoopback } from '../../endpoint/address.ts';
import type { Domain } from '../../endpoint/model.ts';
import { GatewayError, usageError } from '../../errors.ts';
import type { GatewayOptions } from '../../gateway.ts';
import { refuseOpenAdmin } from '../admin/admin-checks.ts';
import { toGatewayOptions } from '../open-gateway.ts';
import { type Authorities, createAuthorities } from './authorities.ts';
import { readTlsFiles, type TlsFiles } from './tls/tls-files.ts';

/** What the settings say, checked. */
export interface Prepared {
  readonly options: Omit<GatewayOptions, 'domains'>;
  /** Who may call; absent where everybody may. */
  readonly authorities: Authorities | undefined;
  readonly tls: TlsFiles | undefined;
}

export async function prepare(config: Config): Promise<Prepared> {
  refuseContradictions(config);
  const options = await toGatewayOptions(config);
  const tls = readTlsFiles(config);
  const authorities = await createAuthorities(config, Object.keys(options.profiles ?? {}));
  refuseOpenDoors(config, authorities);
  refuseOpenAdmin(config);
  return { options, authorities, tls };
}

/** Throws for settings with which `serve` would not start. */
export async function checkSettings(config: Config): Promise<void> {
  const { authorities } = await prepare(config);
  await authorities?.issuers?.close();
}

/** Refuses settings with which nothing would listen, or with which stdin would be read twice. */
function refuseContradictions({ http, tcp, stdio, paths, workers }: Config): void {
  if (!http && tcp === undefined && !stdio)
    throw usageError('With --no-http there is nothing to listen on: add --stdio or --tcp <port>.');
  if (stdio && paths.includes('-'))
    throw usageError('"-" and --stdio both read stdin: give the document as a file or URL.');
  if (workers === 1) return;
  if (stdio)
    throw usageError(
      'Several workers cannot share stdio: leave out --stdio, or --workers (workers, LANDBRIDGE_WORKERS).',
    );
  if (paths.includes('-'))
    throw usageError(
      'Every worker reads the document, but stdin can be read only once: give it as a file or URL, or leave out --workers.',
    );
}

/** Refuses to listen for other machines without authentication, unless that is explicitly allowed. */
function refuseOpenDoors(config: Config, authorities: Authorities | undefined): void {
  if (config.allowUnauthenticated || !isWideOpen(config, authorities)) return;
  throw new GatewayError(
    'BAD_CONFIG',
    `Refusing to listen on ${config.host}: anyone who can reach this machine could call these APIs with your credentials. ` +
      'Configure who may call ("landbridge key new <name>" makes a key), listen on 127.0.0.1 behind a proxy that authenticates, ' +
      'or add --allow-unauthenticated if something else protects this port.',
  );
}

/** The port can be reached from other machines, and callers are not authenticated. */
export function isWideOpen({ host, http, tcp }: Config, authorities: Authorities | undefined): boolean {
  return authorities === undefined && !isLoopback(host) && (http || tcp !== undefined);
}

/** Every call of such a domain would be refused, so the start is. */
export function refuseUnsigned(domains: readonly Domain[], { assertions }: Pick<GatewayOptions, 'assertions'>): void {
  if (assertions !== undefined) return;
  const asking = domains.filter(({ endpoints }) => endpoints.some(({ security }) => security.flat().some(needsSigner)));
  if (asking.length > 0)
    throw new GatewayError(
      'BAD_CONFIG',
      `${asking.length === 1 ? 'Domain' : 'Domains'} ${asking.map(({ name }) => `"${name}"`).join(', ')} ${asking.length === 1 ? 'signs' : 'sign'} assertions about the caller, but no signing key is set. Add assertions: { keys: [key.pem] } to landbridge.yaml; "openssl genpkey -algorithm ed25519 -out key.pem" makes a key.`,
    );
}

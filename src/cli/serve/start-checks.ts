// Checks the settings before anything is loaded or opened. Each refusal says what to do.
import type { Config } from '../../config/read-config.ts';
import { needsSigner } from '../../credentials/proof.ts';
import { isLoopback } from '../../endpoint/address.ts';
import type { Domain } from '../../endpoint/model.ts';
import { GatewayError, usageError } from '../../errors.ts';
import type { GatewayOptions } from '../../gateway.ts';
import { refuseOpenAdmin } from '../admin/listen-for-admin.ts';
import { toGatewayOptions } from '../open-gateway.ts';
import { type Authorities, createAuthorities } from './authorities.ts';
import { readTlsFiles, type TlsFiles } from './listener-certificate.ts';

export interface CheckedSettings {
  readonly options: Omit<GatewayOptions, 'domains'>;
  /** Who may call; absent if everybody may. */
  readonly authorities: Authorities | undefined;
  readonly tls: TlsFiles | undefined;
}

/** Throws for settings with which `serve` would not start. Close the issuers if they are not used. */
export async function checkSettings(config: Config): Promise<CheckedSettings> {
  refuseContradictions(config);
  const options = await toGatewayOptions(config);
  const tls = readTlsFiles(config);
  const authorities = await createAuthorities(config, Object.keys(options.profiles ?? {}));
  refuseUnauthenticatedNetwork(config, authorities);
  refuseOpenAdmin(config);
  return { options, authorities, tls };
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
function refuseUnauthenticatedNetwork(config: Config, authorities: Authorities | undefined): void {
  if (config.allowUnauthenticated || !isOpenToAll(config, authorities)) return;
  throw new GatewayError(
    'BAD_CONFIG',
    `Refusing to listen on ${config.host}: anyone who can reach this machine could call these APIs with your credentials. ` +
      'Configure who may call ("landbridge key new <name>" makes a key), listen on 127.0.0.1 behind a proxy that authenticates, ' +
      'or add --allow-unauthenticated if something else protects this port.',
  );
}

const TCP_WITHOUT_TLS =
  'The TCP port has no TLS, so others on the network can read the keys and tokens sent to it. Set a certificate and its key (tls, --tls-cert, --tls-key).';

const HTTP_WITHOUT_NAME =
  'HTTP accepts requests to the addresses of this machine only, not to a host name. Set the URL that clients use (publicUrl, --public-url), or allow the name (allowedHosts, --allowed-host).';
export const OAUTH_WITHOUT_NAME =
  'OAuth clients behind the proxy (trustedProxies) are sent to the address of this machine, because the gateway does not know its public one. Set the URL that clients use (publicUrl, --public-url).';
const STATE_WITHOUT_SECRET =
  'Replicas share `state`, but no secret, so they refuse the confirmations and sessions of each other. Give all of them the same secret (secret, LANDBRIDGE_SECRET).';

/**
 * Warnings for the operator: expired keys, keys in clear text over TCP, HTTP without a host name that is accepted, OAuth
 * behind a proxy without a public URL, replicas without a shared secret, scopes that look mistyped.
 */
export function listSettingWarnings(config: Config, authorities: Authorities | undefined): string[] {
  const { host, http, tcp, tls, publicUrl, allowedHosts, state, secret } = config;
  const isWide = !isLoopback(host);
  return [
    ...(authorities?.warnings ?? []),
    ...(tcp !== undefined && tls === undefined && authorities !== undefined && isWide ? [TCP_WITHOUT_TLS] : []),
    ...(http && isWide && publicUrl === undefined && allowedHosts.length === 0 ? [HTTP_WITHOUT_NAME] : []),
    ...(lacksPublicUrl(config) ? [OAUTH_WITHOUT_NAME] : []),
    ...(state !== undefined && secret === undefined ? [STATE_WITHOUT_SECRET] : []),
  ];
}

/** OAuth clients come through a proxy, and the metadata can only name the address of this machine. */
export function lacksPublicUrl({ auth, http, publicUrl, trustedProxies }: Config): boolean {
  return http && publicUrl === undefined && trustedProxies.length > 0 && (auth?.oauth ?? []).length > 0;
}

/** The port can be reached from other machines, and callers are not authenticated. */
export function isOpenToAll({ host, http, tcp }: Config, authorities: Authorities | undefined): boolean {
  return authorities === undefined && !isLoopback(host) && (http || tcp !== undefined);
}

/** Every call of such a domain would be refused, so the start is refused. */
export function refuseUnsigned(domains: readonly Domain[], { assertions }: Pick<GatewayOptions, 'assertions'>): void {
  if (assertions !== undefined) return;
  const asking = domains.filter(({ endpoints }) => endpoints.some(({ security }) => security.flat().some(needsSigner)));
  if (asking.length > 0)
    throw new GatewayError(
      'BAD_CONFIG',
      `${asking.length === 1 ? 'Domain' : 'Domains'} ${asking.map(({ name }) => `"${name}"`).join(', ')} ${asking.length === 1 ? 'signs' : 'sign'} assertions about the caller, but no signing key is set. Add assertions: { keys: [key.pem] } to landbridge.yaml; "openssl genpkey -algorithm ed25519 -out key.pem" makes a key.`,
    );
}

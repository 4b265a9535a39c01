// Sections of landbridge.yaml of which flags and variables can say parts: API keys, TLS, the admin listener and tracing.
import type { z } from 'zod';
import { placeOf, rememberPlace } from '../domain/files/read-places.ts';
import type { Environment } from '../endpoint/environment.ts';
import { usageError } from '../errors.ts';
import type { Deployment, Sections } from './config-file.ts';
import { keyList } from './key-sources.ts';
import type { AdminConfig, Config, Flags, Origin } from './read-config.ts';
import { ADMIN_PORT } from './sections/admin-schema.ts';
import { parseTyped, readSecret } from './setting-values.ts';
import { bindAddress, port, SECTION_VARIABLES, secretText, spellFlag } from './settings.ts';
import { planTracing, type TracingPlan } from './tracing/tracing-plan.ts';

/** API keys given without a settings file, as in a container. */
export function readKeySettings(
  flags: Flags,
  env: Environment,
  origins: Map<string, Origin>,
): Pick<Config, 'apiKeys' | 'apiKeysFile'> {
  for (const [name, where] of Object.entries(SECTION_VARIABLES))
    if (env[where]) origins.set(name, { by: 'variable', where });
  if (flags.apiKeys !== undefined) origins.set('apiKeysFile', { by: 'flag', where: '--api-keys' });
  // Everywhere else an empty variable counts as unset. Here that would switch authentication off.
  const keys = env[SECTION_VARIABLES.apiKeys];
  if (keys !== undefined && keys.replace(/[\s,]/g, '') === '')
    throw usageError(
      `${SECTION_VARIABLES.apiKeys} is set, but has no key. Write name=key ("landbridge key new <name>" makes one), or unset it if callers need no key.`,
    );
  return {
    apiKeys: parseTyped({ type: keyList, variable: SECTION_VARIABLES.apiKeys }, env[SECTION_VARIABLES.apiKeys]) as [],
    apiKeysFile: flags.apiKeys ?? (env[SECTION_VARIABLES.apiKeysFile] || undefined),
  };
}

/** The files of `tls`, named one by one. */
export function readTlsSettings(
  flags: Flags,
  env: Environment,
  section: Sections['tls'],
  origins: Map<string, Origin>,
): Pick<Config, 'tls'> {
  for (const name of ['tlsCert', 'tlsKey', 'tlsClientCa'] as const)
    if (flags[name] !== undefined) origins.set(name, { by: 'flag', where: spellFlag(name) });
  const cert = flags.tlsCert ?? (env[SECTION_VARIABLES.tlsCert] || section?.cert);
  const key = flags.tlsKey ?? (env[SECTION_VARIABLES.tlsKey] || section?.key);
  const clientCa = flags.tlsClientCa ?? (env[SECTION_VARIABLES.tlsClientCa] || section?.clientCa);
  if (cert === undefined && key === undefined && clientCa === undefined) return {};
  if (cert !== undefined && key !== undefined)
    return {
      tls: rememberPlace({ ...section, cert, key, ...(clientCa !== undefined && { clientCa }) }, placeOf(section)),
    };
  throw usageError(
    `TLS needs a certificate and its key: name ${cert === undefined ? '--tls-cert (or LANDBRIDGE_TLS_CERT)' : '--tls-key (or LANDBRIDGE_TLS_KEY)'} too.`,
  );
}

/** `admin`, with what flags and variables say of it. */
export function readAdminSettings(
  flags: Flags,
  env: Environment,
  deployment: Deployment | undefined,
  origins: Map<string, Origin>,
): AdminConfig | undefined {
  const section = deployment?.settings.admin;
  const { adminPort, adminHost, adminToken } = SECTION_VARIABLES;
  const readOne = (type: z.ZodType, flag: string, variable: string, flagValue: string | undefined) => {
    const value = flagValue ?? (env[variable] || undefined);
    return value === undefined ? undefined : parseTyped({ type, flag, variable }, value);
  };
  const ports = readOne(port, 'adminPort', adminPort, flags.adminPort) as number | undefined;
  const host = readOne(bindAddress, 'adminHost', adminHost, flags.adminHost) as string | undefined;
  if (ports === undefined && section === undefined) {
    if (host === undefined && !env[adminToken]) return undefined;
    throw usageError(
      `The admin host or token is set, but the admin port is not: add --admin-port ${ADMIN_PORT} (or ${adminPort}).`,
    );
  }
  const token = env[adminToken]
    ? (parseTyped({ type: secretText, variable: adminToken }, env[adminToken]) as string)
    : section?.token && readSecret(section.token, ['admin', 'token'], deployment!, env);
  const admin: AdminConfig = {
    port: ports ?? section?.port ?? ADMIN_PORT,
    host: host ?? section?.host ?? '127.0.0.1',
    allowAnyone: section?.allowAnyone ?? false,
    allowedHosts: section?.allowedHosts ?? [],
    ...(token !== undefined && { token }),
  };
  if (flags.adminPort !== undefined) origins.set('admin', { by: 'flag', where: '--admin-port' });
  else if (ports !== undefined) origins.set('admin', { by: 'variable', where: adminPort });
  return rememberPlace(admin, placeOf(section));
}

export function readTracingPlan(
  { otlpEndpoint }: Flags,
  env: Environment,
  section: Sections['tracing'],
  origins: Map<string, Origin>,
): TracingPlan | undefined {
  const choice = planTracing(otlpEndpoint, env, section);
  if (choice?.origin === 'flag') origins.set('tracing', { by: 'flag', where: '--otlp-endpoint' });
  if (choice?.origin === 'variable') origins.set('tracing', { by: 'variable', where: 'OTEL_*' });
  return choice?.plan;
}

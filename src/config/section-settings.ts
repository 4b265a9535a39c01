// Values from flags, variables and secret files: single settings, and the fields of sections that have flags and variables of
// their own (API keys, TLS, the admin listener, tracing).
import { resolve } from 'node:path';
import type { z } from 'zod';
import { placeOf, rememberPlace } from '../domain/files/read-places.ts';
import { type Environment, lookup } from '../endpoint/environment.ts';
import { readSecretFile } from '../endpoint/sources/secret-file.ts';
import { usageError } from '../errors.ts';
import { type Sections, type SettingsFile, toConfigError } from './config-file.ts';
import { resolvePaths } from './file-paths.ts';
import { keyList } from './key-sources.ts';
import type { AdminConfig, Config, Flags, SettingOrigin } from './read-config.ts';
import { ADMIN_PORT } from './sections.ts';
import { FIELD_TABLE, type SettingNames, spellFlag } from './setting-table.ts';
import { bindAddress, parseSettingText, port, type SecretSource, type Setting, secretText } from './settings.ts';
import { planTracing, type TracingPlan } from './tracing-plan.ts';

/** API keys given by flag or variable, as in a container without a settings file. */
export function readKeySettings(
  flags: Flags,
  env: Environment,
  origins: Map<string, SettingOrigin>,
): Pick<Config, 'apiKeys' | 'apiKeysFile'> {
  for (const [name, { variable: where }] of Object.entries<SettingNames>(FIELD_TABLE))
    if (where !== undefined && name !== 'config' && env[where]) origins.set(name, { by: 'variable', where });
  if (flags.apiKeys !== undefined)
    origins.set('apiKeysFile', { by: 'flag', where: spellFlag(FIELD_TABLE.apiKeysFile.flag) });
  // Everywhere else an empty variable counts as unset. Here that would switch authentication off.
  const keys = env[FIELD_TABLE.apiKeys.variable];
  if (keys !== undefined && keys.replace(/[\s,]/g, '') === '')
    throw usageError(
      `${FIELD_TABLE.apiKeys.variable} is set, but has no key. Write name=key ("landbridge key new <name>" makes one), or unset it if callers need no key.`,
    );
  return {
    apiKeys: parseSetting(
      { type: keyList, variable: FIELD_TABLE.apiKeys.variable },
      env[FIELD_TABLE.apiKeys.variable],
    ) as [],
    apiKeysFile: flags.apiKeys ?? (env[FIELD_TABLE.apiKeysFile.variable] || undefined),
  };
}

/** The section `tls`; flags and variables replace its files. */
export function readTlsSettings(
  flags: Flags,
  env: Environment,
  section: Sections['tls'],
  origins: Map<string, SettingOrigin>,
): Pick<Config, 'tls'> {
  for (const name of ['tlsCert', 'tlsKey', 'tlsClientCa'] as const)
    if (flags[name] !== undefined) origins.set(name, { by: 'flag', where: spellFlag(name) });
  const cert = flags.tlsCert ?? (env[FIELD_TABLE.tlsCert.variable] || section?.cert);
  const key = flags.tlsKey ?? (env[FIELD_TABLE.tlsKey.variable] || section?.key);
  const clientCa = flags.tlsClientCa ?? (env[FIELD_TABLE.tlsClientCa.variable] || section?.clientCa);
  if (cert === undefined && key === undefined && clientCa === undefined) return {};
  if (cert !== undefined && key !== undefined)
    return {
      tls: rememberPlace({ ...section, cert, key, ...(clientCa !== undefined && { clientCa }) }, placeOf(section)),
    };
  throw usageError(
    `TLS needs a certificate and its key: name ${cert === undefined ? '--tls-cert (or LANDBRIDGE_TLS_CERT)' : '--tls-key (or LANDBRIDGE_TLS_KEY)'} too.`,
  );
}

/** The section `admin`; flags and variables replace its values. */
export function readAdminSettings(
  flags: Flags,
  env: Environment,
  settingsFile: SettingsFile | undefined,
  origins: Map<string, SettingOrigin>,
): AdminConfig | undefined {
  const section = settingsFile?.settings.admin;
  const { adminPort, adminHost, adminToken } = FIELD_TABLE;
  const readOne = (type: z.ZodType, { flag, variable }: { flag: 'adminPort' | 'adminHost'; variable: string }) => {
    const value = flags[flag] ?? (env[variable] || undefined);
    return value === undefined ? undefined : parseSetting({ type, flag, variable }, value);
  };
  const ports = readOne(port, adminPort) as number | undefined;
  const host = readOne(bindAddress, adminHost) as string | undefined;
  if (ports === undefined && section === undefined) {
    if (host === undefined && !env[adminToken.variable]) return undefined;
    throw usageError(
      `The admin host or token is set, but the admin port is not: add --admin-port ${ADMIN_PORT} (or ${adminPort.variable}).`,
    );
  }
  const token = env[adminToken.variable]
    ? (parseSetting({ type: secretText, variable: adminToken.variable }, env[adminToken.variable]) as string)
    : section?.token && readSecretSetting(section.token, ['admin', 'token'], settingsFile!, env);
  const admin: AdminConfig = {
    port: ports ?? section?.port ?? ADMIN_PORT,
    host: host ?? section?.host ?? adminHost.fallback,
    allowAnyone: section?.allowAnyone ?? false,
    allowedHosts: section?.allowedHosts ?? [],
    ...(token !== undefined && { token }),
  };
  if (flags.adminPort !== undefined) origins.set('admin', { by: 'flag', where: spellFlag(adminPort.flag) });
  else if (ports !== undefined) origins.set('admin', { by: 'variable', where: adminPort.variable });
  return rememberPlace(admin, placeOf(section));
}

export function readTracingPlan(
  { otlpEndpoint }: Flags,
  env: Environment,
  section: Sections['tracing'],
  origins: Map<string, SettingOrigin>,
): TracingPlan | undefined {
  const choice = planTracing(otlpEndpoint, env, section);
  if (choice?.origin === 'flag')
    origins.set('tracing', { by: 'flag', where: spellFlag(FIELD_TABLE.tracingEndpoint.flag) });
  if (choice?.origin === 'variable') origins.set('tracing', { by: 'variable', where: 'OTEL_*' });
  return choice?.plan;
}

/** The value of a setting from the text of its flag or variable. Throws if the text is not such a value. */
export function parseSetting(setting: Setting, value: unknown): unknown {
  const result = parseSettingText(setting, value);
  if (result.success) return resolvePaths(result.data, '');
  throw usageError(`${nameSources(setting)} ${result.error.issues[0]!.message}.`);
}

/** Reads a secret from a variable or file: settings files are shared and committed. */
export function readSecretSetting(
  { env: variable, file }: SecretSource,
  path: readonly string[],
  settingsFile: SettingsFile,
  env: Environment,
): string {
  const refuse = (field: string, message: string) => toConfigError(settingsFile, [{ path: [...path, field], message }]);
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

/** `--port (or PORT)` */
function nameSources({ flag, variable }: SettingNames): string | undefined {
  const option = flag && spellFlag(flag);
  return option && variable ? `${option} (or ${variable})` : (option ?? variable);
}

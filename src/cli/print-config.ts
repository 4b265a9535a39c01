// landbridge config: the settings in effect, and where each comes from.

import { placeOf, SECTION_NAMES } from '../config/config-file.ts';
import { type Config, type Flags, readConfig, type SettingOrigin } from '../config/read-config.ts';
import { SETTINGS } from '../config/settings.ts';
import { splitHeaderLine } from '../endpoint/headers/header-fields.ts';
import { isObject } from '../endpoint/is-object.ts';
import { formatFieldPath } from '../endpoint/problems.ts';
import { mayBeWritten } from './import/import-secrets.ts';
import type { Io } from './io.ts';
import { load } from './open-gateway.ts';
import { colours as pc } from './terminal/palette.ts';
import { cropLines, renderTable, shown } from './terminal/terminal.ts';

const HIDDEN = '(hidden)';

interface Row {
  readonly name: string;
  readonly value: unknown;
  /** `flag --port`, `variable PORT`, `landbridge.yaml:3`, `default`. */
  readonly from: string;
}

export async function runConfig(io: Io, files: readonly string[], flags: Flags): Promise<number> {
  const { stdout } = io;
  const config = readConfig({ ...flags, paths: files }, io.env);
  // A variable with our prefix may belong to a domain file: load them to find out.
  if (config.unknownVariables.length > 0) await (await load(io, config)).close();
  const { checkSettings, listSettingWarnings } = await import('./serve/start-checks.ts');
  const { authorities } = await checkSettings(config);
  await authorities?.issuers?.close();
  for (const warning of listSettingWarnings(config, authorities)) io.stderr.write(`Warning: ${shown(warning)}\n`);
  const rows = listRows(config);
  if (flags.json) {
    const settings = Object.fromEntries(rows.map(({ name, value, from }) => [name, { value: value ?? null, from }]));
    stdout.write(`${JSON.stringify({ file: config.file ?? null, settings })}\n`);
    return 0;
  }
  const lines = rows
    .flatMap((row) => listLeaves(row, config))
    .map(({ name, value, from }) => [name, show(value), from]);
  stdout.write(
    stdout.isTTY
      ? `${cropLines(renderTable(['setting', 'value', 'from'], lines.map(dimDefaults)), stdout.columns || 80)}\n`
      : lines.map((cells) => `${cells.join('\t')}\n`).join(''),
  );
  return 0;
}

function dimDefaults([name = '', value = '', from = '']: readonly string[]): string[] {
  return from === 'default' ? [name, value, pc.dim(from)] : [name, value, from];
}

function listRows(config: Config): Row[] {
  const values: Readonly<Record<string, unknown>> = { ...config, domains: config.paths };
  const names = [...Object.keys(SETTINGS), 'apiKeys', 'apiKeysFile', ...SECTION_NAMES];
  return names.map((name) => ({
    name,
    value: hide(name, values[name]),
    from: describeOrigin(config.origins.get(name)),
  }));
}

function describeOrigin(origin: SettingOrigin | undefined): string {
  if (origin === undefined) return 'default';
  return origin.by === 'file' ? origin.where : `${origin.by} ${origin.where}`.trim();
}

/** The value without secrets. Hashes of keys are shown: a key cannot be computed from them. */
function hide(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (name === 'secret') return HIDDEN;
  if (name === 'headers')
    return (value as readonly string[]).map((line) =>
      mayBeWritten(line) ? line : `${splitHeaderLine(line).name}: ${HIDDEN}`,
    );
  if (name === 'tracing') {
    const { headers = {}, callers, warnings: _, ...plan } = value as NonNullable<Config['tracing']>;
    const hidden = Object.fromEntries(Object.keys(headers).map((header) => [header, HIDDEN]));
    const words = { ...plan, headers: hidden, callers: callers === 'follow' ? 'trust' : 'join' };
    return hide('', withoutBlanks(words));
  }
  if (typeof value === 'string') return hideInUrl(value);
  if (Array.isArray(value)) return value.map((item) => hide('', item));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        name === 'admin' && key === 'token' ? HIDDEN : hide('', inner),
      ]),
    );
  return value;
}

/** Without values that are not set, for which OpenTelemetry's own defaults apply. */
function withoutBlanks(values: object): object {
  const isBlank = (value: unknown): boolean =>
    value === undefined || (isObject(value) && Object.values(value).every(isBlank));
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isBlank(value)));
}

/** Hides a password before the host, and the query. */
function hideInUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password === '' && url.search === '') return text;
  const user = url.password === '' ? url.username : `${url.username}:${HIDDEN}`;
  const names = [...url.searchParams.keys()].map((key) => `${key}=${HIDDEN}`);
  const query = names.length === 0 ? '' : `?${names.join('&')}`;
  return `${url.protocol}//${user === '' ? '' : `${user}@`}${url.host}${url.pathname}${query}`;
}

/** A section line by line, each with its own place in the file. */
function listLeaves({ name, value, from }: Row, config: Config): Row[] {
  const section: unknown = (config as Readonly<Record<string, unknown>>)[name];
  const { file, positionOf } = (isObject(section) && placeOf(section)) || {};
  const walk = (at: unknown, path: readonly (string | number)[]): Row[] => {
    const inner = Array.isArray(at) && at.some(isObject) ? [...at.entries()] : isObject(at) ? Object.entries(at) : [];
    if (inner.length > 0) return inner.flatMap(([key, one]) => walk(one, [...path, key]));
    const line = positionOf?.(path)?.line;
    return [{ name: formatFieldPath(path), value: at, from: line === undefined ? from : `${file}:${line}` }];
  };
  return walk(value, [name]);
}

function show(value: unknown): string {
  if (value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : shown(value.map(String).join(', '));
  return shown(typeof value === 'string' ? value : JSON.stringify(value));
}

// landbridge.yaml: the settings of a deployment in one file, checked completely before anything starts.
import { dirname } from 'node:path';
import type { z } from 'zod';
import { about, strict, withDefault } from '../domain/definition/shape/fields.ts';
import { MistakesError, type PositionOf, toMistakes } from '../domain/files/mistakes.ts';
import { parseYaml } from '../domain/files/parse-yaml.ts';
import { type ReadPlace, rememberPlace } from '../domain/files/read-places.ts';
import type { Environment } from '../endpoint/environment.ts';
import { isObject } from '../endpoint/is-object.ts';
import { type Problem, toProblems } from '../endpoint/problems.ts';
import { askFor } from '../endpoint/suggest.ts';
import { once } from '../endpoint/untrusted.ts';
import { readUtf8File } from '../profiles.ts';
import { authSection } from './auth-section.ts';
import type { EnvFile } from './env-files.ts';
import { convertTexts, type ExpandedValue, expandTexts } from './expand-variables.ts';
import { resolvePaths } from './file-paths.ts';
import {
  adminSection,
  assertionsSection,
  auditSection,
  limitsSection,
  tlsSection,
  tracingSection,
} from './sections.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** For sections, whose mistakes have paths from the top of the file. */
export { placeOf, toPlacedError as toSectionError } from '../domain/files/read-places.ts';

/**
 * Settings that are more than one value; few of their fields have flags or variables as well. Their shapes, and that of the file, are
 * built when a file is read: a start without one needs 10 ms less CPU time.
 */
const sections = once(() => ({
  tls: about(tlsSection(), 'TLS for both ports, HTTP and TCP.', { cert: 'tls.crt', key: 'tls.key' }),
  auth: about(authSection(), 'Who may call. Without it, the gateway refuses to listen for other machines.', {
    keys: [],
  }),
  limits: about(limitsSection(), 'How much one caller may call, and how much one API is called.', {
    perPrincipal: { rate: '600/min' },
  }),
  assertions: about(
    assertionsSection(),
    'The keys that sign assertions about callers, for domains with a credential of kind `assertion`.',
    { keys: ['./assertion-key.pem'] },
  ),
  audit: about(auditSection(), 'The audit trail: a file with one record for every call.', { file: 'audit.jsonl' }),
  admin: about(
    adminSection(),
    'A separate listener for metrics, readiness with reasons, and the log level. Without it, no metrics are counted.',
    { port: 9464 },
  ),
  tracing: about(
    tracingSection(),
    withDefault(
      'Where traces are sent (OpenTelemetry). The variables `OTEL_*` take precedence over these settings.',
      'off',
    ),
    { endpoint: 'http://127.0.0.1:4318' },
  ),
}));

type Shape = { [Name in keyof Settings]: Settings[Name]['type'] } & ReturnType<typeof sections>;

/** The shape of landbridge.yaml. */
export const configFile = once(() =>
  strict({
    ...Object.fromEntries(Object.entries(SETTINGS).map(([name, { type }]) => [name, type])),
    ...sections(),
  } as Shape).meta({ id: 'config', description: 'The settings of a deployment.' }),
);

export type ConfigFile = z.output<ReturnType<typeof configFile>>;
export type Sections = Pick<ConfigFile, keyof ReturnType<typeof sections>>;

export const SECTION_NAMES = [
  'tls',
  'auth',
  'limits',
  'assertions',
  'audit',
  'admin',
  'tracing',
] as const satisfies (keyof Sections)[];

/** landbridge.yaml as read: its settings, and where each of them is. */
export interface SettingsFile {
  /** As it was named on the command line. */
  readonly file: string;
  readonly settings: ConfigFile;
  /** Variables it refers to, as `${NAME}` or by name. */
  readonly variables: ReadonlySet<string>;
  readonly positionOf: PositionOf;
}

/** The same before its variables are replaced. */
export interface SettingsText {
  readonly file: string;
  readonly value: unknown;
  readonly positionOf: PositionOf;
}

export function readConfigText(file: string): SettingsText {
  const { value, positionOf } = parseYaml(readUtf8File(file), file, 'BAD_CONFIG');
  // Editors find the schema of a JSON file by it.
  if (!isObject(value)) return { file, value: value ?? {}, positionOf };
  const { $schema, ...settings } = value;
  return { file, value: typeof $schema === 'string' ? settings : value, positionOf };
}

/** Its `envFiles`, read before everything else: other values may use their variables. */
export function listEnvFiles({ file, value, positionOf }: SettingsText, env: Environment): readonly EnvFile[] {
  const { envFiles } = isObject(value) ? value : {};
  const result = SETTINGS.envFiles.type.safeParse(expandTexts(envFiles, env).value);
  if (!result.success) return [];
  return resolvePaths(result.data, dirname(file)).map((path, index) => ({
    path,
    from: `${file}:${positionOf(['envFiles', index])?.line ?? 1}`,
  }));
}

export function readConfigFile({ file, value, positionOf }: SettingsText, env: Environment): SettingsFile {
  // Headers are left alone: the loader fills them in, because it has to know which parts are secrets.
  const content = expandTexts(value, env, (path) => path[0] === 'headers');
  const problems = [...content.problems, ...refuseInlineSecret(value), ...refuseMisplaced(value)];
  const result = parse(content);
  if (!result.success) {
    const issues = result.error.issues.map((issue) => withText(issue, value));
    problems.push(...toProblems(issues).filter(({ path }) => !problems.some((other) => isSame(path, other.path))));
  }
  if (problems.length > 0 || !result.success) throw toConfigError({ file, positionOf }, problems);
  const settings = resolvePaths(result.data, dirname(file));
  const { profiles } = settings;
  if (typeof profiles === 'object') rememberPlace(profiles, { file, positionOf, within: ['profiles'] });
  for (const name of SECTION_NAMES) {
    const section = settings[name];
    if (section !== undefined) rememberPlace(section, { file, positionOf });
  }
  return { file, settings, variables: content.variables, positionOf };
}

/** Text that came from a variable may stand for a number or boolean: tried if the first parse fails. */
function parse(content: ExpandedValue) {
  const first = configFile().safeParse(content.value, { reportInput: true });
  return first.success
    ? first
    : configFile().safeParse(convertTexts(content, first.error.issues), { reportInput: true });
}

/** Shows a wrong value as written in the file, before variables are filled in: they may be secrets. */
function withText(issue: z.core.$ZodIssue, value: unknown): z.core.$ZodIssue {
  const input = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  if (issue.code !== 'invalid_union') return { ...issue, input } as z.core.$ZodIssue;
  const errors = issue.errors.map((branch) => branch.map((inner) => withText(inner, input)));
  return { ...issue, input, errors } as z.core.$ZodIssue;
}

function refuseInlineSecret(value: unknown): Problem[] {
  if (!isObject(value) || typeof value.secret !== 'string') return [];
  const message =
    'must not be in this file, because others can read it: write { env: GATEWAY_SECRET }, or { file: /run/secrets/gateway }';
  return [{ path: ['secret'], message }];
}

/** Fields written a level too high: `keys` instead of `auth.keys`. */
function refuseMisplaced(value: unknown): Problem[] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key): Problem[] => {
    if (Object.hasOwn(SETTINGS, key) || Object.hasOwn(sections(), key)) return [];
    const section = SECTION_NAMES.find((name) =>
      Object.hasOwn((sections()[name] as Partial<z.ZodObject>).shape ?? {}, key),
    );
    if (section === undefined) return [];
    return [{ path: [key], message: `"${key}" is not known here; ${askFor(`${section}.${key}`)}` }];
  });
}

function isSame(one: Problem['path'], other: Problem['path']): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

export function toConfigError({ file, positionOf }: ReadPlace, problems: readonly Problem[]): MistakesError {
  return new MistakesError('BAD_CONFIG', toMistakes(file, problems, positionOf));
}

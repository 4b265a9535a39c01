// The fields of a domain file that say where the secrets of a credential come from: `env: X` names a variable, `file:
// /run/secrets/x` a file. A file becomes the variable name `file:/run/secrets/x`, so that all other code handles both alike.
import type { z } from 'zod';
import { VARIABLE_NAME } from '../endpoint/environment.ts';
import { MARKED_SOURCES, SOURCES, type SourceSuffix, type ValueSource } from '../endpoint/sources/sources.ts';
import type { ShapeTools } from './credential-kind.ts';

/** A field that names the variable of one secret. */
export interface SecretField {
  readonly description: string;
  readonly example: string;
  /** A short name of the secret, for the examples of other sources. */
  readonly short: string;
}

/** `clientIdEnv` → `clientIdEnv` and `clientIdFile`; `env` → `env` and `file`. */
type FieldNames<Name extends string> = Name extends 'env'
  ? Uncapitalize<SourceSuffix>
  : Name extends `${infer Secret}Env`
    ? `${Secret}${SourceSuffix}`
    : never;

/** Fields of several kinds. */
export const KEY = {
  env: {
    description: 'The environment variable that holds the key or token.',
    example: 'SHOP_KEY',
    short: 'shop_key',
  },
} as const satisfies Record<string, SecretField>;
export const CLIENT = {
  clientIdEnv: {
    description: 'The environment variable that holds the client id.',
    example: 'SHOP_CLIENT_ID',
    short: 'shop_client_id',
  },
  clientSecretEnv: {
    description: 'The environment variable that holds the client secret.',
    example: 'SHOP_CLIENT_SECRET',
    short: 'shop_client_secret',
  },
} as const satisfies Record<string, SecretField>;

/** The name of a variable. The message does not repeat the value: it may be the secret itself. */
export function variableName({ z }: Pick<ShapeTools, 'z'>): z.ZodString {
  return z.string().regex(VARIABLE_NAME, {
    error: ({ input }) => {
      const name = /^\$\{?([A-Za-z_][A-Za-z0-9_]{0,99})\}?$/.exec(String(input))?.[1];
      const fix =
        name === undefined ? 'such as MY_API_KEY; the value itself belongs in the environment' : `so write ${name}`;
      return `must be the name of an environment variable, ${fix}`;
    },
  });
}

/** The fields for these secrets, one for every source. All may be left out: a secret may come from any of them. */
export function secretFields<Name extends string>(
  tools: ShapeTools,
  fields: Readonly<Record<Name, SecretField>>,
  sources: readonly ValueSource[] = SOURCES,
) {
  const entries = Object.entries<SecretField>(fields).flatMap(([name, field]) =>
    sources.map((source) => [fieldOf(name, source), fieldShape(tools, name, field, source).exactOptional()]),
  );
  return Object.fromEntries(entries) as { [Key in FieldNames<Name>]: z.ZodExactOptional<z.ZodString> };
}

function fieldShape(tools: ShapeTools, name: string, field: SecretField, source: ValueSource): z.ZodString {
  const { about, text } = tools;
  return source.mark === ''
    ? about(variableName(tools), field.description, field.example)
    : about(text, source.describe(name), source.example(field.short));
}

/** `clientSecretEnv` → `clientSecretFile`, `env` → `file`. */
function fieldOf(variableField: string, { suffix }: ValueSource): string {
  if (variableField === 'env') return suffix.charAt(0).toLowerCase() + suffix.slice(1);
  return variableField.replace(/Env$/, suffix);
}

const MARKED: readonly ValueSource[] = Object.values(MARKED_SOURCES);

/** The source of a field that takes the place of one for a variable, and the name of that one. */
function sourceOfField(field: string): { readonly source: ValueSource; readonly variableField: string } | undefined {
  for (const source of MARKED) {
    if (field === fieldOf('env', source)) return { source, variableField: 'env' };
    if (field.endsWith(source.suffix)) return { source, variableField: `${field.slice(0, -source.suffix.length)}Env` };
  }
  return undefined;
}

/** The fields that may be written in place of one for a variable: `the file (clientIdFile)`. */
export function otherFields(variableField: string): string {
  return MARKED.map((source) => `the ${source.noun} (${fieldOf(variableField, source)})`).join(', or ');
}

/** The declaration of a credential with every secret named as a variable is. Paths count from `folder`. */
export function withVariableNames(
  declaration: object,
  folder: string,
  say: (field: string, message: string) => void,
): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(declaration)) {
    const other = sourceOfField(field);
    if (other === undefined || typeof value !== 'string') plain[field] = value;
    else if (other.variableField in declaration || other.variableField in plain)
      say(field, `cannot be combined with ${other.variableField}; keep one of them`);
    else plain[other.variableField] = other.source.mark + other.source.locate(value, folder);
  }
  return plain;
}

// Where the secrets of a credential come from: `env: X` names a variable, `file: /run/secrets/x` a file. A file becomes the
// variable name `file:/run/secrets/x`, so that the rest of the code handles both the same way.
import { dirname, resolve } from 'node:path';
import { type Environment, lookup } from '../endpoint/environment';
import type { Problem } from '../endpoint/problems';
import { FILE_MARK } from '../endpoint/sources/secret-file';
import type { DomainDefinition } from '../domain/definition/definition-types';

type Declarations = NonNullable<DomainDefinition['credentials']>;
type Declaration = Record<string, unknown>;

/** Required fields of each kind. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  apiKey: ['env'],
  bearer: ['env'],
  basic: ['usernameEnv'],
  oauth2: ['clientIdEnv', 'clientSecretEnv'],
  token_exchange: ['clientIdEnv', 'clientSecretEnv'],
  awsSigv4: ['accessKeyIdEnv', 'secretAccessKeyEnv'],
};

/** The variables every tool of AWS reads; taken where a domain file asks for signatures and names no others. */
const AWS_VARIABLES = {
  accessKeyIdEnv: 'AWS_ACCESS_KEY_ID',
  secretAccessKeyEnv: 'AWS_SECRET_ACCESS_KEY',
  sessionTokenEnv: 'AWS_SESSION_TOKEN',
};
const AWS_REGIONS = ['AWS_REGION', 'AWS_DEFAULT_REGION'];

/** The credentials of a domain file with every file named as a variable is; paths are relative to the domain file. */
export function nameSecrets(
  declarations: DomainDefinition['credentials'],
  { env, source = '' }: { readonly env: Environment; readonly source?: string },
  problems: Problem[],
): DomainDefinition['credentials'] {
  if (declarations === undefined) return undefined;
  const folder = dirname(source);
  const entries = Object.entries(declarations).map(([name, declaration]) => {
    const say = (field: string, message: string) => problems.push({ path: ['credentials', name, field], message });
    const plain = withFiles(declaration, folder, say);
    const complete = plain.kind === 'awsSigv4' ? withAwsVariables(plain, env, say) : plain;
    for (const field of NEEDED[String(plain.kind)] ?? []) {
      if (complete[field] === undefined)
        say(field, `is missing: name the variable that holds it, or the file (${fileField(field)})`);
    }
    return [name, complete] as const;
  });
  return Object.fromEntries(entries) as Declarations;
}

/** `clientSecretEnv` → `clientSecretFile`, `env` → `file`. */
function fileField(field: string): string {
  return field === 'env' ? 'file' : field.replace(/Env$/, 'File');
}

function withFiles(declaration: object, folder: string, say: (field: string, message: string) => void): Declaration {
  const plain: Declaration = {};
  for (const [field, value] of Object.entries(declaration)) {
    const variable = field === 'file' ? 'env' : field.replace(/File$/, 'Env');
    if (variable === field || typeof value !== 'string') plain[field] = value;
    else if (variable in declaration) say(field, `cannot be combined with ${variable}; keep one of them`);
    else plain[variable] = FILE_MARK + resolve(folder, value);
  }
  return plain;
}

function withAwsVariables(
  declaration: Declaration,
  env: Environment,
  say: (field: string, message: string) => void,
): Declaration {
  const { accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv } = declaration;
  const isSilent = [accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv].every((variable) => variable === undefined);
  const region =
    declaration.region ?? AWS_REGIONS.map((name) => lookup(env, name)).find((value) => value !== undefined);
  if (region === undefined) say('region', `is missing: write it, or set ${AWS_REGIONS[0]}`);
  return { ...declaration, ...(isSilent && AWS_VARIABLES), region: region ?? '' };
}

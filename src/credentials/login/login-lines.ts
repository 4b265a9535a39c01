// The login of an imported document as lines for its domain file: written out where the document declares a password flow at
// its own server, as a commented example where it has a login operation and only asks for a token.

import { originOf } from '../../endpoint/address';
import { isOfHeader } from '../../endpoint/headers/header-fields';
import { isSecretField } from './login-request';
import { loginSecrets } from './login-operation';
import type { Domain, Endpoint } from '../../endpoint/model';
import { CREDENTIAL_NAME, toSnakeCase } from '../../endpoint/names';
import type { Credential } from '../../endpoint/credential';

type LoginCredential = Extract<Credential, { kind: 'login' }>;

export function loginLines(domain: Domain): string[] {
  const credentials = new Set(domain.endpoints.flatMap(({ security }) => security.flat()));
  const flows = [...credentials].filter((one): one is LoginCredential => one.kind === 'login' && one.isScheme === true);
  const [flow] = flows;
  if (flow !== undefined) return linesOfFlow(flow, flows, domain.endpoints);
  const isProven = [...credentials].some(({ kind, name }) => kind !== 'bearer' || isOfHeader(name));
  const operation = isProven ? undefined : domain.endpoints.find(isPasswordLogin);
  return operation === undefined ? [] : linesOfOperation(operation, [...credentials][0]?.name, domain.name);
}

/** One token serves all operations, so it asks for the scopes of all. A scope with `${` would be filled in once it is in the file. */
function linesOfFlow(
  { name, request, secrets }: LoginCredential,
  flows: readonly LoginCredential[],
  endpoints: readonly Endpoint[],
): string[] {
  const scopes = new Set(
    flows
      .flatMap((one) => new URLSearchParams(one.request.body ?? '').get('scope')?.split(' ') ?? [])
      .filter((scope) => !scope.includes('${')),
  );
  // The request has its fields in the order of the variables they are filled from.
  const names = [...new URLSearchParams(request.body ?? '').keys()].filter((name) => FLOW_FIELDS.includes(name));
  const fields = secrets.map(({ variable }, index): [string, string] => [names[index] ?? '', `\${${variable}}`]);
  const form = {
    grant_type: 'password',
    ...Object.fromEntries(fields),
    ...(scopes.size > 0 && { scope: [...scopes].join(' ') }),
  };
  const base = endpoints.find(({ baseUrl }) => originOf(baseUrl) === originOf(request.url))?.baseUrl;
  // At another origin the document chose where the password goes: the lines are commented out until a person agrees.
  const mark = base === undefined || !CREDENTIAL_NAME.test(name) ? '# ' : '';
  const address =
    base !== undefined && request.url.startsWith(`${base}/`)
      ? ['path', request.url.slice(base.length)]
      : ['url', request.url];
  return [
    '# The document declares a login (OAuth2 password flow); its token is fetched, renewed and sent as a bearer token.',
    `${mark}credentials:`,
    `${mark}  ${JSON.stringify(name)}:`,
    `${mark}    kind: login`,
    `${mark}    ${address[0]}: ${JSON.stringify(address[1])}`,
    `${mark}    form: ${toFlow(form)}`,
    '',
  ];
}

const FLOW_FIELDS = ['username', 'password', 'client_id', 'client_secret'];

function isPasswordLogin(endpoint: Endpoint): boolean {
  return endpoint.method === 'POST' && loginSecrets(endpoint).some((key) => /pass|pwd/i.test(key));
}

function linesOfOperation(endpoint: Endpoint, scheme: string | undefined, domain: string): string[] {
  const fields = endpoint.args.flatMap(({ key, required, to: [target] }): [string, string][] => {
    const field = target?.in === 'body' && target.at.length === 1 ? target.at[0]! : undefined;
    if (field === undefined || !(required || isSecretField(key) || USER.test(field))) return [];
    return [[field, `\${${`${domain}_${toSnakeCase(field)}`.toUpperCase()}}`]];
  });
  const name = scheme !== undefined && CREDENTIAL_NAME.test(scheme) ? scheme : 'session';
  return [
    `# If the token comes from ${JSON.stringify(`${endpoint.method} ${endpoint.path}`)}, uncomment these lines to have it fetched and renewed:`,
    '# credentials:',
    `#   ${JSON.stringify(name)}:`,
    '#     kind: login',
    `#     path: ${JSON.stringify(endpoint.path)}`,
    `#     ${endpoint.body?.kind === 'form' ? 'form' : 'body'}: ${toFlow(Object.fromEntries(fields))}`,
    '',
  ];
}

const USER = /^(?:user_?name|user|e-?mail|login|identifier)$/i;

/** `{ "a": "b" }`, which is also YAML: quoted, so that no field name of a document can start a line of its own. */
function toFlow(fields: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{ ${pairs.join(', ')} }`;
}

// Logins of an imported document: the operations that are logins, and the login as lines for the domain file. The lines are written
// out if the document declares a password flow at its own server. They are a commented example if it has a login operation and
// only asks for a token.

import { originOf } from '../../endpoint/address.ts';
import { isHeaderCredential } from '../../endpoint/headers/header-fields.ts';
import type { Domain, Endpoint } from '../../endpoint/model.ts';
import { CREDENTIAL_NAME, toSnakeCase } from '../../endpoint/names.ts';
import { isSecretField } from '../../endpoint/secret-names.ts';
import { credentialKind } from '../kind-table.ts';
import { isLogin, type LoginCredential } from '../kinds/login.ts';

/** Words of a path or name under which tokens are issued. */
const LOGIN =
  /(?:^|[/_.-])(?:log_?-?in|sign_?-?in|auth|authenticate|authentication|authori[sz]e|oauth2?|tokens?|access_?-?tokens?|sessions?|otp|mfa|verify)(?:$|[/_.-])/i;

/** The arguments that carry the secrets of a login; none if the operation is no login. */
export function loginSecrets({ args, path, action, method }: Endpoint): string[] {
  if (!LOGIN.test(path) && !LOGIN.test(action)) return [];
  const secrets = args.filter(({ key, to }) => isSecretField(key) && to.every(({ in: where }) => where !== 'path'));
  return method === 'DELETE' ? [] : secrets.map(({ key }) => key);
}

export function loginLines(domain: Domain): string[] {
  const credentials = new Set(domain.endpoints.flatMap(({ security }) => security.flat()));
  const flows = [...credentials].filter(isLogin).filter(({ isScheme }) => isScheme === true);
  const [flow] = flows;
  if (flow !== undefined) return linesOfFlow(flow, flows, domain.endpoints);
  const isProven = [...credentials].some(
    (one) => !credentialKind(one).mayComeFromLogin || isHeaderCredential(one.name),
  );
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
  // At another origin, the document chose where the password is sent: the lines are commented out until a person agrees.
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

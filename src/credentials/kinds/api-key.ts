// A key in a header, query parameter, cookie or field of the body.
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { HEADER_NAME, isConfigurableHeader } from '../../endpoint/headers/header-names.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { type CredentialKind, hiddenText, type ShapeTools } from '../credential-kind.ts';
import { KEY, secretFields } from '../secret-fields.ts';

export interface ApiKeyCredential extends Credential {
  readonly kind: 'apiKey';
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  /** Name of the header, query parameter, cookie or top field of the body. */
  readonly field: string;
  readonly secret: Secret;
  /** Put before the secret, e.g. `Token `. */
  readonly prefix?: string;
  /** A parameter of the document that is a key by its name; no security scheme says so. */
  readonly isParameter?: boolean;
}

const shape = (tools: ShapeTools) => {
  const { z, about, closed, text, withDefault } = tools;
  return closed({
    kind: about(z.literal('apiKey'), 'Sends a key in a header, query parameter or cookie.', 'apiKey'),
    in: about(
      z.enum(['header', 'query', 'cookie']),
      withDefault('Where the key is sent.', '`header`'),
      'query',
    ).exactOptional(),
    field: about(text, 'The name of the header, query parameter or cookie.', 'X-API-Key'),
    ...secretFields(tools, KEY),
    prefix: about(z.string(), 'Text that is sent before the key, with the space at its end.', 'Token ').exactOptional(),
  }).meta({ id: 'apiKey' });
};

/** Why a name cannot be sent as a header or cookie: every call would fail. */
function findProblem(where: ApiKeyCredential['in'], field: string): string | undefined {
  if (where === 'query') return undefined;
  if (!HEADER_NAME.test(field))
    return `${JSON.stringify(field)} is not the name of a ${where}; write it without spaces, such as X-API-Key`;
  return where === 'header' && !isConfigurableHeader(field)
    ? `${field} is written by the HTTP client and cannot be set; name the header that carries the key`
    : undefined;
}

export const apiKey: CredentialKind<ApiKeyCredential, typeof shape> = {
  shape,
  variableFields: ['env'],
  requiredFields: ['env'],
  build(name, { in: where = 'header', field, env, prefix }, { secret, say }) {
    const problem = findProblem(where, field);
    if (problem !== undefined) say(problem, 'field');
    return { kind: 'apiKey', name, in: where, field, secret: secret(env), ...omitUndefined({ prefix }) };
  },
  secrets: ({ secret }) => [secret],
  hiddenTexts: ({ secret }) => hiddenText(secret),
  place: (credential) => credential,
  proof: {
    type: 'static',
    value: ({ secret }) => secret.value ?? '',
    withValue: (credential, value) => ({ ...credential, secret: { ...credential.secret, value } }),
  },
  describe({ in: where, field, prefix = '' }) {
    const value = `${prefix}…`;
    return where === 'header' ? `${field}: ${value}` : `${where} ${field}=${value}`;
  },
  explainKind: ({ in: where, field }) => `${where} ${field}`,
  isParameter: ({ isParameter }) => isParameter === true,
  keyVariable: ({ secret }) => secret.variable,
  isSameScheme(scheme, own) {
    const isThere = scheme.in === own.in && scheme.field.toLowerCase() === own.field.toLowerCase();
    return isThere && (own.prefix === undefined || own.prefix === scheme.prefix);
  },
};

// A token that the operator has: `Authorization: Bearer <token>`.
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { BEARER, type CredentialKind, hiddenText, type ShapeTools } from '../credential-kind.ts';
import { KEY, secretFields } from '../secret-fields.ts';

export interface BearerCredential extends Credential {
  readonly kind: 'bearer';
  readonly secret: Secret;
}

const shape = (tools: ShapeTools) =>
  tools
    .closed({
      kind: tools.about(tools.z.literal('bearer'), 'Sends a token as `Authorization: Bearer <token>`.', 'bearer'),
      ...secretFields(tools, KEY),
    })
    .meta({ id: 'bearer' });

export const bearer: CredentialKind<BearerCredential, typeof shape> = {
  shape,
  variableFields: ['env'],
  requiredFields: ['env'],
  build: (name, { env }, { secret }) => ({ kind: 'bearer', name, secret: secret(env) }),
  secrets: ({ secret }) => [secret],
  hiddenTexts: ({ secret }) => hiddenText(secret),
  place: () => BEARER,
  proof: {
    type: 'static',
    value: ({ secret }) => secret.value ?? '',
    withValue: (credential, value) => ({ ...credential, secret: { ...credential.secret, value } }),
  },
  mayComeFromLogin: true,
  describe: () => 'Authorization: Bearer …',
};

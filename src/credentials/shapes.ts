// The shapes of credentials in a domain file: one per kind, and the variables of a security scheme of an imported document. They
// are built with zod when the first domain file is read.
import type { z } from 'zod';
import { MARKED_SOURCES, SOURCES } from '../endpoint/sources/sources.ts';
import type { CredentialKind, ShapeTools } from './credential-kind.ts';
import { CREDENTIAL_KINDS, type CredentialDefinition } from './kind-table.ts';
import { AWS_KEYS, regionShape, serviceShape } from './kinds/aws-sigv4.ts';
import { USER } from './kinds/basic.ts';
import { CLIENT, KEY, secretFields } from './secret-fields.ts';
import { scopesShape, tokenUrlShape } from './tokens/client-request.ts';

/** One shape for all kinds, which zod distinguishes by `kind`. */
export function kindShapes(tools: ShapeTools): z.ZodType<CredentialDefinition> {
  const kinds: readonly CredentialKind[] = Object.values(CREDENTIAL_KINDS);
  const [first, last] = [false, true].map((isLast) =>
    kinds.filter((kind) => (kind.isLastInReference ?? false) === isLast),
  );
  const shapes = [...first!, ...last!].map(({ shape }) => shape(tools)) as unknown as [z.core.$ZodTypeDiscriminable];
  return tools.z.discriminatedUnion('kind', shapes) as unknown as z.ZodType<CredentialDefinition>;
}

/** The fields that name the secrets of any scheme that a document can declare. */
export function schemeFields(tools: ShapeTools) {
  const [variable, others] = [SOURCES.slice(0, 1), Object.values(MARKED_SOURCES)];
  const secrets = { ...KEY, ...USER, ...CLIENT };
  return {
    ...secretFields(tools, secrets, variable),
    ...secretFields(tools, { ...secrets, ...AWS_KEYS }, others),
    tokenUrl: tokenUrlShape(tools),
    scopes: scopesShape(tools),
    ...secretFields(tools, AWS_KEYS, variable),
    region: regionShape(tools),
    service: serviceShape(tools),
    argument: tools.about(
      tools.z.boolean(),
      'Set it if the gateway takes a parameter for a key because of its name. The parameter becomes an argument, and the model fills it in.',
      true,
    ),
  };
}

type Fields = ReturnType<typeof schemeFields>;
/** The fields of a domain file for a scheme of its document. */
export type SchemeDefinition = { readonly [Name in keyof Fields]?: z.output<Fields[Name]> };

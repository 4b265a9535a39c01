// Headers the operator gives: `--header` lines and the secret ones of a domain file. They are credentials: their values are
// never shown and go to the main origin only.
import type { Environment } from '../../endpoint/environment.ts';
import { readHeaderLines } from '../../endpoint/headers/header-fields.ts';
import type { Credential } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { type Node, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';

export interface OperatorHeader {
  /** Lower case. */
  readonly name: string;
  readonly credential: Extract<Credential, { kind: 'apiKey' }>;
}

/** Throws BAD_CONFIG for what is not a header. */
export function readHeaders(
  lines: readonly string[],
  env: Environment,
  credentials: readonly Credential[] = [],
): OperatorHeader[] {
  const problems: Problem[] = [];
  const headers = [...credentials, ...readHeaderLines(lines, env, problems)];
  const [problem] = problems;
  if (problem !== undefined) {
    const name = problem.path[1];
    throw new GatewayError('BAD_CONFIG', `${name === undefined ? '' : `The header ${name} `}${problem.message}.`);
  }
  return headers.flatMap((credential) =>
    credential.kind === 'apiKey' ? [{ name: credential.field.toLowerCase(), credential }] : [],
  );
}

/** Whether a given header already is what a security scheme asks for. */
export function satisfies({ name }: OperatorHeader, scheme: Node | undefined): boolean {
  if (scheme?.type === 'apiKey') return scheme.in === 'header' && textAt(scheme, 'name')?.toLowerCase() === name;
  return name === 'authorization' && scheme?.type !== 'mutualTLS';
}

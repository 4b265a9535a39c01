// Headers from the operator: those of `--header` and of a domain file. They are credentials: their values are never shown, and they
// are sent to two origins only, that of the API and that of the document, both of which the operator chose.
import { originOf } from '../../endpoint/address.ts';
import type { Environment } from '../../endpoint/environment.ts';
import { type HeaderCredential, linesFor, readHeaderLines } from '../../endpoint/headers/header-fields.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { type Node, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';
import type { HeaderFields } from './fetch.ts';

export interface OperatorHeader {
  /** Lower case. */
  readonly name: string;
  readonly credential: HeaderCredential;
}

/** Throws BAD_CONFIG if a line is not a header. */
export function readOperatorHeaders(
  lines: readonly string[],
  env: Environment,
  credentials: readonly HeaderCredential[] = [],
): OperatorHeader[] {
  const problems: Problem[] = [];
  const headers = [...credentials, ...readHeaderLines(lines, env, problems)];
  const [problem] = problems;
  if (problem !== undefined) {
    const name = problem.path[1];
    throw new GatewayError('BAD_CONFIG', `${name === undefined ? '' : `The header ${name} `}${problem.message}.`);
  }
  return headers.map((credential) => ({ name: credential.field.toLowerCase(), credential }));
}

/** Whether the operator's header already provides what a security scheme requires. */
export function satisfies({ name }: OperatorHeader, scheme: Node | undefined): boolean {
  if (scheme?.type === 'apiKey') return scheme.in === 'header' && textAt(scheme, 'name')?.toLowerCase() === name;
  return name === 'authorization' && scheme?.type !== 'mutualTLS';
}

/**
 * The headers for fetching the document, or an overlay from the same origin; none for other origins. Headers of a domain file are
 * for the API: if the API has another origin than the document, only those of the command line are sent.
 */
export function documentHeaders(document: string, source: string, options: ImportOptions): HeaderFields {
  const origin = originOf(source);
  if (origin === undefined || origin !== originOf(document)) return {};
  const lines = [...(options.headers ?? []), ...linesFor(options.headersFor, origin)];
  const isElsewhere = options.baseUrl !== undefined && originOf(options.baseUrl) !== origin;
  const { plainHeaders = {}, headerCredentials = [] } = isElsewhere ? {} : options;
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(plainHeaders)) fields[name.toLowerCase()] = value;
  for (const { name, credential } of readOperatorHeaders(lines, options.env, headerCredentials)) {
    const { prefix = '', secret } = credential;
    if (secret.value !== undefined) fields[name] = prefix + secret.value;
  }
  return fields;
}

/** A warning if headers are sent to two origins. */
export function noteOrigins(source: string, api: string, fields: HeaderFields, { baseUrl }: ImportOptions): string[] {
  const [document, home] = [originOf(source), originOf(api)];
  const names = Object.keys(fields);
  if (names.length === 0 || home === undefined || home === document) return [];
  const why = baseUrl === undefined ? ', the address of the API in the document; --base-url changes that' : '';
  return [
    `The header ${names.join(', ')} was sent to ${document} to fetch the document, and is also sent with every call to ${home}${why}.`,
  ];
}

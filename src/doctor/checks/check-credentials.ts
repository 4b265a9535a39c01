// Operations whose credentials are not set: every alternative, with its variables and its format; and parameters that count as keys
// although no security scheme declares them. --fix writes none of this: a person decides which variable is sent, and a document must not get
// one by naming its scheme after it.

import { listCallerIdentification } from '../../credentials/caller-need.ts';
import {
  alternativesOf,
  formatOf,
  isDeclaredInFull,
  isKeyParameter,
  secretsIn,
  unsetVariables,
  variableFields,
} from '../../credentials/secrets.ts';
import type { Credential } from '../../endpoint/credential.ts';
import type { Endpoint } from '../../endpoint/model.ts';
import { CREDENTIAL_NAME } from '../../endpoint/names.ts';
import { counted, type DiagnoseInput, type Finding, type Repair } from '../finding.ts';

export function* checkCredentials({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoints } of domains) {
    yield* findUnset(name, endpoints);
    yield* findKeyParameters(name, endpoints);
    yield* findTokens(name, endpoints);
    yield* findCallers(name, endpoints);
  }
}

function* findUnset(domain: string, endpoints: readonly Endpoint[]): Generator<Finding> {
  const waiting = new Map<string, { readonly endpoint: Endpoint; count: number }>();
  for (const endpoint of endpoints) {
    const words = describeUnset(endpoint);
    if (words === undefined) continue;
    const entry = waiting.get(words) ?? { endpoint, count: 0 };
    entry.count++;
    waiting.set(words, entry);
  }
  for (const [words, { endpoint, count }] of waiting) {
    yield {
      check: 'credentials',
      severity: 'warning',
      where: domain,
      message: `${counted(count, 'operation needs', 'operations need')} a credential that is not set: ${words}`,
      fix: 'set the variables, or name others in the domain file; until then calls of these operations are refused',
      ...(endpoint.source.kind === 'openapi' && {
        repairs: [...new Set(endpoint.security.flat())].flatMap((credential) => nameVariables(domain, credential)),
      }),
      isChoice: true,
    };
  }
}

/** An operation can be called if one of its alternatives is complete. */
function describeUnset({ security }: Endpoint): string | undefined {
  const alternatives = alternativesOf(security).map((set) => set.filter((one) => unsetVariables(one).length > 0));
  if (alternatives.length === 0 || alternatives.some((set) => set.length === 0)) return undefined;
  return [...new Set(alternatives.map((set) => set.map(describeOne).join(' and ')))].join(', or ');
}

function describeOne(credential: Credential): string {
  return `${unsetVariables(credential).join(' and ')} (${formatOf(credential)})`;
}

function nameVariables(domain: string, credential: Credential): Repair[] {
  // A domain file that declares these in full names their variables already.
  if (!CREDENTIAL_NAME.test(credential.name) || isDeclaredInFull(credential)) return [];
  const fields = variableFields(credential);
  return secretsIn(credential).map(({ variable }, index) => {
    return { domain, path: ['credentials', credential.name, fields[index]!], value: variable };
  });
}

function* findKeyParameters(domain: string, endpoints: readonly Endpoint[]): Generator<Finding> {
  const counts = new Map<Credential, number>();
  for (const { security } of endpoints) {
    const keys = security.flat().filter(isKeyParameter);
    for (const credential of new Set(keys)) counts.set(credential, (counts.get(credential) ?? 0) + 1);
  }
  for (const [credential, count] of counts) {
    const { variable } = secretsIn(credential)[0]!;
    yield {
      check: 'credentials',
      severity: 'note',
      where: domain,
      message: `the parameter ${credential.name} of ${counted(count, 'operation', 'operations')} looks like a key by its name, so it is not an argument: its value comes from ${variable} (${formatOf(credential)})`,
      fix: 'if it is not a key, make it an argument again in the domain file; without its value, models cannot use it',
      ...(CREDENTIAL_NAME.test(credential.name) && {
        repairs: [{ domain, path: ['credentials', credential.name, 'argument'], value: true }],
      }),
      isChoice: true,
    };
  }
}

/** Parameters that repeat a security scheme of the document: one finding for all of them. */
function* findTokens(domain: string, endpoints: readonly Endpoint[]): Generator<Finding> {
  const names = new Set<string>();
  let operations = 0;
  for (const { leftOut } of endpoints) {
    const tokens = (leftOut?.() ?? []).flatMap(({ token }) => token ?? []);
    if (tokens.length > 0) operations++;
    for (const token of tokens) names.add(token);
  }
  if (names.size === 0) return;
  const list = [...names];
  const of = counted(operations, 'operation', 'operations');
  const message =
    list.length === 1
      ? `the parameter ${list[0]} of ${of} repeats a security scheme of the document, so it is not an argument`
      : `the parameters ${list.join(', ')} of ${of} repeat a security scheme of the document, so they are not arguments`;
  yield {
    check: 'credentials',
    severity: 'note',
    where: domain,
    message,
    fix: 'if one of them is not a credential, make it an argument again in the domain file, so that models can set it',
    repairs: list
      .filter((name) => CREDENTIAL_NAME.test(name))
      .map((name) => {
        return { domain, path: ['credentials', name, 'argument'], value: true };
      }),
    isChoice: true,
  };
}

/** Notes operations that identify the caller to the API, which may base its permissions on that. */
function* findCallers(domain: string, endpoints: readonly Endpoint[]): Generator<Finding> {
  const counts = new Map<string, number>();
  for (const endpoint of endpoints)
    for (const way of listCallerIdentification(endpoint)) counts.set(way, (counts.get(way) ?? 0) + 1);
  for (const [way, count] of counts)
    yield {
      check: 'credentials',
      severity: 'note',
      where: domain,
      message: `${counted(count, 'operation identifies', 'operations identify')} the caller to the API: ${way}`,
      fix: 'make sure that the API accepts this only from the gateway; otherwise anyone who can reach the API can pretend to be another caller',
    };
}

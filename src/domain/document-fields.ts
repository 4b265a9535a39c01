// Applies the settings of a domain file that are for all operations of its document.

import { listCallerIdentification } from '../credentials/caller-need.ts';
import { readSecurity, withProofs } from '../credentials/declarations.ts';
import { destinationOf, documentTokenUrl, secretsIn, unsetVariables, variableFields } from '../credentials/secrets.ts';
import { homeOrigin, originOf } from '../endpoint/address.ts';
import type { Credential } from '../endpoint/credential.ts';
import { DOCUMENT_PREFIX } from '../endpoint/environment.ts';
import { isHeaderCredential } from '../endpoint/headers/header-fields.ts';
import { DEFAULT_ENDPOINT_LIMITS, type Domain, type Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import { withFields } from './curation/copy-endpoint.ts';
import type { CurationContext } from './curation/curate.ts';
import type { DomainDefinition } from './definition/definition-types.ts';
import type { Imported } from './document-import.ts';

/** Applies headers, limits, response shaping, credentials and base URL, if the file has any of them. */
export function withDomainFields(
  { domain: base, headers, callerHeaders, credentials, connection }: Imported,
  definition: DomainDefinition,
  { problems, file }: CurationContext,
): readonly Endpoint[] {
  const security =
    definition.security && readSecurity(definition.security, withSchemes(credentials, base), ['security'], problems);
  const { timeoutMs, maxResponseBytes, response, baseUrl, lenient, audit } = definition;
  const home = homeOrigin(base.endpoints);
  const origins = {
    ...(baseUrl !== undefined && {
      'base URL': typeof baseUrl === 'object' ? `${file}: baseUrl (${baseUrl.env})` : `${file}: baseUrl`,
    }),
    ...(lenient !== undefined && { lenient: `${file}: lenient` }),
  };
  const withOrigins = (endpoint: Endpoint): Partial<Endpoint> => ({
    get provenance() {
      return { ...endpoint.provenance, ...origins };
    },
  });
  const changesOf = (endpoint: Endpoint): Partial<Endpoint>[] => [
    Object.keys(headers).length === 0 ? {} : { headers: { ...endpoint.headers, ...headers } },
    callerHeaders.length === 0 || originOf(endpoint.baseUrl) !== home ? {} : { callerHeaders },
    response === undefined ? {} : { response: { ...endpoint.response, ...response } },
    limitsOf(endpoint, timeoutMs, maxResponseBytes),
    audit === undefined ? {} : { audit },
    security === undefined || originOf(endpoint.baseUrl) !== home ? {} : { security: keepHeaders(endpoint, security) },
    lenient === undefined ? {} : { lenient },
    Object.keys(origins).length === 0 ? {} : withOrigins(endpoint),
    guardOf(endpoint, definition),
    connection === undefined ? {} : { connection },
  ];
  return base.endpoints.map((endpoint) => changesOf(endpoint).reduce(withChanges, endpoint));
}

/** A document can be stricter than the file, but never less strict: its `confirm` does not allow what the file denies. */
function guardOf({ guard, effect }: Endpoint, definition: DomainDefinition): Partial<Endpoint> {
  const policy = effect === 'read' ? undefined : definition.guard?.[effect];
  return guard === 'confirm' && policy === 'deny' ? { guard: 'deny' } : {};
}

/** Copies an endpoint only if something changes, because there may be thousands. */
function withChanges(endpoint: Endpoint, changes: Partial<Endpoint>): Endpoint {
  return Object.keys(changes).length === 0 ? endpoint : withFields(endpoint, changes);
}

function limitsOf({ limits }: Endpoint, timeoutMs?: number, maxResponseBytes?: number): Partial<Endpoint> {
  if (timeoutMs === undefined && maxResponseBytes === undefined) return {};
  // A timeout from x-mcp is about this operation, so it overrides the file's default for all.
  const isDefault = limits.timeoutMs === DEFAULT_ENDPOINT_LIMITS.timeoutMs;
  return {
    limits: {
      timeoutMs: isDefault ? (timeoutMs ?? limits.timeoutMs) : limits.timeoutMs,
      maxResponseBytes: maxResponseBytes ?? limits.maxResponseBytes,
    },
  };
}

/** Credentials of the file and of the document's operations: `security:` may name both. */
function withSchemes(own: ReadonlyMap<string, Credential>, { endpoints }: Domain): ReadonlyMap<string, Credential> {
  const home = homeOrigin(endpoints);
  const credentials = new Map(own);
  for (const { security, baseUrl } of endpoints) {
    if (originOf(baseUrl) !== home) continue;
    for (const one of security.flat()) if (!credentials.has(one.name)) credentials.set(one.name, one);
  }
  return credentials;
}

/** Keeps the secret headers, which the import has added, when `security` chooses other credentials. */
function keepHeaders({ security }: Endpoint, choice: Endpoint['security']): Endpoint['security'] {
  const headers = (security[0] ?? []).filter((credential) => isHeaderCredential(credential.name));
  return withProofs(choice, headers);
}

/** Warns of credentials of the file that no operation uses: most likely the name of a scheme is misspelt. */
export function unusedCredentials(
  endpoints: readonly Endpoint[],
  definition: DomainDefinition,
  file: string,
): string[] {
  const names = Object.keys(definition.credentials ?? {});
  if (names.length === 0) return [];
  const namesInUse = new Set(endpoints.flatMap(({ security }) => security.flat().map((credential) => credential.name)));
  const schemes = [...namesInUse].filter((name) => !isHeaderCredential(name)).join(', ') || 'none';
  return names
    .filter((name) => !namesInUse.has(name))
    .map(
      (name) =>
        `${file}: credentials.${name}: no operation uses it; the document's security schemes in use: ${schemes}.`,
    );
}

const MAX_NAMED = 5;

/** Warns of operations at another origin: the file's headers and assertions about the caller are not sent there. */
export function warnOtherOrigins(endpoints: readonly Endpoint[], file: string): string[] {
  const home = homeOrigin(endpoints);
  if (!endpoints.some((endpoint) => listCallerIdentification(endpoint).length > 0)) return [];
  const elsewhere = endpoints.filter(
    (endpoint) => originOf(endpoint.baseUrl) !== home && listCallerIdentification(endpoint).length === 0,
  );
  if (elsewhere.length === 0) return [];
  const names = elsewhere.slice(0, MAX_NAMED).map(({ toolName, baseUrl }) => `${toolName} (${originOf(baseUrl)})`);
  if (elsewhere.length > MAX_NAMED) names.push(`${elsewhere.length - MAX_NAMED} more`);
  return [
    `${file}: these operations go to another origin than the API's, so the caller is not identified to it: ${names.join(', ')}; exclude those that need the caller.`,
  ];
}

/** For credentials whose destination the document chose: what to write in the file to confirm it and use the plain variable. */
export function adviseOrigins(endpoints: readonly Endpoint[], file: string): string[] {
  const home = homeOrigin(endpoints);
  const advice = new Set<string>();
  for (const { security, baseUrl } of endpoints) {
    const isServed = security.some((set) => set.length > 0 && set.every((one) => unsetVariables(one).length === 0));
    if (isServed || originOf(baseUrl) !== home) continue;
    for (const credential of security.flat()) {
      const secrets = secretsIn(credential);
      if (!unsetVariables(credential).some((variable) => variable.startsWith(DOCUMENT_PREFIX))) continue;
      const plain = secrets.map(({ variable }) => variable.replace(DOCUMENT_PREFIX, ''));
      const origin = destinationOf(credential, baseUrl);
      const tokenUrl = origin === home ? undefined : documentTokenUrl(credential);
      const fields = plain
        .map((variable, index) => `${variableFields(credential)[index]}: ${variable}`)
        .concat(tokenUrl === undefined ? [] : [`tokenUrl: ${tokenUrl}`])
        .join(', ');
      const choices = [
        ...(origin === home ? [`baseUrl: ${baseUrl}`] : []),
        `credentials: { ${JSON.stringify(credential.name)}: { ${fields} } }`,
      ];
      advice.add(
        `${file}: only the document says that ${credential.name} is sent to ${origin}, so ${plain.join(' and ')} is not used; to confirm the address, add ${choices.join(' or ')}.`,
      );
    }
  }
  return [...advice];
}

/** For variables of the file that are sent to a token URL of the document, at another origin: what to write to pin that URL. */
export function adviseTokenUrls(endpoints: readonly Endpoint[], definition: DomainDefinition): Problem[] {
  const home = homeOrigin(endpoints);
  const advice = new Map<string, Problem>();
  for (const credential of new Set(endpoints.flatMap(({ security }) => security.flat()))) {
    const { name } = credential;
    const source = Object.hasOwn(definition.credentials ?? {}, name) ? definition.credentials![name]! : undefined;
    const address = documentTokenUrl(credential);
    // A source with a `kind` is a credential defined by the file itself.
    if (address === undefined || source === undefined || 'kind' in source || source.tokenUrl !== undefined) continue;
    if (originOf(address) === home) continue;
    const variables = secretsIn(credential).map(({ variable }) => variable);
    const message = `${variables.join(' and ')} go to ${originOf(address)}, another origin than the API's, because the document says so, and its next version may name another address; to pin it, add tokenUrl: ${address} here.`;
    advice.set(message, { path: ['credentials', name], message });
  }
  return [...advice.values()];
}

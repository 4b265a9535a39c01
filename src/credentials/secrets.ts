// What all parts of the gateway need of credentials: their secrets, variables and words.
import { originOf } from '../endpoint/address.ts';
import type { Credential, Secret } from '../endpoint/credential.ts';
import type { Domain, Endpoint, UpstreamConnection } from '../endpoint/model.ts';
import { isVariable } from '../endpoint/sources/sources.ts';
import { withoutValue } from './credential-kind.ts';
import { credentialKind } from './kind-table.ts';

/** Every secret of these domains, as it could appear in a message. */
export function collectSecrets(domains: readonly Pick<Domain, 'endpoints'>[]): string[] {
  const endpoints = domains.flatMap((domain) => domain.endpoints);
  // Thousands of endpoints share a handful of credentials and connections.
  const credentials = new Set(endpoints.flatMap(({ security }) => security.flat()));
  const connections = new Set(endpoints.flatMap(({ connection }) => connection ?? []));
  return [...new Set([...[...credentials].flatMap(hiddenTexts), ...[...connections].flatMap(connectionSecrets)])];
}

/** The texts of one endpoint that must not be shown. */
export function endpointSecrets({ security, connection }: Endpoint): string[] {
  return [...security.flat().flatMap(hiddenTexts), ...(connection === undefined ? [] : connectionSecrets(connection))];
}

/** Redaction would remove such a secret from the gateway's own sentences too: `wrong`, `museum`. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]{3,7}$/;

/** The variables of secrets that are ordinary words. */
export function wordSecrets(endpoints: readonly Endpoint[]): string[] {
  const credentials = [...new Set(endpoints.flatMap(({ security }) => security.flat()))];
  const words = credentials.flatMap((credential) => {
    const hidden = new Set(hiddenTexts(credential));
    return secretsIn(credential).filter(({ value = '' }) => PLAIN_WORD.test(value) && hidden.has(value));
  });
  return [...new Set(words.map(({ variable }) => variable))];
}

function hiddenTexts(credential: Credential): readonly string[] {
  return credentialKind(credential).hiddenTexts(credential);
}

function connectionSecrets({ certificate, proxy }: UpstreamConnection): string[] {
  const ofProxy = proxy === undefined || proxy === 'none' ? [] : proxy.secrets;
  return [...(certificate?.passphrase === undefined ? [] : [certificate.passphrase]), ...ofProxy];
}

/** The secrets that a credential takes from the environment and from files. */
export function secretsIn(credential: Credential): readonly Secret[] {
  return credentialKind(credential).secrets(credential);
}

/** The variables that are missing, with the reason if a file cannot be read. */
export function unsetVariables(credential: Credential): string[] {
  const kind = credentialKind(credential);
  const missing = kind.missing?.(credential) ?? withoutValue(kind.secrets(credential));
  return missing.map(({ variable, problem }) => (problem === undefined ? variable : `${variable} (${problem})`));
}

/** Whether a name in `unsetVariables` is that of a file or another source, not of a variable. */
export function isAboutSource(name: string): boolean {
  return !isVariable(name) || name.endsWith(')');
}

/** The field of a domain file that names the variable of each of `secretsIn()`. */
export function variableFields(credential: Credential): readonly string[] {
  return credentialKind(credential).variableFields;
}

/** Whether a domain file declares it in full, and names its variables. */
export function isDeclaredInFull(credential: Credential): boolean {
  return credentialKind(credential).isDeclaredInFull?.(credential) ?? false;
}

/** The origin that sees its secrets: that of the API, or of the server that issues tokens. */
export function destinationOf(credential: Credential, baseUrl: string): string {
  return originOf(credentialKind(credential).destination?.(credential) ?? baseUrl) ?? 'the API';
}

/** The token endpoint, if a document chose it. */
export function documentTokenUrl(credential: Credential): string | undefined {
  return credentialKind(credential).documentTokenUrl?.(credential);
}

/**
 * The alternatives that count. If one that identifies the caller still lacks its variables, those behind it are dropped:
 * otherwise calls would be made in the name of the gateway instead of the caller.
 */
export function alternativesOf(security: Endpoint['security']): Endpoint['security'] {
  const waiting = security.findIndex(
    (set) => set.some(identifiesCaller) && set.some((credential) => unsetVariables(credential).length > 0),
  );
  return waiting < 0 ? security : security.slice(0, waiting + 1).filter((set) => set.length > 0);
}

/** Whether it identifies the caller to the API. */
export function identifiesCaller(credential: Credential): boolean {
  return credentialKind(credential).identifiesCaller ?? false;
}

/** How it looks in a request: `Authorization: Token token=…`. */
export function formatOf(credential: Credential): string {
  return credentialKind(credential).describe(credential);
}

/** Its kind, or its place, in a word or two. */
export function explainKind(credential: Credential): string {
  return credentialKind(credential).explainKind?.(credential) ?? credential.kind;
}

/** Whether it is a parameter of the document that looks like a key by its name. */
export function isKeyParameter(credential: Credential): boolean {
  return credentialKind(credential).isParameter?.(credential) ?? false;
}

/** Where its token came from; undefined if it came from a variable of the environment. */
export function tokenSourceOf(credential: Credential): string | undefined {
  return credentialKind(credential).tokenSource?.(credential);
}

/** Lines of the banner that say what is sent where, besides those of its variables. */
export function bannerLines(credential: Credential, destination: string, baseUrl: string): readonly string[] {
  return credentialKind(credential).bannerLines?.(credential, destination, originOf(baseUrl) ?? '') ?? [];
}

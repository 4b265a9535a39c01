// Security Requirement Objects → the alternatives of each operation. A credential is bound to the document's main origin;
// an operation that lives elsewhere gets its own variable, so that no key reaches another host unless somebody set it.
// https://spec.openapis.org/oas/v3.2.0.html#security-requirement-object
import { originOf } from '../../endpoint/address.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Credential } from '../../endpoint/model.ts';
import { destinationOf, secretsIn } from '../../endpoint/secrets.ts';
import { listAt, type Node, nodeAt, textsAt } from '../../endpoint/untrusted.ts';
import type { ImportOptions } from '../import-options.ts';
import { OperationProblem } from '../schema/scan.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type OperatorHeader, satisfies } from '../source/fetch-headers.ts';
import { orNothing, type Resolver } from '../source/resolve.ts';
import { type ApiKeyPlace, apiKeyPlace, buildCredential, readSecrets } from './security-scheme.ts';
import { admitAddress } from './server.ts';

export interface Security {
  /** Alternatives for one operation. `extra`: schemes it needs beside its own requirements. */
  readonly forOperation: (
    operation: Node,
    pointer: string,
    baseUrl: string,
    extra: readonly string[],
  ) => readonly (readonly Credential[])[];
  /** Places of API keys: parameters of the same name are credentials, not arguments. */
  readonly apiKeys: readonly ApiKeyPlace[];
  /** Sentences about unset variables, after all operations were read. */
  readonly missing: () => string[];
}

export function readSecurity(
  root: SourceDocument,
  domain: string,
  mainUrl: string,
  callerHeaders: readonly OperatorHeader[],
  options: ImportOptions,
  resolver: Resolver,
  warnings: string[],
): Security {
  const schemes = readSchemes(root, resolver);
  const mainOrigin = originOf(mainUrl);
  const interned = new Map<string, Credential>();
  const needs = new Map<string, Need>();
  const undefinedSchemes = new Set<string>();
  const schemeOf = (name: string): Node | undefined => schemes.get(name) ?? caseless(schemes, name);

  const credentialFor = (
    name: string,
    scopes: readonly string[],
    origin: string | undefined,
    pointer: string,
  ): Credential => {
    const foreign = origin !== mainOrigin;
    const key = JSON.stringify([name, scopes, foreign ? origin : '']);
    let credential = interned.get(key);
    if (!credential) {
      const scheme = schemeOf(name);
      if (!scheme && !undefinedSchemes.has(name)) {
        undefinedSchemes.add(name);
        warnings.push(
          `${root.label}: the security scheme "${name}" is used but not defined; it is taken as HTTP ${guess(name).scheme}`,
        );
      }
      const admit = (url: URL) => {
        const admission = admitAddress(url, root);
        if (admission.problem === undefined) return admission;
        throw new OperationProblem(pointer, `the token URL of "${name}", ${url.origin}, ${admission.problem}`);
      };
      const secrets = readSecrets(name, domain, foreign ? origin : undefined, options);
      credential = buildCredential(name, scheme ?? guess(name), scopes, secrets, { mainUrl, admit });
      interned.set(key, credential);
    }
    return credential;
  };

  const alternativeFor = (
    requirement: Node,
    origin: string | undefined,
    extra: readonly string[],
    pointer: string,
  ): Credential[] => {
    const foreign = origin !== mainOrigin;
    const headers = foreign ? [] : callerHeaders;
    const set: Credential[] = headers.map((header) => header.credential);
    for (const name of new Set([...Object.keys(requirement), ...extra])) {
      const scheme = schemeOf(name);
      if (headers.some((header) => satisfies(header, scheme))) continue;
      if (scheme?.type === 'mutualTLS') {
        if (options.baseUrl !== undefined) continue;
        throw new OperationProblem(
          pointer,
          `it needs a client certificate ("${name}" is mutualTLS), which Landbridge cannot present; put a proxy that can in front of the API and give its address as base URL`,
        );
      }
      const scopes = Array.isArray(requirement[name]) ? textsAt(requirement, name) : [];
      set.push(credentialFor(name, scheme?.type === 'oauth2' ? scopes : [], origin, pointer));
    }
    return set;
  };

  const alternatives = (
    requirements: readonly Node[],
    origin: string | undefined,
    extra: readonly string[],
    pointer: string,
  ) => {
    if (requirements.length === 0) {
      const always = alternativeFor({}, origin, extra, pointer);
      return always.length === 0 ? [] : [always];
    }
    const { sets, problem } = usable(requirements, (requirement) =>
      alternativeFor(requirement, origin, extra, pointer),
    );
    if (sets.length === 0) throw problem;
    return sets;
  };
  /** Most operations share the requirements of the document, and a server. */
  const shared = new Map<readonly unknown[], Map<string | undefined, readonly (readonly Credential[])[]>>();

  return {
    apiKeys: [...schemes].flatMap(([scheme, node]) => apiKeyPlace(scheme, node)),
    forOperation: (operation, pointer, baseUrl, extra) => {
      const own = Array.isArray(operation.security) ? operation.security : listAt(root.value, 'security');
      const origin = originOf(baseUrl);
      const sets =
        (extra.length === 0 ? shared.get(own)?.get(origin) : undefined) ??
        alternatives(own.filter(isObject), origin, extra, pointer);
      noteNeeds(needs, sets, baseUrl);
      if (extra.length === 0) shared.set(own, (shared.get(own) ?? new Map()).set(origin, sets));
      return sets;
    },
    missing: () => [...needs.values()].map(toSentence),
  };
}

/** One alternative that cannot work does not hurt the others. */
function usable(
  requirements: readonly Node[],
  read: (requirement: Node) => Credential[],
): { sets: Credential[][]; problem?: unknown } {
  const sets: Credential[][] = [];
  let problem: unknown;
  for (const requirement of requirements) {
    try {
      sets.push(read(requirement));
    } catch (error) {
      if (!(error instanceof OperationProblem)) throw error;
      problem = error;
    }
  }
  return { sets, problem };
}

function readSchemes(root: SourceDocument, resolver: Resolver): Map<string, Node> {
  const schemes = new Map<string, Node>();
  const from =
    root.dialect.major === 2
      ? nodeAt(root.value, 'securityDefinitions')
      : nodeAt(nodeAt(root.value, 'components'), 'securitySchemes');
  for (const name of Object.keys(from ?? {})) {
    // A dangling scheme counts as undefined: a bearer token with a warning, where an operation uses it.
    const scheme = orNothing(() => resolver.settle({ document: root, pointer: '', value: from![name] }))?.value;
    if (isObject(scheme)) schemes.set(name, scheme);
  }
  return schemes;
}

/** `basicAuth` where the document defines `BasicAuth`: names are exact, and people are not. */
function caseless(schemes: ReadonlyMap<string, Node>, name: string): Node | undefined {
  for (const [key, scheme] of schemes) if (key.toLowerCase() === name.toLowerCase()) return scheme;
  return undefined;
}

function guess(name: string): { readonly type: 'http'; readonly scheme: 'basic' | 'bearer' } {
  return { type: 'http', scheme: /basic/i.test(name) ? 'basic' : 'bearer' };
}

function isSet(credential: Credential): boolean {
  return secretsIn(credential).every((secret) => secret.value !== undefined);
}

/** A credential that operations wait for. */
interface Need {
  readonly credential: Credential;
  readonly destination: string;
  operations: number;
}

/** Counts operations none of whose alternatives can be used as things stand. */
function noteNeeds(needs: Map<string, Need>, sets: readonly (readonly Credential[])[], baseUrl: string): void {
  if (sets.length === 0 || sets.some((set) => set.every(isSet))) return;
  for (const credential of sets[0] ?? []) {
    if (isSet(credential)) continue;
    const key = secretsIn(credential)
      .map((secret) => secret.variable)
      .join(' ');
    const need = needs.get(key);
    if (need) need.operations++;
    else {
      needs.set(key, { credential, destination: destinationOf(credential, baseUrl), operations: 1 });
    }
  }
}

function toSentence({ credential, destination, operations }: Need): string {
  const variables = secretsIn(credential)
    .filter((secret) => secret.value === undefined)
    .map((secret) => secret.variable);
  const count = operations === 1 ? '1 operation needs it' : `${operations} operations need it`;
  return `Set ${variables.join(' and ')} in the environment: ${count} (${credential.name}, sent to ${destination}).`;
}

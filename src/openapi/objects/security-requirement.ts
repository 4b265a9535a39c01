// Security Requirement Objects → the alternatives of each operation. A credential is bound to the document's main origin;
// an operation that lives elsewhere gets its own variable, so that no key reaches another host unless somebody set it.
// https://spec.openapis.org/oas/v3.2.0.html#security-requirement-object
import { originOf } from '../../endpoint/address.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Credential } from '../../endpoint/model.ts';
import { destinationOf, secretsIn } from '../../endpoint/secrets.ts';
import { listAt, type Node, nodeAt, textsAt } from '../../endpoint/untrusted.ts';
import type { ImportOptions } from '../import-options.ts';
import { behindRef } from '../schema/schema-refs.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type OperatorHeader, satisfies } from '../source/fetch-headers.ts';
import { OperationProblem, type Resolver } from '../source/resolve.ts';
import { type ApiKeyPlace, apiKeyPlace, buildCredential, readSecrets } from './security-scheme.ts';
import { admitAddress } from './server.ts';

export interface Security {
  /** Alternatives for one operation. `extra`: schemes it needs beside its own requirements. */
  readonly forOperation: (operation: Node, pointer: string, baseUrl: string, extra: readonly string[]) => Alternatives;
  /** Places of API keys: parameters of the same name are credentials, not arguments. */
  readonly apiKeys: readonly ApiKeyPlace[];
  /** Sentences about unset variables, after all operations were read. */
  readonly missing: () => string[];
}

type Alternatives = readonly (readonly Credential[])[];

/** A credential that operations wait for. */
interface Need {
  readonly credential: Credential;
  readonly destination: string;
  operations: number;
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
  // `basicAuth` where the document defines `BasicAuth`: names are exact, and people are not. The first one counts.
  const caseless = new Map([...schemes].reverse().map(([name, scheme]) => [name.toLowerCase(), scheme]));
  const schemeOf = (name: string): Node | undefined => schemes.get(name) ?? caseless.get(name.toLowerCase());
  const guesses = new Set<string>();
  const guess = (name: string): Node => {
    const scheme = /basic/i.test(name) ? 'basic' : 'bearer';
    const problem = `${root.label}: the security scheme "${name}" is used but not defined; it is taken as HTTP ${scheme}`;
    if (!guesses.has(name)) warnings.push(problem);
    guesses.add(name);
    return { type: 'http', scheme };
  };

  const credentials = new Map<string, Credential>();
  const credentialFor = (name: string, scopes: readonly string[], origin: string | undefined, pointer: string) => {
    const foreignOrigin = origin === mainOrigin ? undefined : origin;
    const key = JSON.stringify([name, scopes, foreignOrigin]);
    const admit = (url: URL) => {
      const { problem, ...admission } = admitAddress(url, root);
      if (problem === undefined) return admission;
      throw new OperationProblem(pointer, `the token URL of "${name}", ${url.origin}, ${problem}`);
    };
    let credential = credentials.get(key);
    if (!credential) {
      const secrets = readSecrets(name, domain, foreignOrigin, options);
      credential = buildCredential(name, schemeOf(name) ?? guess(name), scopes, secrets, { mainUrl, admit });
      credentials.set(key, credential);
    }
    return credential;
  };

  const alternativeFor = (requirement: Node, origin: string | undefined, extra: readonly string[], pointer: string) => {
    const headers = origin === mainOrigin ? callerHeaders : [];
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
      set.push(credentialFor(name, scheme?.type === 'oauth2' ? textsAt(requirement, name) : [], origin, pointer));
    }
    return set;
  };

  const needs = new Map<string, Need>();
  /** Most operations share the requirements of the document, and a server. */
  const shared = new Map<readonly unknown[], Map<string, { sets: Alternatives; waitsFor: readonly Need[] }>>();

  return {
    apiKeys: [...schemes].flatMap(([scheme, node]) => apiKeyPlace(scheme, node)),
    forOperation: (operation, pointer, baseUrl, extra) => {
      const list = Array.isArray(operation.security) ? operation.security : listAt(root.value, 'security');
      const byUrl = shared.get(list) ?? new Map();
      shared.set(list, byUrl);
      let entry = extra.length === 0 ? byUrl.get(baseUrl) : undefined;
      if (!entry) {
        const origin = originOf(baseUrl);
        const sets = usable(list.filter(isObject), (one) => alternativeFor(one, origin, extra, pointer));
        entry = { sets, waitsFor: needsOf(sets, baseUrl, needs) };
        if (extra.length === 0) byUrl.set(baseUrl, entry);
      }
      for (const need of entry.waitsFor) need.operations++;
      return entry.sets;
    },
    missing: () => [...needs.values()].map(toSentence),
  };
}

/** One alternative that cannot work does not hurt the others. */
function usable(requirements: readonly Node[], read: (requirement: Node) => Credential[]): Alternatives {
  if (requirements.length === 0) return [read({})].filter((always) => always.length > 0);
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
  if (sets.length === 0) throw problem;
  return sets;
}

function readSchemes(document: SourceDocument, resolver: Resolver): Map<string, Node> {
  const { value, dialect } = document;
  const schemes = new Map<string, Node>();
  const owner = dialect.major === 2 ? value : nodeAt(value, 'components');
  const map = nodeAt(owner, dialect.major === 2 ? 'securityDefinitions' : 'securitySchemes') ?? {};
  for (const name of Object.keys(map)) {
    // A dangling scheme counts as undefined: a bearer token with a warning, where an operation uses it.
    const scheme = behindRef(document, map[name], resolver.followAll)?.node;
    if (scheme) schemes.set(name, scheme);
  }
  return schemes;
}

function unsetIn(credential: Credential): string[] {
  return secretsIn(credential).flatMap(({ value, variable }) => (value === undefined ? [variable] : []));
}

/** What an operation waits for when none of its alternatives can be used as things stand. */
function needsOf(sets: Alternatives, baseUrl: string, needs: Map<string, Need>): Need[] {
  if (sets.length === 0 || sets.some((set) => set.every((credential) => unsetIn(credential).length === 0))) return [];
  return sets[0]!
    .filter((credential) => unsetIn(credential).length > 0)
    .map((credential) => {
      const key = secretsIn(credential)
        .map((secret) => secret.variable)
        .join(' ');
      const need = needs.get(key) ?? { credential, destination: destinationOf(credential, baseUrl), operations: 0 };
      needs.set(key, need);
      return need;
    });
}

function toSentence({ credential, destination, operations }: Need): string {
  const count = operations === 1 ? '1 operation needs it' : `${operations} operations need it`;
  return `Set ${unsetIn(credential).join(' and ')} in the environment: ${count} (${credential.name}, sent to ${destination}).`;
}

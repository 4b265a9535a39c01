// Security schemes → named credentials filled from the environment. A credential is bound to the document's main origin;
// an operation that lives elsewhere gets its own variable, so that no key reaches another host unless somebody set it.
import type { Credential, Secret } from '../endpoint/model.ts';
import { toSnakeCase } from '../endpoint/names.ts';
import type { SourceDocument } from './documents.ts';
import { type GivenHeader, satisfies } from './headers.ts';
import { isNode, listAt, type Node, nodeAt, textAt, textsAt } from './node.ts';
import type { CredentialSource, ImportOptions } from './options.ts';
import type { Resolver } from './resolve.ts';
import { OperationProblem } from './scan.ts';

export interface ApiKeyPlace {
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie';
  readonly field: string;
}

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

type Flow = { readonly tokenUrl: string };

export function readSecurity(
  root: SourceDocument,
  domain: string,
  mainUrl: string,
  given: readonly GivenHeader[],
  options: ImportOptions,
  resolver: Resolver,
  warnings: string[],
): Security {
  const schemes = readSchemes(root, resolver);
  const mainOrigin = originOf(mainUrl);
  const interned = new Map<string, Credential>();
  const wanted = new Map<string, { credential: Credential; operations: number }>();
  const unknown = new Set<string>();
  const schemeOf = (name: string): Node | undefined => schemes.get(name) ?? caseless(schemes, name);

  const credentialFor = (name: string, scopes: readonly string[], origin: string): Credential => {
    const foreign = origin !== mainOrigin;
    const key = JSON.stringify([name, scopes, foreign ? origin : '']);
    let credential = interned.get(key);
    if (!credential) {
      const scheme = schemeOf(name);
      if (!scheme && !unknown.has(name)) {
        unknown.add(name);
        warnings.push(
          `${root.label}: the security scheme "${name}" is used but not defined; it is taken as HTTP ${guess(name).scheme}`,
        );
      }
      credential = buildCredential(
        name,
        scheme ?? guess(name),
        scopes,
        secretsOf(name, domain, foreign ? origin : undefined, options),
        mainUrl,
      );
      interned.set(key, credential);
    }
    return credential;
  };

  const alternativeFor = (
    requirement: Node,
    origin: string,
    extra: readonly string[],
    pointer: string,
  ): Credential[] => {
    const foreign = origin !== mainOrigin;
    const headers = foreign ? [] : given;
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
      set.push(credentialFor(name, scheme?.type === 'oauth2' ? scopes : [], origin));
    }
    return set;
  };

  return {
    apiKeys: [...schemes].flatMap(([scheme, node]) => apiKeyPlace(scheme, node)),
    forOperation: (operation, pointer, baseUrl, extra) => {
      const origin = originOf(baseUrl);
      const own = Array.isArray(operation.security) ? operation.security : listAt(root.value, 'security');
      const requirements = own.filter(isNode);
      if (requirements.length === 0) {
        const always = alternativeFor({}, origin, extra, pointer);
        if (always.length === 0) return [];
        note(wanted, [always]);
        return [always];
      }
      const { sets, problem } = usable(requirements, (requirement) =>
        alternativeFor(requirement, origin, extra, pointer),
      );
      if (sets.length === 0) throw problem;
      note(wanted, sets);
      return sets;
    },
    missing: () => missingSentences(wanted),
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
    try {
      const { value } = resolver.settle({ document: root, pointer: '', value: from![name] });
      if (isNode(value)) schemes.set(name, value);
    } catch {
      // A dangling scheme counts as undefined: a bearer token with a warning, where an operation uses it.
    }
  }
  return schemes;
}

/** `basicAuth` where the document defines `BasicAuth`: names are exact, and people are not. */
function caseless(schemes: ReadonlyMap<string, Node>, name: string): Node | undefined {
  for (const [known, scheme] of schemes) if (known.toLowerCase() === name.toLowerCase()) return scheme;
  return undefined;
}

function guess(name: string): { readonly type: 'http'; readonly scheme: 'basic' | 'bearer' } {
  return { type: 'http', scheme: /basic/i.test(name) ? 'basic' : 'bearer' };
}

function apiKeyPlace(scheme: string, node: Node): ApiKeyPlace[] {
  const place = node.in;
  const field = textAt(node, 'name');
  if (node.type !== 'apiKey' || field === undefined) return [];
  return place === 'header' || place === 'query' || place === 'cookie' ? [{ scheme, in: place, field }] : [];
}

type Secrets = (
  suffix: '' | 'USERNAME' | 'PASSWORD' | 'CLIENT_ID' | 'CLIENT_SECRET',
) => Secret & { readonly source: CredentialSource };

/** `<DOMAIN>_<SCHEME>[_<HOST>][_<SUFFIX>]`, unless the caller named a variable; a name the caller gave is for the main origin. */
function secretsOf(
  name: string,
  domain: string,
  foreignOrigin: string | undefined,
  { env, credentials }: ImportOptions,
): Secrets {
  const source: CredentialSource =
    foreignOrigin === undefined && credentials !== undefined && Object.hasOwn(credentials, name)
      ? credentials[name]!
      : {};
  const host = foreignOrigin === undefined ? '' : `_${toSnakeCase(new URL(foreignOrigin).host)}`;
  const base = `${domain}_${toSnakeCase(name) || 'credential'}${host}`.toUpperCase();
  const given = {
    '': source.env,
    USERNAME: source.usernameEnv,
    PASSWORD: source.passwordEnv,
    CLIENT_ID: source.clientIdEnv,
    CLIENT_SECRET: source.clientSecretEnv,
  };
  return (suffix) => {
    const variable = given[suffix] ?? (suffix === '' ? base : `${base}_${suffix}`);
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    return { variable, value: value === '' ? undefined : value, source };
  };
}

function buildCredential(
  name: string,
  scheme: Node,
  scopes: readonly string[],
  secrets: Secrets,
  baseUrl: string,
): Credential {
  const plain = (suffix: Parameters<Secrets>[0]): Secret => {
    const { variable, value } = secrets(suffix);
    return { variable, value };
  };
  const place = apiKeyPlace(name, scheme)[0];
  if (place) return { kind: 'apiKey', name, in: place.in, field: place.field, secret: plain('') };
  const kind = scheme.type === 'http' ? (textAt(scheme, 'scheme') ?? 'bearer').toLowerCase() : scheme.type;
  if (kind === 'basic') return { kind: 'basic', name, username: plain('USERNAME'), password: plain('PASSWORD') };
  if (kind === 'oauth2') {
    const { source } = secrets('');
    const flow = clientCredentials(scheme, source, baseUrl);
    // A token that is already there is used as it is, whatever the flow.
    if (flow && plain('').value === undefined) {
      return {
        kind: 'oauth2',
        name,
        tokenUrl: flow.tokenUrl,
        clientId: plain('CLIENT_ID'),
        clientSecret: plain('CLIENT_SECRET'),
        scopes: source.scopes ?? scopes,
      };
    }
    return { kind: 'bearer', name, secret: plain('') };
  }
  if (scheme.type === 'http' && kind !== 'bearer') {
    const prefix = `${textAt(scheme, 'scheme')} `;
    return { kind: 'apiKey', name, in: 'header', field: 'Authorization', secret: plain(''), prefix };
  }
  return { kind: 'bearer', name, secret: plain('') };
}

/** The client credentials flow (2.0: `application`), or a token URL the caller gave. */
function clientCredentials(scheme: Node, source: CredentialSource, baseUrl: string): Flow | undefined {
  const flow =
    nodeAt(nodeAt(scheme, 'flows'), 'clientCredentials') ?? (scheme.flow === 'application' ? scheme : undefined);
  const tokenUrl = source.tokenUrl ?? textAt(flow, 'tokenUrl');
  if (tokenUrl === undefined || !URL.canParse(tokenUrl, baseUrl === '' ? undefined : baseUrl)) return undefined;
  const url = new URL(tokenUrl, baseUrl === '' ? undefined : baseUrl);
  return url.protocol === 'https:' || url.protocol === 'http:' ? { tokenUrl: url.href } : undefined;
}

export function secretsIn(credential: Credential): readonly Secret[] {
  if (credential.kind === 'basic') return [credential.username, credential.password];
  return credential.kind === 'oauth2' ? [credential.clientId, credential.clientSecret] : [credential.secret];
}

function isSet(credential: Credential): boolean {
  return secretsIn(credential).every((secret) => secret.value !== undefined);
}

/** Counts operations none of whose alternatives can be used as things stand. */
function note(
  wanted: Map<string, { credential: Credential; operations: number }>,
  sets: readonly (readonly Credential[])[],
): void {
  if (sets.some((set) => set.every(isSet))) return;
  for (const credential of sets[0] ?? []) {
    if (isSet(credential)) continue;
    const key = secretsIn(credential)
      .map((secret) => secret.variable)
      .join(' ');
    const entry = wanted.get(key);
    if (entry) entry.operations++;
    else wanted.set(key, { credential, operations: 1 });
  }
}

function missingSentences(wanted: ReadonlyMap<string, { credential: Credential; operations: number }>): string[] {
  return [...wanted.values()].map(({ credential, operations }) => {
    const variables = secretsIn(credential)
      .filter((secret) => secret.value === undefined)
      .map((secret) => secret.variable);
    const count = operations === 1 ? '1 operation needs it' : `${operations} operations need it`;
    return `Set ${variables.join(' and ')} in the environment: ${count} (${credential.name}).`;
  });
}

function originOf(url: string): string {
  return url === '' ? '' : new URL(url).origin;
}

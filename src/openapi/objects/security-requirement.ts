// Reads Security Requirement Objects: the alternative sets of credentials of each operation. A credential is bound to the
// document's main origin. An operation on another origin has variables of its own, so no key is sent to another host unless the
// operator sets it.
// https://spec.openapis.org/oas/v3.2.0.html#security-requirement-object

import { headerOf } from '../../credentials/credential-places.ts';
import { isIssuedBy, isOnlyInDomainFiles, isSameScheme } from '../../credentials/document-schemes.ts';
import {
  alternativesOf,
  destinationOf,
  formatOf,
  isKeyParameter,
  secretsIn,
  unsetVariables,
} from '../../credentials/secrets.ts';
import { originOf } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, textAt, textsAt } from '../../endpoint/untrusted.ts';
import type { CredentialSource, ImportOptions } from '../import-options.ts';
import { behindRef } from '../schema/schema-refs.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type OperatorHeader, satisfies } from '../source/operator-headers.ts';
import { OperationProblem, type Resolver } from '../source/resolve.ts';
import type { KeyParameter } from '../undeclared-keys.ts';
import {
  type ApiKeyPlace,
  apiKeyPlace,
  credentialsForScheme,
  isSigned,
  parameterKind,
  readSecrets,
  toScheme,
} from './security-scheme.ts';
import { admitAddress } from './server.ts';

export interface SecuredOperation {
  readonly node: Node;
  readonly method: string;
  readonly path: string;
  readonly baseUrl: string;
  /** The pointer of its requirements. */
  readonly pointer: string;
}

/** Schemes that an operation declares as parameters, beside its requirements. */
export interface ExtraSchemes {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

type Alternatives = readonly (readonly Credential[])[];

/** Alternatives of which none has all its variables, and how many operations need them. */
interface MissingCredentials {
  readonly sets: Alternatives;
  readonly baseUrl: string;
  operations: number;
}

export interface SecurityContext {
  readonly root: SourceDocument;
  readonly domain: string;
  readonly mainUrl: string;
  readonly callerHeaders: readonly OperatorHeader[];
  readonly options: ImportOptions;
  readonly resolver: Resolver;
  readonly warnings: string[];
  readonly parameters: readonly KeyParameter[];
}

/** Alternatives that operations share, and what is missing for them. */
interface SharedAlternatives {
  readonly sets: Alternatives;
  readonly missing: MissingCredentials | undefined;
}

export class Security {
  /** Where API keys are sent: parameters of the same name are credentials, not arguments. */
  readonly apiKeys: readonly ApiKeyPlace[];
  readonly #context: SecurityContext;
  readonly #mainOrigin: string | undefined;
  readonly #schemes: ReadonlyMap<string, Node>;
  /**
   * Some documents define `BasicAuth` and refer to `basicAuth`, so names are also compared case-insensitively; the first match is used.
   */
  readonly #caseless: ReadonlyMap<string, Node>;
  readonly #guesses = new Set<string>();
  readonly #own: ReadonlyMap<string, Credential>;
  readonly #ways = new Map<string, readonly Credential[]>();
  readonly #missing = new Map<string, MissingCredentials>();
  /** Most operations share the requirements of the document, and a server. */
  readonly #shared = new Map<readonly unknown[], Map<string, SharedAlternatives>>();

  constructor(context: SecurityContext) {
    const schemes = readSchemes(context.root, context.resolver);
    addParameters(schemes, context.parameters);
    this.#context = context;
    this.#mainOrigin = originOf(context.mainUrl);
    this.#schemes = schemes;
    this.#caseless = new Map([...schemes].reverse().map(([name, scheme]) => [name.toLowerCase(), scheme]));
    this.#own = context.options.ownCredentials?.(context.mainUrl) ?? new Map();
    this.apiKeys = [...schemes].flatMap(([scheme, node]) => apiKeyPlace(scheme, node));
  }

  /** Whether an operation's requests are signed; then the parameters of the signature are not arguments. */
  isSigned(operation: Node): boolean {
    const names = this.#listFor(operation)
      .filter(isObject)
      .flatMap((one) => Object.keys(one));
    return names.some((name) => isSigned(this.#schemeOf(name) ?? {}));
  }

  /** Alternatives for one operation. */
  forOperation({ node, method, path, baseUrl, pointer }: SecuredOperation, extra: ExtraSchemes): Alternatives {
    const list = this.#listFor(node);
    const { required, optional } = extra;
    const byUrl = this.#shared.get(list) ?? new Map<string, SharedAlternatives>();
    this.#shared.set(list, byUrl);
    const isPlain = required.length + optional.length === 0;
    const key = isPlain ? baseUrl : JSON.stringify([baseUrl, required, optional]);
    let entry = byUrl.get(key);
    if (!entry) {
      // `security: []` of an operation is deliberate; a missing `security` may be an omission.
      const requirements = list.filter(isObject);
      const isOpen = list === node.security && requirements.length === 0;
      const sets = this.#alternatives(isOpen ? undefined : requirements, originOf(baseUrl), extra, pointer);
      entry = { sets, missing: missingIn(sets, baseUrl, this.#missing) };
      byUrl.set(key, entry);
    }
    const url = `${method} ${baseUrl}${path}`;
    // A login must not require the token that it issues.
    if (entry.sets.some((set) => set.some((one) => isIssuedBy(one, url))))
      return entry.sets.filter((set) => !set.some((one) => isIssuedBy(one, url)));
    if (entry.missing !== undefined) entry.missing.operations++;
    return entry.sets;
  }

  /** Sentences about unset variables; call it after all operations were read. */
  missing(): string[] {
    return [...this.#missing.values()].map(toSentence);
  }

  /** The requirements of an operation, or those of the document. */
  #listFor(operation: Node): readonly unknown[] {
    return Array.isArray(operation.security) ? operation.security : listAt(this.#context.root.value, 'security');
  }

  #schemeOf(name: string): Node | undefined {
    return this.#schemes.get(name) ?? this.#caseless.get(name.toLowerCase());
  }

  #guess(name: string): Node {
    const { root, warnings } = this.#context;
    const scheme = /basic/i.test(name) ? 'basic' : 'bearer';
    const problem = `${root.label}: the security scheme "${name}" is used but not defined; it is taken as HTTP ${scheme}`;
    if (!this.#guesses.has(name)) warnings.push(problem);
    this.#guesses.add(name);
    return { type: 'http', scheme };
  }

  /** `list` is undefined if no credential is required. */
  #alternatives(
    list: readonly Node[] | undefined,
    origin: string | undefined,
    { required, optional }: ExtraSchemes,
    pointer: string,
  ): Alternatives {
    const requirements = list === undefined ? [] : withSingle(list, this.#single(origin), this.#own);
    const read = (extra: readonly string[]) =>
      usable(requirements, (one) => this.#combine(one, origin, extra, pointer));
    const bare = read(required);
    if (optional.length === 0) return bare;
    // An optional key is sent if its variable is set; otherwise the call is made as if it were not declared.
    return [...read([...required, ...optional]), ...(bare.length === 0 ? [[]] : bare)];
  }

  /** The only credential of the domain file, as a requirement; {} if there is none, or a configured header replaces it. */
  #single(origin: string | undefined): Node {
    const { options, callerHeaders } = this.#context;
    const name = options.singleCredential;
    const own = name === undefined ? undefined : this.#own.get(name);
    if (name === undefined || origin !== this.#mainOrigin || (own === undefined && this.#schemeOf(name) === undefined))
      return {};
    const field = own === undefined ? undefined : headerOf(own)?.toLowerCase();
    return callerHeaders.some((header) => header.name === field) ? {} : { [name]: [] };
  }

  /** The ways to satisfy all schemes of one requirement at once. */
  #combine(requirement: Node, origin: string | undefined, extra: readonly string[], pointer: string): Credential[][] {
    const { callerHeaders, options } = this.#context;
    const headers = origin === this.#mainOrigin ? callerHeaders : [];
    let sets: Credential[][] = [headers.map((header) => header.credential)];
    // A token parameter beside a scheme that uses Authorization is redundant, usually left from an earlier version of the API.
    const usesAuthorization = Object.keys(requirement).some((name) => writesAuthorization(this.#schemeOf(name)));
    const beside = extra.filter((name) => !usesAuthorization || parameterKind(this.#schemeOf(name)) !== 'token');
    for (const name of new Set([...Object.keys(requirement), ...beside])) {
      const scheme = this.#schemeOf(name);
      if ((scheme || !this.#own.has(name)) && headers.some((header) => satisfies(header, scheme))) continue;
      if (scheme?.type === 'mutualTLS') {
        // Another base URL may be that of a proxy that presents a certificate.
        if (options.connection?.certificate !== undefined || options.baseUrl !== undefined) continue;
        throw new OperationProblem(
          pointer,
          `it needs a client certificate ("${name}" is mutualTLS): set tls.cert and tls.key in the domain file, or put a proxy that presents one in front of the API and use its address as the base URL`,
        );
      }
      const scopes = scheme?.type === 'oauth2' ? textsAt(requirement, name) : [];
      const ways = this.#credentialsFor(name, scopes, origin, pointer);
      sets = sets.flatMap((set) => ways.map((credential) => [...set, credential])).slice(0, MAX_ALTERNATIVES);
    }
    return sets;
  }

  /** Ways to satisfy one scheme. */
  #credentialsFor(
    name: string,
    scopes: readonly string[],
    origin: string | undefined,
    pointer: string,
  ): readonly Credential[] {
    const foreignOrigin = origin === this.#mainOrigin ? undefined : origin;
    const key = JSON.stringify([name, scopes, foreignOrigin]);
    let ways = this.#ways.get(key);
    if (!ways) {
      const { root, domain, mainUrl, options } = this.#context;
      const scheme = this.#schemeOf(name);
      // Parameters of one name are one key, in any location.
      const label = parameterKind(scheme) === undefined ? name : (textAt(scheme, 'name') ?? name);
      const secrets = readSecrets(label, domain, foreignOrigin, options);
      const signing = (source: CredentialSource) => signingOf(source, root.value, mainUrl, options);
      const admit = (url: URL, isNamed: boolean) => {
        const { problem = isNamed ? foreignTo(root, url, name) : undefined, ...admission } = admitAddress(url, root);
        if (problem === undefined) return admission;
        throw new OperationProblem(pointer, `the token URL of "${name}", ${url.origin}, ${problem}`);
      };
      const own = foreignOrigin === undefined ? this.#own.get(name) : undefined;
      const build = () =>
        credentialsForScheme(name, scheme ?? this.#guess(name), scopes, secrets, { mainUrl, admit, signing });
      ways = own && (isOnlyInDomainFiles(own) || !scheme) ? [own] : build();
      if (own && !ways.some((one) => isSameScheme(one, own))) ways = [own];
      this.#ways.set(key, ways);
    }
    return ways;
  }
}

/**
 * Why the operator's variables are not sent to an address that a fetched document chose: the document's server could change it at
 * any time.
 */
function foreignTo({ uri }: SourceDocument, url: URL, name: string): string | undefined {
  if (!uri.startsWith('http') || new URL(uri).origin === url.origin) return undefined;
  const address = (url.origin + url.pathname).slice(0, 300);
  return `is on neither the API’s host nor ${new URL(uri).host}, where the document came from, so your variables are not sent there; if the address is right, add credentials: { ${JSON.stringify(name)}: { tokenUrl: ${address} } } to the domain file`;
}

/** Limit for alternatives: those of several schemes multiply. */
const MAX_ALTERNATIVES = 12;

/**
 * Operations that declare no security get the single credential; the others get it as a further alternative, if it is the
 * operator's own.
 */
function withSingle(
  requirements: readonly Node[],
  single: Node,
  ownCredentials: ReadonlyMap<string, Credential>,
): readonly Node[] {
  const [name] = Object.keys(single);
  if (name === undefined) return requirements;
  if (requirements.length === 0) return [single];
  const isFurther = ownCredentials.has(name) && !requirements.some((requirement) => Object.hasOwn(requirement, name));
  return isFurther ? [single, ...requirements] : requirements;
}

/** An alternative that cannot work is left out; if none can work, throws the problem of the last one. */
function usable(requirements: readonly Node[], read: (requirement: Node) => Credential[][]): Alternatives {
  if (requirements.length === 0) return read({}).filter((always) => always.length > 0);
  const sets: Credential[][] = [];
  let problem: unknown;
  for (const requirement of requirements) {
    try {
      sets.push(...read(requirement));
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
    // An undefined scheme is treated as a bearer token, with a warning, if an operation uses it.
    const scheme = behindRef(document, map[name], resolver.followAll)?.node;
    if (scheme) schemes.set(name, scheme);
  }
  return schemes;
}

/** Adds parameters that are credentials as schemes, unless a scheme already has that name and location. */
function addParameters(schemes: Map<string, Node>, parameters: readonly KeyParameter[]): void {
  const places = [...schemes].flatMap(([scheme, node]) => apiKeyPlace(scheme, node));
  for (const parameter of parameters) {
    const { in: where, name } = parameter;
    if (places.some((place) => place.in === where && place.field.toLowerCase() === name.toLowerCase())) continue;
    const label = schemes.has(name) ? `${name} (${where})` : name;
    schemes.set(label, toScheme(parameter));
  }
}

function writesAuthorization(scheme: Node | undefined): boolean {
  if (scheme?.type !== 'apiKey') return scheme?.type !== 'mutualTLS';
  return scheme.in === 'header' && /^authorization$/i.test(textAt(scheme, 'name') ?? '');
}

/**
 * Region and service that requests to AWS are signed for: from the operator, the document, or the host
 * (`dynamodb.eu-west-1.amazonaws.com`).
 */
function signingOf({ region, service }: CredentialSource, root: unknown, mainUrl: string, options: ImportOptions) {
  const info = nodeAt(root, 'info');
  const host = URL.canParse(mainUrl) ? new URL(mainUrl).hostname : '';
  const [, before = '', place] = /^(.*?)(?:\.([a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com(?:\.cn)?$/.exec(host) ?? [];
  const variable = nodeAt(nodeAt(listAt(root, 'servers')[0], 'variables'), 'region');
  // `s3.dualstack`, `dynamodb-fips`; a custom host name is served by API Gateway.
  const label = before.split('.').findLast((part) => !/^(?:dualstack|fips)?$/.test(part));
  return {
    region: region ?? options.serverVariables?.region ?? place ?? textAt(variable, 'default') ?? 'us-east-1',
    service:
      service ??
      textAt(info, 'x-aws-signingName') ??
      textAt(info, 'x-serviceName') ??
      label?.replace(/-fips$/, '') ??
      'execute-api',
  };
}

/** The entry for these alternatives if none of them has all its variables. */
function missingIn(
  all: Alternatives,
  baseUrl: string,
  entries: Map<string, MissingCredentials>,
): MissingCredentials | undefined {
  const sets = alternativesOf(all);
  if (sets.length === 0 || sets.some((set) => set.every((credential) => unsetVariables(credential).length === 0)))
    return undefined;
  const variables = sets.map((set) => set.flatMap((credential) => secretsIn(credential).map((one) => one.variable)));
  // Alternatives that only differ in scopes need the same variables.
  const key = JSON.stringify([...new Set(variables.map((names) => names.join()))]);
  const entry = entries.get(key) ?? { sets, baseUrl, operations: 0 };
  entries.set(key, entry);
  return entry;
}

/** Names every alternative, and how it is sent. */
function toSentence({ sets, baseUrl, operations }: MissingCredentials): string {
  const byVariables = new Map<string, { readonly set: readonly Credential[]; readonly unset: readonly string[] }>();
  for (const set of sets) {
    const unset = [...new Set(set.flatMap(unsetVariables))];
    byVariables.set(unset.join(' and '), { set, unset });
  }
  const alternatives = [...byVariables].map(([variables, { set, unset }]) => ({
    variables,
    unset,
    form: set.filter(isWaiting).map(describe).join(' and '),
  }));
  const destinations = [...new Set(sets.flat().map((credential) => destinationOf(credential, baseUrl)))].join(' and ');
  const count = operations === 1 ? '1 operation needs' : `${operations} operations need`;
  const [first] = alternatives;
  if (alternatives.length === 1 && first)
    return `Set ${first.variables} in the environment: ${count} ${first.unset.length === 1 ? 'it' : 'them'} (${first.form}; sent to ${destinations}).`;
  const choices = alternatives.map(({ variables, form }) => `${variables} (${form})`).join('; or ');
  return `Set one of these in the environment, because ${count} it to call ${destinations}: ${choices}.`;
}

function isWaiting(credential: Credential): boolean {
  return unsetVariables(credential).length > 0;
}

function describe(credential: Credential): string {
  return `${isKeyParameter(credential) ? 'the parameter ' : ''}${credential.name}, as ${formatOf(credential)}`;
}

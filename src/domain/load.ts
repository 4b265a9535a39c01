// Loads all domains of a gateway from paths: folders of domain files, single domain files, OpenAPI documents. Adding a file adds a
// domain, deleting it removes the domain, and a broken file stops the start with an error message.

import { wordSecrets } from '../credentials/secrets.ts';
import { homeOrigin } from '../endpoint/address.ts';
import type { Environment } from '../endpoint/environment.ts';
import { splitHeaderLine } from '../endpoint/headers/header-fields.ts';
import type { Domain } from '../endpoint/model.ts';
import { MAX_DOMAIN_NAME } from '../endpoint/names.ts';
import { omitUndefined } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';
import { findFiles, type SourceFile } from './files/domain-files.ts';
import type { Library } from './files/load-module.ts';
import { type Mistake, MistakesError } from './files/mistakes.ts';

/** What loadDomains() loads, and how. */
export interface LoadOptions {
  /** Folders, domain files, OpenAPI documents (files, URLs, `-` for stdin), in any mix. */
  readonly paths: readonly string[];
  readonly env: Environment;
  /** Replaces the base URL of everything loaded. */
  readonly baseUrl?: string;
  /** `Name: value`, sent with every request to the first API's origin; `${VARIABLE}` is filled in. */
  readonly headers?: readonly string[];
  /** Returns the URL of an API inside this process, which it starts if needed. Called once per name. */
  readonly embedded?: (name: string) => string | Promise<string>;
  /** What module files import from 'landbridge'; default: defineDomain and z. */
  readonly library?: Library;
  /** A folder `$ref`s of documents may reach besides the document's own. */
  readonly refsRoot?: string;
  readonly onProgress?: (text: string) => void;
  readonly stdin?: NodeJS.ReadableStream;
}

/** State shared between the files of one load. */
interface LoadState {
  readonly options: LoadOptions;
  /** URLs of embedded APIs by name. */
  readonly running: Map<string, string>;
  /** A `--header` is a secret of one API: it is sent to the origin of the first one only. */
  headerOrigin: string | undefined;
}

/**
 * Loads all domains at `paths`, in order.
 *
 * ```ts
 * const domains = await loadDomains({ paths: ['domains'], env: process.env });
 * const loaded = createGateway({ domains });
 * await loaded.close();
 * ```
 */
export async function loadDomains(options: LoadOptions): Promise<Domain[]> {
  const sources = await findFiles(options.paths);
  if (sources.length === 0) {
    const message = 'Nothing to serve: name a domain file, an OpenAPI document or a folder of them.';
    throw new GatewayError('BAD_DOMAIN', message);
  }
  const state: LoadState = { options, running: new Map(), headerOrigin: undefined };
  const domains: Domain[] = [];
  const mistakes: Mistake[] = [];
  for (const source of sources) {
    try {
      const domain = await loadWithUniqueName(domains, source, state);
      state.headerOrigin ??= homeOrigin(domain.endpoints);
      const duplicate = domains.find((other) => other.name === domain.name);
      if (duplicate === undefined) domains.push(withWordWarning(withHeaderWarning(domain, state)));
      else {
        const message = `"${domain.name}" is also the name of the domain in ${duplicate.source}; choose another name for one of them`;
        mistakes.push({ file: domain.source, field: 'name', message });
      }
    } catch (error) {
      if (!(error instanceof MistakesError)) throw error;
      mistakes.push(...error.mistakes);
      // The remaining files are only checked for mistakes now: the header was meant for this one, and must not go to them.
      state.headerOrigin ??= NO_ORIGIN;
    }
  }
  if (mistakes.length > 0) throw new MistakesError('BAD_DOMAIN', mistakes);
  return domains;
}

/** No URL has this origin. */
const NO_ORIGIN = 'null';

/** Two documents may have the same title (two versions of an API): the later one gets a number. Files choose their own names. */
async function loadWithUniqueName(domains: readonly Domain[], source: SourceFile, state: LoadState): Promise<Domain> {
  const domain = await loadOne(source, state);
  const names = new Set(domains.map(({ name }) => name));
  if (source.kind !== 'document' || source.file === '-' || !names.has(domain.name)) return domain;
  let number = 2;
  const nextName = () => `${domain.name.slice(0, MAX_DOMAIN_NAME - 3)}_${number}`;
  while (names.has(nextName())) number++;
  return loadOne(source, state, nextName());
}

function withHeaderWarning(domain: Domain, { options: { headers = [] }, headerOrigin }: LoadState): Domain {
  if (headers.length === 0) return domain;
  const home = homeOrigin(domain.endpoints);
  if (home === undefined || home === headerOrigin) return domain;
  const names = headers.map((line) => splitHeaderLine(line).name).join(', ');
  const warning = `The header ${names} is sent to ${headerOrigin} only, not to ${home}; declare credentials for that origin in a domain file.`;
  return Object.freeze({ ...domain, warnings: [...domain.warnings, warning] });
}

/** Secrets are removed from every text, so one that is an ordinary word makes messages and tool names hard to read. */
function withWordWarning(domain: Domain): Domain {
  const warnings = wordSecrets(domain.endpoints).map(
    (variable) =>
      `The secret in ${variable} looks like an ordinary word. It is replaced by [redacted] wherever the word occurs, also in tool names and messages; choose a longer secret with digits.`,
  );
  return warnings.length === 0 ? domain : Object.freeze({ ...domain, warnings: [...domain.warnings, ...warnings] });
}

async function loadOne(source: SourceFile, state: LoadState, name?: string): Promise<Domain> {
  const { options, running, headerOrigin } = state;
  const { env, headers, embedded, library } = options;
  const settings = omitUndefined({
    baseUrl: options.baseUrl,
    refsRoot: options.refsRoot,
    onProgress: options.onProgress,
    headers: headerOrigin === undefined ? headers : undefined,
    headersFor: headerOrigin === undefined ? undefined : headers && { origin: headerOrigin, lines: headers },
  });
  if (source.kind === 'document') {
    const { importDocument } = await import('../openapi/import-document.ts');
    return importDocument(source.file, { env, ...settings, ...omitUndefined({ stdin: options.stdin, name }) });
  }
  // Loaded on demand: a start with documents alone needs some 15 ms less CPU time without the code for domain files.
  const { loadDomainFile } = await import('./load-domain-file.ts');
  return loadDomainFile(source, { env, ...settings }, { ...omitUndefined({ embedded, library }), running });
}

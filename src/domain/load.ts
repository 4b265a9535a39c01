// Everything the gateway serves, from paths: folders of domain files, single domain files, OpenAPI documents.
// Adding a file adds a domain; deleting it removes it; a broken one stops the start with a sentence about it.

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

export interface LoadOptions {
  /** Folders, domain files, OpenAPI documents (files, URLs, `-` for stdin), in any mix. */
  readonly paths: readonly string[];
  readonly env: Environment;
  /** Replaces the base URL of everything loaded. */
  readonly baseUrl?: string;
  /** `Name: value`, sent with every request to the first API's origin; `${VARIABLE}` is filled in. */
  readonly headers?: readonly string[];
  /** Starts (or knows) an API inside this process, and gives its URL. Asked once per name, and only when needed. */
  readonly embedded?: (name: string) => string | Promise<string>;
  /** What `import … from 'landbridge'` gives in module files; default: defineDomain and z. */
  readonly library?: Library;
  /** A folder `$ref`s of documents may reach besides the document's own. */
  readonly refsRoot?: string;
  readonly onProgress?: (text: string) => void;
  readonly stdin?: NodeJS.ReadableStream;
}

/** State shared between the files of one load. */
interface Loading {
  readonly options: LoadOptions;
  /** URLs of embedded APIs by name. */
  readonly running: Map<string, string>;
  /** A `--header` is a secret of one API: only the origin of the first one gets it. */
  headerOrigin: string | undefined;
}

/** Loads every domain there is at `paths`, in order. */
export async function loadDomains(options: LoadOptions): Promise<Domain[]> {
  const sources = await findFiles(options.paths);
  if (sources.length === 0) {
    const message = 'Nothing to serve: name a domain file, an OpenAPI document or a folder of them.';
    throw new GatewayError('BAD_DOMAIN', message);
  }
  const loading: Loading = { options, running: new Map(), headerOrigin: undefined };
  const domains: Domain[] = [];
  const mistakes: Mistake[] = [];
  for (const source of sources) {
    try {
      const domain = await loadBeside(domains, source, loading);
      loading.headerOrigin ??= homeOrigin(domain.endpoints);
      const twin = domains.find((other) => other.name === domain.name);
      if (twin === undefined) domains.push(withHeaderWarning(domain, loading));
      else {
        const message = `"${domain.name}" is also the name of the domain in ${twin.source}; choose another name for one of them`;
        mistakes.push({ file: domain.source, field: 'name', message });
      }
    } catch (error) {
      if (!(error instanceof MistakesError)) throw error;
      mistakes.push(...error.mistakes);
      // The remaining files are only checked for mistakes now: the header was meant for this one, and must not go to them.
      loading.headerOrigin ??= NO_ORIGIN;
    }
  }
  if (mistakes.length > 0) throw new MistakesError('BAD_DOMAIN', mistakes);
  return domains;
}

/** No URL has this origin. */
const NO_ORIGIN = 'null';

/** Two documents may bear one title (two versions of an API): the later one gets a number. Files choose their own names. */
async function loadBeside(domains: readonly Domain[], source: SourceFile, loading: Loading): Promise<Domain> {
  const domain = await loadOne(source, loading);
  const names = new Set(domains.map(({ name }) => name));
  if (source.kind !== 'document' || source.file === '-' || !names.has(domain.name)) return domain;
  let number = 2;
  const nextName = () => `${domain.name.slice(0, MAX_DOMAIN_NAME - 3)}_${number}`;
  while (names.has(nextName())) number++;
  return loadOne(source, loading, nextName());
}

function withHeaderWarning(domain: Domain, { options: { headers = [] }, headerOrigin }: Loading): Domain {
  if (headers.length === 0) return domain;
  const home = homeOrigin(domain.endpoints);
  if (home === undefined || home === headerOrigin) return domain;
  const names = headers.map((line) => splitHeaderLine(line).name).join(', ');
  const warning = `The header ${names} is sent to ${headerOrigin} only, not to ${home}; declare credentials for that origin in a domain file.`;
  return Object.freeze({ ...domain, warnings: [...domain.warnings, warning] });
}

async function loadOne(source: SourceFile, loading: Loading, name?: string): Promise<Domain> {
  const { options, running, headerOrigin } = loading;
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
  // A start with documents alone never loads what checks and builds domain files: some 15 ms of processor time less.
  const { loadDomainFile } = await import('./load-domain-file.ts');
  return loadDomainFile(source, { env, ...settings }, { ...omitUndefined({ embedded, library }), running });
}

// doctor --fix: writes the repairs of findings into domain files. A file that would no longer load is not written; one that is
// written is replaced as a whole.

import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Config } from '../../config/read-config.ts';
import type { Finding } from '../../doctor/finding.ts';
import { renderEntries, withEntries, type YamlEntry } from '../../domain/edit-yaml.ts';
import { findFiles, type SourceFile } from '../../domain/files/domain-files.ts';
import { isWebAddress } from '../../endpoint/address.ts';
import type { Domain } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import { tryLoading } from '../try-loading.ts';

export interface FilePlan {
  readonly domain: string;
  /** The domain file for the repairs; undefined if there is none. */
  readonly file?: string;
  readonly before: string;
  readonly after: string;
  /** What has to be written by hand, and why. */
  readonly byHand: readonly string[];
  readonly why: string;
  /** The document that this file replaces on the command line. */
  readonly instead?: string;
}

export async function planRepairs(
  domains: readonly Domain[],
  findings: readonly Finding[],
  config: Config,
): Promise<FilePlan[]> {
  const entries = new Map<string, YamlEntry[]>();
  for (const repair of findings.flatMap(({ repairs = [], isChoice }) => (isChoice ? [] : repairs))) {
    const own = entries.get(repair.domain);
    if (own) own.push(repair);
    else entries.set(repair.domain, [repair]);
  }
  const plans: FilePlan[] = [];
  for (const domain of domains) {
    const own = entries.get(domain.name);
    if (own !== undefined) plans.push(await planFile(domain, own, config));
  }
  return plans;
}

async function planFile(domain: Domain, entries: readonly YamlEntry[], config: Config): Promise<FilePlan> {
  const { name, source } = domain;
  const leave = (why: string): FilePlan => ({
    domain: name,
    before: '',
    after: '',
    byHand: renderEntries(entries),
    why,
  });
  const [file] = await findFiles([source]);
  if (file?.kind === 'module')
    return leave(`${source} is code, which --fix does not edit; make these changes there by hand`);
  if (file?.kind === 'data') return planEdit(name, source, file.text ?? '', entries);
  if (source === '-') return leave('the document came from standard input; write these lines into a domain file');
  const isUrl = isWebAddress(source);
  const path = config.paths.find((one) => (isUrl ? one.startsWith(source) : one === source));
  if (path === undefined)
    return leave(`a domain file beside ${source} would serve the same API a second time; import the document first`);
  const target = join(isUrl ? '.' : dirname(source), `${name}.domain.yaml`);
  const existing = await findFiles([target]).catch((): SourceFile[] => []);
  const [other] = existing;
  const text = other?.text ?? renderSkeleton(domain, isUrl ? path : `./${basename(source)}`, target, config);
  const plan = planEdit(name, target, text, entries);
  return { ...plan, before: other?.text ?? '', instead: path };
}

function planEdit(domain: string, file: string, before: string, entries: readonly YamlEntry[]): FilePlan {
  const { text: after, refused, wrongLines = [] } = withEntries(before, file, entries);
  const why =
    wrongLines.length > 0
      ? `these lines cannot be added to ${file} as it is written; they would change ${wrongLines.join('; ')}`
      : refused.length > 0
        ? `${file} has other values, and --fix does not overwrite what you wrote`
        : '';
  return { domain, file, before, after, byHand: renderEntries(refused), why };
}

/** A domain file that serves what the document alone does. */
function renderSkeleton({ name, endpoints }: Domain, openapi: string, target: string, config: Config): string {
  const [first] = endpoints;
  const prefix = first === undefined ? '' : first.toolName.slice(0, -first.action.length).replace(/_$/, '');
  const { baseUrl, refsRoot } = config;
  const lines = [
    `# Repairs of ${openapi}, by landbridge doctor --fix. Serve this file instead of the document.`,
    `name: ${name}`,
    `openapi: ${JSON.stringify(openapi)}`,
    `prefix: ${JSON.stringify(prefix)}`,
    ...(baseUrl === undefined ? [] : [`baseUrl: ${JSON.stringify(baseUrl)}`]),
    ...(refsRoot === undefined
      ? []
      : [`refsRoot: ${JSON.stringify(relative(dirname(resolve(target)), resolve(refsRoot)))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Writes one file. A draft beside it is loaded first: if the gateway would not load it, throws BAD_DOMAIN and leaves the file as
 * it was.
 */
export async function writePlan({ file, before, after }: FilePlan, config: Config): Promise<void> {
  if (file === undefined || before === after) return;
  const target = await realpath(file).catch(() => resolve(file));
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.draft.yaml`);
  const { mode } = await stat(target).catch(() => ({ mode: 0o644 }));
  try {
    await writeFile(draft, after, { mode, flag: 'wx' });
    await tryLoading(draft, config);
    if (before !== '' && (await readFile(target, 'utf8')) !== before)
      throw new GatewayError('BAD_DOMAIN', `${file} was changed while doctor was running; run doctor again.`, { file });
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

// Reads one domain file, in any of its languages, and checks it. An author sees all mistakes of a file at once, so parts with mistakes
// are taken out and the rest is checked as well.
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isObject } from '../../endpoint/is-object.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { setOwn } from '../../schema/keywords.ts';
import { DefinitionError } from '../definition/build-domain.ts';
import { isDefined } from '../definition/define-domain.ts';
import { checkDefinition } from '../definition/definition-schema.ts';
import type { DomainDefinition, ResourceDefinition } from '../definition/definition-types.ts';
import { describeFileError, type SourceFile } from './domain-files.ts';
import { importModule, type Library } from './load-module.ts';
import { MistakesError, type PositionOf, toMistakes } from './mistakes.ts';
import { findPositions } from './module-positions.ts';
import { parseYaml } from './parse-yaml.ts';

export interface DomainFile {
  readonly definition: DomainDefinition;
  readonly file: string;
  readonly kind: 'module' | 'yaml';
  readonly positionOf?: PositionOf;
}

const MAX_RESOURCE_BYTES = 1024 * 1024;

/** Reads and checks one domain file and passes it to `build`; mistakes of both are thrown with file and line. */
export async function readDomainFile<Result>(
  source: SourceFile,
  build: (file: DomainFile) => Promise<Result> | Result,
  library?: Library,
): Promise<Result> {
  const { file } = source;
  const isModule = source.kind === 'module';
  const reading = isModule ? undefined : parseYaml(source.text ?? '', file);
  const about = { file, kind: isModule ? 'module' : 'yaml', ...reading } as const;
  const buildComplete = async (definition: DomainDefinition) =>
    build({ ...about, definition: { ...definition, ...(await readResources(definition, file)) } });
  try {
    return await buildComplete(
      check(reading === undefined ? await importModule(resolve(file), file, library) : reading.value),
    );
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const problems = [...error.problems, ...(await listFurtherProblems(error, buildComplete))];
    const positionOf = reading?.positionOf ?? findPositions(await readFile(resolve(file), 'utf8').catch(() => ''));
    throw new MistakesError('BAD_DOMAIN', toMistakes(file, problems, positionOf), error);
  }
}

/** Builds the parts of the file that have the right shape, to report their mistakes as well. */
async function listFurtherProblems(
  { value, problems }: DefinitionError,
  buildComplete: (definition: DomainDefinition) => unknown,
): Promise<Problem[]> {
  const rest = withoutMistakes(value, problems);
  const result = rest === undefined ? undefined : checkDefinition(rest);
  if (result === undefined || 'problems' in result) return [];
  try {
    await buildComplete(result.definition);
    return [];
  } catch (error) {
    return error instanceof DefinitionError ? error.problems.filter(isIndependent) : [];
  }
}

function check(value: unknown): DomainDefinition {
  if (isDefined(value)) return value;
  const message = notADomain(value);
  if (message !== undefined) throw new DefinitionError('', [{ path: [], message }]);
  const result = checkDefinition(value);
  if ('problems' in result) throw new DefinitionError('', result.problems, value);
  return result.definition;
}

function notADomain(value: unknown): string | undefined {
  const needs = 'an object with name, baseUrl and endpoints (or openapi)';
  if (value === null || value === undefined) return `is empty; a domain is ${needs}`;
  if (typeof value === 'function') return `is a function, not a domain; call it, so that the export is ${needs}`;
  if (!isObject(value)) return `is not a domain: it must be ${needs}`;
  if ('paths' in value && !('name' in value))
    return 'looks like an OpenAPI document without a version; add `openapi: 3.1.0` (or `swagger: "2.0"`) at the top';
  if ('overlay' in value && 'actions' in value)
    return 'is an Overlay; name it under overlays in the domain file of its document';
  if (!['name', 'baseUrl', 'endpoints', 'openapi'].some((field) => field in value))
    return `is neither an OpenAPI document nor a domain: a document has a version under openapi or swagger, a domain is ${needs}`;
  return undefined;
}

async function readResources(definition: DomainDefinition, file: string): Promise<Pick<DomainDefinition, 'resources'>> {
  if (definition.resources === undefined) return {};
  const folder = dirname(resolve(file));
  const resources: Record<string, ResourceDefinition> = {};
  const problems: Problem[] = [];
  for (const [uri, resource] of Object.entries(definition.resources)) {
    if (resource.file === undefined) {
      resources[uri] = resource;
      continue;
    }
    const reading = await readBeside(resource, folder);
    if ('problem' in reading) problems.push({ path: ['resources', uri, 'file'], message: reading.problem });
    else resources[uri] = reading.resource;
  }
  if (problems.length > 0) throw new DefinitionError('', problems);
  return { resources };
}

async function readBeside(
  { file = '', ...resource }: ResourceDefinition,
  folder: string,
): Promise<{ resource: ResourceDefinition } | { problem: string }> {
  if (resource.text !== undefined) return { problem: 'give text or file, not both' };
  const path = resolve(folder, file);
  const outside = { problem: 'must be in the folder of the domain file' };
  if (!isInside(path, folder)) return outside;
  try {
    // A symbolic link in the folder may lead out of it.
    if (!isInside(await realpath(path), await realpath(folder))) return outside;
    if ((await stat(path)).size > MAX_RESOURCE_BYTES) return { problem: `is larger than ${MAX_RESOURCE_BYTES} bytes` };
    return { resource: { ...resource, text: await readFile(path, 'utf8') } };
  } catch (error) {
    return { problem: `${file}: ${describeFileError(error as NodeJS.ErrnoException)}` };
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

/** Fields whose entries are independent of each other. */
const ENTRIES = new Set(['endpoints', 'operations', 'prompts', 'resources']);
/** Fields of an endpoint that cannot be left out while checking the rest: without them it would be another request. */
const ESSENTIAL = new Set([
  'method',
  'path',
  'args',
  'inputSchema',
  'place',
  'fixed',
  'body',
  'summary',
  'name',
  'baseUrl',
]);
/** If one of these is wrong, the rest of the file cannot be checked. */
const REQUIRED_FOR_REST = new Set([
  'name',
  'baseUrl',
  'prefix',
  'endpoints',
  'openapi',
  'overlays',
  'refsRoot',
  'server',
  'serverVariables',
  'include',
  'exclude',
  'operations',
]);

/** A copy without the parts that have problems; undefined if the rest makes no sense without them. */
function withoutMistakes(value: unknown, problems: readonly Problem[]): unknown {
  if (!isObject(value)) return undefined;
  const removals = problems.map(({ path }) => pathToRemove(path));
  if (removals.some((path) => path === undefined)) return undefined;
  return removals.reduce<unknown>((rest, path) => withoutKey(rest, path!), value);
}

/** Whether a problem is real, and not just a consequence of the parts that were taken out. */
function isIndependent({ path }: Problem): boolean {
  return path.length > 0 && path[0] !== 'pinned' && !path.includes('security') && !path.includes('credentials');
}

function pathToRemove(path: Problem['path']): Problem['path'] | undefined {
  const [key, entry, field] = path;
  if (key === undefined) return undefined;
  if (!ENTRIES.has(String(key))) return REQUIRED_FOR_REST.has(String(key)) ? undefined : [key];
  if (entry === undefined) return undefined;
  if (key === 'prompts' || key === 'resources') return [key, entry];
  return field === undefined || ESSENTIAL.has(String(field)) ? [key, entry] : [key, entry, field];
}

function withoutKey(value: unknown, [key, ...rest]: Problem['path']): unknown {
  if (!isObject(value) || key === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name !== String(key)) setOwn(copy, name, inner);
    else if (rest.length > 0) setOwn(copy, name, withoutKey(inner, rest));
  }
  return copy;
}

// One domain file as a checked definition, whatever language it is written in.
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isObject } from '../endpoint/is-object.ts';
import type { Problem } from '../endpoint/problems.ts';
import { GatewayError } from '../errors.ts';
import { DefinitionError, formatProblems } from './definition/build-domain.ts';
import { isDefined } from './definition/define-domain.ts';
import { checkDefinition } from './definition/definition-schema.ts';
import type { DomainDefinition, ResourceDefinition } from './definition/definition-types.ts';
import { reason, type SourceFile } from './domain-files.ts';
import { parseYaml, type ReadYaml } from './domain-yaml.ts';
import { importModule, type Library } from './load-module.ts';

export interface DomainFile {
  readonly definition: DomainDefinition;
  readonly file: string;
  readonly kind: 'module' | 'yaml';
  readonly lineOf?: ReadYaml['lineOf'];
}

const MAX_RESOURCE_BYTES = 1024 * 1024;

/** Reads and checks one domain file; its `file:` resources are read as well. */
export async function readDomainFile(source: SourceFile, library?: Library): Promise<DomainFile> {
  const { file } = source;
  const read = source.kind === 'module' ? undefined : parseYaml(source.text ?? '', file);
  const value = read === undefined ? await importModule(resolve(file), file, library) : read.value;
  const shape: DomainFile = {
    definition: value as DomainDefinition,
    file,
    kind: read === undefined ? 'module' : 'yaml',
    ...(read === undefined ? {} : { lineOf: read.lineOf }),
  };
  return withPlaces(shape, async () => {
    const definition = isDefined(value) ? value : check(value);
    return { ...shape, definition: { ...definition, ...(await readResources(definition, file)) } };
  });
}

/** Runs something that may find problems in a definition, and says file and line of each. */
export async function withPlaces<T>(source: DomainFile, run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const line = (problem: Problem) => source.lineOf?.(problem.path);
    const message = formatProblems(source.file, error.problems, line);
    throw new GatewayError('BAD_DOMAIN', message, { file: source.file }, error);
  }
}

function check(value: unknown): DomainDefinition {
  const message = notADomain(value);
  if (message !== undefined) throw new DefinitionError('', [{ path: [], message }]);
  const checked = checkDefinition(value);
  if ('problems' in checked) throw new DefinitionError('', checked.problems);
  return checked.definition;
}

function notADomain(value: unknown): string | undefined {
  if (!isObject(value)) return 'is not a domain: it must be an object with name, baseUrl and endpoints (or openapi)';
  if ('paths' in value && !('name' in value))
    return 'looks like an OpenAPI document without its version; add `openapi: 3.1.0` (or `swagger: "2.0"`) at the top';
  if ('overlay' in value && 'actions' in value)
    return 'is an Overlay; name it under overlays in the domain file of its document';
  return undefined;
}

async function readResources(definition: DomainDefinition, file: string): Promise<Pick<DomainDefinition, 'resources'>> {
  if (definition.resources === undefined) return {};
  const folder = dirname(resolve(file));
  const resources: Record<string, ResourceDefinition> = {};
  for (const [uri, resource] of Object.entries(definition.resources)) {
    if (resource.file === undefined) {
      resources[uri] = resource;
      continue;
    }
    const fail = (message: string) => new DefinitionError('', [{ path: ['resources', uri, 'file'], message }]);
    if (resource.text !== undefined) throw fail('give text or file, not both');
    const path = resolve(folder, resource.file);
    const outside = 'must lie in the folder of the domain file';
    if (!isInside(path, folder)) throw fail(outside);
    try {
      // A link inside may lead out.
      if (!isInside(await realpath(path), await realpath(folder))) throw fail(outside);
      if ((await stat(path)).size > MAX_RESOURCE_BYTES) throw fail(`is larger than ${MAX_RESOURCE_BYTES} bytes`);
      const { file: _, ...rest } = resource;
      resources[uri] = { ...rest, text: await readFile(path, 'utf8') };
    } catch (error) {
      throw error instanceof DefinitionError
        ? error
        : fail(`${resource.file}: ${reason(error as NodeJS.ErrnoException)}`);
    }
  }
  return { resources };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

// The Dockerfile by what can be read of it; `npm run image` builds and runs it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { PRODUCT } from '../../src/product.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const instructions = DockerfileParser.parse(text).getInstructions();
const of = (keyword: string) => instructions.filter((instruction) => instruction.getKeyword() === keyword);
const argumentsOf = (keyword: string) => of(keyword).map((instruction) => instruction.getArgumentsContent() ?? '');
/** Below the last FROM. */
const isOfRuntime = (instruction: { getRange(): { start: { line: number } } }) =>
  instruction.getRange().start.line > of('FROM').at(-1)!.getRange().start.line;

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

describe('the Dockerfile', () => {
  test('has no mistake that a linter knows', () => {
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
    expect(validate('FROM node\nCMD serve\nENTYPOINT x').length).toBeGreaterThan(0);
  });

  test('takes its base images as arguments, and neither of them by the name "latest"', () => {
    expect(argumentsOf('FROM')).toEqual(['${BASE} AS build', 'build AS root', '${RUNTIME}']);
    const [base, runtime] = argumentsOf('ARG');
    expect([base, runtime]).toEqual([expect.stringMatching(/^BASE=node:\d+-[\w-]+$/), 'RUNTIME=scratch']);
  });

  test('runs as nobody, without a shell, and says where, how it is and how it ends', () => {
    const last = (keyword: string) => of(keyword).filter(isOfRuntime).at(-1)?.getArgumentsContent();
    expect(last('USER')).toBe('65532:65532');
    expect(last('EXPOSE')).toBe('3333');
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(last('ENTRYPOINT')).toBe('["/usr/local/bin/node", "/app/dist/cli/main.js"]');
    expect(last('CMD')).toBe('["serve"]');
    expect(last('HEALTHCHECK')).toMatch(
      /CMD \["\/usr\/local\/bin\/node", "\/app\/dist\/cli\/main\.js", "health", "--live"\]$/,
    );
    // There is no shell that could run anything.
    expect(of('RUN').filter(isOfRuntime)).toEqual([]);
  });

  test('installs what the lock file says, and leaves out what only builds', () => {
    const steps = of('RUN')
      .map((instruction) => instruction.getTextContent())
      .join('\n');
    expect(steps).toContain('npm ci --ignore-scripts');
    expect(steps).toContain('npm prune --omit=dev');
    // Neither is in any layer.
    expect(steps).toContain('--mount=type=secret,id=npmrc');
    expect(argumentsOf('ENV').join()).not.toMatch(/TOKEN|PASSWORD|SECRET/i);
    expect(of('ADD')).toEqual([]);
  });

  test('copies only what is there and what .dockerignore lets through', () => {
    const copied = of('COPY')
      .map((instruction) => instruction.getTextContent())
      .filter((line) => !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(ignored[0]).toBe('*');
    const open = ignored.slice(1).map((line) => line.slice(1));
    expect([...new Set(copied)].sort()).toEqual([...open].sort());
  });

  test('labels the version of the package', () => {
    expect(argumentsOf('ARG')).toContain(`VERSION=${PRODUCT.version}`);
    expect(argumentsOf('LABEL').join()).toContain('org.opencontainers.image.licenses="Apache-2.0"');
  });
});

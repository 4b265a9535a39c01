// `helm template`, as far as a chart can tell: render.go, built once with Debian's Go and sprig. There is no Helm in Debian or npm.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './kubernetes.ts';

export const CHART = fileURLToPath(new URL('../../../deploy/helm/landbridge', import.meta.url));
const SOURCE = fileURLToPath(new URL('./render.go', import.meta.url));
/** Where Debian keeps the sources of Go packages. */
const SPRIG = '/usr/share/gocode/src/github.com/Masterminds/sprig';

export const HAS_GO = spawnSync('go', ['version']).status === 0 && existsSync(SPRIG);
if (!HAS_GO) console.warn('Go and sprig are not installed: the chart is not rendered.');

export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly notes: string;
}

export interface Renderer {
  /** Values as files, or as objects. */
  render(...values: readonly (string | object)[]): Rendered;
  /** The sentence with which rendering ends. */
  refusal(...values: readonly (string | object)[]): string;
  close(): void;
}

export function createRenderer(): Renderer {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-helm-'));
  const program = join(folder, 'render');
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOFLAGS: '',
    GOCACHE: join(folder, 'cache'),
  };
  execFileSync('go', ['build', '-o', program, SOURCE], { env });
  let count = 0;
  const run = (values: readonly (string | object)[]) => {
    const files = values.map((value) => {
      if (typeof value === 'string') return value;
      const file = join(folder, `values-${count++}.yaml`);
      writeFileSync(file, JSON.stringify(value));
      return file;
    });
    return spawnSync(program, [CHART, 'lb', 'tools', ...files], { encoding: 'utf8' });
  };
  return {
    render(...values) {
      const { status, stdout, stderr } = run(values);
      if (status !== 0) throw new Error(stderr);
      const files = JSON.parse(stdout) as Record<string, string>;
      const manifests = Object.entries(files)
        .filter(([name]) => name.endsWith('.yaml'))
        .flatMap(([, text]) => parseAllDocuments(text, { version: '1.1' }))
        .map((document) => {
          if (document.errors.length > 0) throw document.errors[0];
          return document.toJS() as Manifest | null;
        })
        .filter((manifest) => manifest !== null);
      return { manifests, notes: files['templates/NOTES.txt'] ?? '' };
    },
    refusal(...values) {
      const { status, stderr } = run(values);
      return status === 0 ? '' : stderr;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

// What the chart uses of the OpenAPI document of kubernetes/kubernetes (Apache-2.0), without descriptions: 2 % of it, small enough to be
// committed, so that every clone checks the chart. `npx jiti test/deploy/helm/cut-kubernetes.ts` writes it again, from ../shared/specs.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
};
export type Definitions = Record<string, Schema>;

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
export const DOCUMENT = path('../../../../shared/specs/kubernetes-2.0.json');
export const CUT = path('./kubernetes-definitions.json');

/** Of every kind that the templates make and Kubernetes has itself. */
const KINDS = [
  'apps/v1 Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler',
  'networking.k8s.io/v1 Ingress',
  'networking.k8s.io/v1 NetworkPolicy',
  'policy/v1 PodDisruptionBudget',
  'v1 ConfigMap',
  'v1 Service',
  'v1 ServiceAccount',
];

/** `apps/v1 Deployment`, as a manifest names it; a definition may stand for several. */
export function kindsOf(schema: Schema): string[] {
  return (schema['x-kubernetes-group-version-kind'] ?? []).map(
    ({ group, version, kind }) => `${group === '' ? version : `${group}/${version}`} ${kind}`,
  );
}

/** The definitions of these kinds and of everything that they refer to. */
export function cutDefinitions({ definitions }: { readonly definitions: Definitions }): Definitions {
  const isWanted = (schema: Schema) => kindsOf(schema).some((kind) => KINDS.includes(kind));
  const names = new Set(Object.keys(definitions).filter((name) => isWanted(definitions[name]!)));
  // A set hands out what is added to it on the way.
  for (const name of names) {
    for (const [, target] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g))
      names.add(target!);
  }
  return Object.fromEntries([...names].sort().map((name) => [name, withoutWords(definitions[name]!)]));
}

/** A property may be called "description" as well; its value is a schema. */
function withoutWords<T>(value: T): T {
  const isWords = (key: string, entry: unknown) =>
    (key === 'description' && typeof entry === 'string') ||
    (key.startsWith('x-kubernetes-') && key !== 'x-kubernetes-group-version-kind');
  return JSON.parse(JSON.stringify(value, (key, entry) => (isWords(key, entry) ? undefined : entry)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cut = cutDefinitions(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  writeFileSync(CUT, `${JSON.stringify(cut, null, 2)}\n`);
}

// What Kubernetes takes: definitions of its own OpenAPI document (cut-kubernetes.ts), read strictly, so that a field that it does not know
// is a mistake.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { CUT, type Definitions, kindsOf } from './cut-kubernetes.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly [field: string]: unknown;
}

/** As far as the chart uses them: from the operator's own documentation, which no document here has. */
const text = { type: 'string' };
const strict = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const labels = { type: 'object', additionalProperties: text };
const resource = (spec: object) =>
  strict({ apiVersion: text, kind: text, metadata: strict({ name: text, labels }), spec }, ['metadata', 'spec']);
const rule = strict(
  {
    alert: text,
    record: text,
    expr: { type: ['string', 'number'] },
    for: text,
    keep_firing_for: text,
    labels,
    annotations: labels,
  },
  ['expr'],
);
const OPERATOR: Record<string, object> = {
  'monitoring.coreos.com/v1 ServiceMonitor': resource(
    strict({
      jobLabel: text,
      selector: strict({ matchLabels: labels }),
      endpoints: {
        type: 'array',
        items: strict({
          port: text,
          path: text,
          interval: text,
          scrapeTimeout: text,
          authorization: strict({ type: text, credentials: strict({ name: text, key: text }, ['key']) }),
        }),
      },
    }),
  ),
  'monitoring.coreos.com/v1 PrometheusRule': resource(
    strict(
      {
        groups: {
          type: 'array',
          minItems: 1,
          items: strict({ name: text, interval: text, rules: { type: 'array', items: rule } }, ['name', 'rules']),
        },
      },
      ['groups'],
    ),
  ),
};

export function createManifestCheck(): (manifest: Manifest) => string[] {
  const definitions = JSON.parse(readFileSync(CUT, 'utf8')) as Definitions;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const kinds = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions)) {
    for (const kind of kindsOf(schema)) kinds.set(kind, name);
    if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  }
  // A number or a text, as its format says and its type does not.
  definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = { type: ['integer', 'string'] } as never;
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['number', 'string'] } as never;
  ajv.addSchema({ $id: 'kubernetes', definitions });
  return (manifest) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}`;
    const name = kinds.get(kind);
    const schema = name === undefined ? OPERATOR[kind] : { $ref: `kubernetes#/definitions/${name}` };
    if (schema === undefined) return [`nobody knows ${kind}`];
    const validate = ajv.compile(schema);
    if (validate(manifest)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${kind} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

// A domain as an OpenAPI 3.1 document, if it has none of its own or serves only part of it.
import type { Arg, Domain, Endpoint, JsonSchema } from '../../endpoint/model.ts';
import type { CatalogOperation } from '../tree.ts';

type Node = Record<string, unknown>;
type ArgumentsSchema = { properties?: Record<string, JsonSchema>; required?: string[]; $defs?: unknown };

/** As JSON text. */
export function toOpenApi(domain: Domain, operations: readonly CatalogOperation[]): string {
  const paths: Record<string, Node> = Object.create(null);
  for (const { name, endpoint } of operations) {
    const item = paths[endpoint.path] ?? {};
    paths[endpoint.path] = item;
    const method = endpoint.method.toLowerCase();
    // Two endpoints may share method and path (they differ in fixed values); a document can contain only one of them.
    if (!(method in item)) item[method] = toOperation(name, endpoint);
  }
  const servers = [...new Set(operations.map(({ endpoint }) => endpoint.baseUrl))].filter((url) => url !== '');
  return JSON.stringify(
    {
      openapi: '3.1.0',
      info: { title: domain.title, description: domain.description, version: '1' },
      servers: servers.map((url) => ({ url })),
      paths,
    },
    null,
    1,
  );
}

function toOperation(name: string, endpoint: Endpoint): Node {
  const { properties = {}, required = [], $defs } = endpoint.inputSchema as ArgumentsSchema;
  const parameters = endpoint.args.flatMap((arg) => toParameters(arg, properties[arg.key] ?? {}));
  const inBody = endpoint.args.filter(({ to }) =>
    to.some((target) => target.in === 'body' || target.in === 'body-root'),
  );
  const whole = inBody.find(({ to }) => to.some((target) => target.in === 'body-root'));
  const schema = whole
    ? properties[whole.key]
    : {
        type: 'object',
        properties: Object.fromEntries(inBody.map((arg) => [wireName(arg), properties[arg.key] ?? {}])),
        required: inBody.filter(({ key }) => required.includes(key)).map(wireName),
        ...($defs !== undefined && { $defs }),
      };
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    ...(endpoint.tags.length > 0 && { tags: endpoint.tags }),
    ...(endpoint.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body &&
      inBody.length > 0 && {
        requestBody: { required: endpoint.body.required, content: { [endpoint.body.mediaType]: { schema } } },
      }),
    responses: {
      default: {
        description: 'The answer',
        ...(endpoint.outputSchema !== undefined && {
          content: { 'application/json': { schema: endpoint.outputSchema } },
        }),
      },
    },
  };
}

function toParameters({ to, required }: Arg, schema: JsonSchema): Node[] {
  return to.flatMap((target): Node[] => {
    if (target.in === 'body' || target.in === 'body-root' || target.in === 'querystring') return [];
    return [{ name: target.name, in: target.in, required, style: target.style, explode: target.explode, schema }];
  });
}

function wireName(arg: Arg): string {
  const target = arg.to.find((one) => one.in === 'body');
  return target?.in === 'body' ? (target.at.at(-1) ?? arg.key) : arg.key;
}

// Why a refusal of the judge is not ours: classes of what Prism cannot read, or what a document gets wrong about itself.
// Whatever fits none of them is a mistake of Landbridge.
import type { Endpoint } from '../../../src/endpoint/model.ts';
import { exampleCalls } from '../../../src/schema/example-calls.ts';
import type { Verdict, Violation } from './recorder.ts';
import type { SampleCall } from './sample-arguments.ts';

export interface Rejection {
  readonly endpoint: Endpoint;
  readonly call: SampleCall;
  readonly verdict: Verdict;
}

interface Limit {
  readonly name: string;
  readonly why: string;
  /** Of one violation; a refusal is excused where all of them are. */
  readonly violation: (violation: Violation, rejection: Rejection) => boolean;
}

const LIMITS: readonly Limit[] = [
  {
    name: 'union in a parameter',
    why: 'Parameters are text; Prism reads text as a number for a plain type and not for a branch of oneOf or anyOf.',
    violation: ({ place }, { endpoint, call }) => {
      const [where = '', name = ''] = place.split('.');
      const value = call.arguments[argumentOf(endpoint, where, name) ?? ''];
      const isNoText = [value].flat().every((one) => typeof one === 'number' || typeof one === 'boolean');
      return where !== 'body' && isNoText && isUnion(schemaAt(endpoint, place));
    },
  },
  {
    name: 'list of one in a form',
    why: 'Prism takes a form field that occurs once for a text, also where the document says it is a list.',
    violation: ({ place, code, message }, { endpoint, call }) => {
      const list = call.arguments[argumentOf(endpoint, 'body', place.replace(/^body\./, '')) ?? ''];
      const isForm = endpoint.body?.kind === 'form' || endpoint.body?.kind === 'multipart';
      return isForm && code === 'type' && /must be array/.test(message) && Array.isArray(list) && list.length === 1;
    },
  },
  {
    name: 'pattern with slashes',
    why: 'The document writes a pattern as a literal of JavaScript, /…/, which no value fits; Landbridge reads what is meant.',
    violation: ({ code, message }) => code === 'pattern' && /pattern "\/.*\/[a-z]*"$/.test(message),
  },
  {
    name: 'token beside a scheme',
    why: 'The document asks for a parameter that says once more who calls; the security scheme beside it is what is sent.',
    violation: ({ place, code, message }, { endpoint }) => {
      const name = requiredName(message);
      const leftOut = endpoint.leftOut?.() ?? [];
      return (
        code === 'required' &&
        (place === 'header' || place === 'query') &&
        leftOut.some(({ token }) => token?.toLowerCase() === name)
      );
    },
  },
  {
    name: 'format its examples break',
    why: 'The document gives examples that its own format refuses, so Landbridge does not enforce it there.',
    violation: ({ place, code }, { endpoint }) => {
      const schema = schemaAt(endpoint, place);
      const [where = '', name = '', ...path] = place.split('.');
      const key = argumentOf(endpoint, where, name) ?? '';
      const isInExample = [...exampleCalls(endpoint)].some(
        ({ arguments: args }) =>
          typeof [key, ...path].reduce<unknown>((at, step) => (at as Node)?.[step], args) === 'string',
      );
      return code === 'format' && schema !== undefined && schema.format === undefined && isInExample;
    },
  },
  {
    name: 'field that is not declared',
    why: 'The document requires a field of a form without declaring it; Prism drops such fields before it looks for them.',
    violation: ({ place, code, message }, { endpoint, verdict }) => {
      const name = requiredName(message);
      return (
        endpoint.body?.kind === 'form' && code === 'required' && place === 'body' && verdict.body.includes(`${name}=`)
      );
    },
  },
  {
    name: 'objects in a query list',
    why: 'No style of OpenAPI says how a list of objects is written in a query; Prism reads its items as text.',
    violation: ({ place, code }, { endpoint }) =>
      /^query\..+\.\d+$/.test(place) && code === 'type' && schemaAt(endpoint, place)?.type === 'object',
  },
  {
    name: 'header of the connection',
    why: 'Content-Length is written by HTTP and not by callers, and a DELETE without a body has none.',
    violation: ({ place, code, message }) =>
      place === 'header' && code === 'required' && requiredName(message) === 'content-length',
  },
  {
    name: 'form that is no object',
    why: 'A form has a field per property; the document gives one as a list, and nobody says how that is written.',
    violation: ({ place, code, message }, { endpoint }) =>
      /^multipart\/|^application\/x-www-form-urlencoded$/.test(endpoint.body?.mediaType ?? '') &&
      place === 'body' &&
      code === 'type' &&
      message.endsWith('must be array'),
  },
  {
    name: 'prefixItems',
    why: 'Prism does not know prefixItems and then takes `items: false` for an empty list.',
    violation: ({ place, code }, { endpoint }) =>
      code === 'false schema' && schemaAt(endpoint, place.replace(/\.\d+$/, ''))?.prefixItems !== undefined,
  },
  {
    name: 'Content-Type as a parameter',
    why: 'The document says the media type twice, as the values of a header parameter and as what it consumes, and not the same.',
    violation: ({ place, code }, { endpoint }) =>
      place === 'header.content-type' && code === 'enum' && endpoint.body !== undefined,
  },
];

type Node = Record<string, unknown>;

/** The argument that goes to this place; Prism writes names of parameters in lower case. */
function argumentOf({ args }: Endpoint, where: string, name: string): string | undefined {
  return args.find(({ to }) =>
    to.some(
      (target) =>
        target.in === where &&
        ('name' in target
          ? target.name.toLowerCase() === name
          : 'at' in target && target.at.length === 1 && target.at[0] === name),
    ),
  )?.key;
}

/** What Landbridge enforces at the place of a violation (`path.id`, `body.lines.0.sku`); undefined where it is not plain. */
function schemaAt(endpoint: Endpoint, place: string): Node | undefined {
  const root = endpoint.inputSchema as Node;
  const settle = (schema: Node | undefined): Node | undefined => {
    let node = schema;
    for (let hops = 0; hops < 20 && typeof node?.$ref === 'string'; hops++) {
      const { $ref, ...others } = node;
      node = { ...(root.$defs as Record<string, Node>)[$ref.split('/').at(-1)!], ...others };
    }
    return node;
  };
  const [where = '', first = '', ...rest] = place.split('.');
  const field = argumentOf(endpoint, where, first);
  const body = endpoint.args.find(({ to }) => to.some((target) => target.in === 'body-root'))?.key;
  const [key, path] = field === undefined && where === 'body' ? [body, [first, ...rest]] : [field, rest];
  if (key === undefined) return undefined;
  let node = settle((root.properties as Record<string, Node>)[key]);
  for (const step of path) {
    const properties = node?.properties as Record<string, Node> | undefined;
    node = settle(/^\d+$/.test(step) ? (node?.items as Node | undefined) : properties?.[step]);
  }
  return node;
}

function requiredName(message: string): string | undefined {
  return /required property '([^']+)'/.exec(message)?.[1];
}

function isUnion(schema: Node | undefined): boolean {
  const items = schema?.items as Node | undefined;
  return [schema, items].some(
    (one) => one?.oneOf !== undefined || one?.anyOf !== undefined || Array.isArray(one?.type),
  );
}

/** The name of the limit a refusal comes from; undefined where it is our fault. */
export function findLimit(rejection: Rejection): string | undefined {
  const { violations } = rejection.verdict;
  const names = violations.map((violation) => LIMITS.find((limit) => limit.violation(violation, rejection))?.name);
  return names.includes(undefined) ? undefined : names[0];
}

export function explainLimit(name: string): string {
  return LIMITS.find((limit) => limit.name === name)!.why;
}

// Which other files a document refers to. Only parts that the import reads count: an `x-` extension (such as code samples) is not
// read, and a `$ref` inside an example, a default or an enum is data. A name in a map (a property called `example`, a header
// called `x-limit`) is not a keyword, so maps of names are recognised. In doubt a `$ref` counts: an unneeded file costs one read,
// a missing one an operation.
import { isObject } from '../../endpoint/is-object.ts';

export interface ExternalRefs {
  /** What the document's own objects refer to. */
  readonly refs: readonly string[];
  /** What its extensions refer to: only needed where a `$ref` leads into an extension. */
  readonly extensionRefs: readonly string[];
  /** Whether some `$ref` leads into an extension (`#/x-parts/Id`). */
  readonly entersExtensions: boolean;
}

export const NO_REFS: ExternalRefs = Object.freeze({ refs: [], extensionRefs: [], entersExtensions: false });

/** Fields whose keys are names somebody chose. */
const NAME_MAPS = new Set(
  `properties patternProperties definitions $defs dependentSchemas dependencies schemas parameters responses headers
  requestBodies securitySchemes securityDefinitions links callbacks pathItems mediaTypes encoding variables content webhooks`.split(
    /\s+/,
  ),
);

/** Fields that hold data. */
const DATA = new Set(['example', 'default', 'enum', 'const']);

/** What an object is to its keys: `top` is the root of a file, which may be a map of parts as well as one part. */
type Kind = 'top' | 'object' | 'names' | 'examples';

/** Each object once, those outside of extensions first; iterative, because hostile documents are deep. */
export function findExternalRefs(root: object): ExternalRefs {
  const refs = new Set<string>();
  const extensionRefs = new Set<string>();
  const visits = new Set<object>();
  const stack: [node: object, kind: Kind][] = [[root, 'top']];
  const extensions: object[] = [];
  let into = refs;
  let entersExtensions = false;
  for (;;) {
    const next = stack.pop();
    if (next === undefined) {
      const extension = extensions.pop();
      if (extension === undefined) break;
      into = extensionRefs;
      stack.push([extension, 'object']);
      continue;
    }
    const [node, kind] = next;
    if (visits.has(node)) continue;
    visits.add(node);
    if (Array.isArray(node)) {
      // A list of `examples` (JSON Schema) is data altogether.
      if (kind === 'examples') continue;
      for (const item of node) if (typeof item === 'object' && item !== null) stack.push([item, 'object']);
      continue;
    }
    for (const key in node) {
      const item = (node as Record<string, unknown>)[key];
      if (key === '$ref' && typeof item === 'string') {
        if (item.includes('/x-')) entersExtensions = true;
        if (isExternal(item)) into.add(item);
      } else if (typeof item !== 'object' || item === null) continue;
      else if (kind === 'names') stack.push([item, 'object']);
      else if (kind === 'examples') noteExample(item, into);
      else if (key.startsWith('x-')) extensions.push(item);
      else if (key === 'examples') stack.push([item, 'examples']);
      else if (kind === 'top' || !DATA.has(key)) stack.push([item, NAME_MAPS.has(key) ? 'names' : 'object']);
    }
  }
  return { refs: [...refs], extensionRefs: [...extensionRefs], entersExtensions };
}

/** An Example Object may itself be a reference; everything inside one is data. */
function noteExample(example: object, into: Set<string>): void {
  const ref = isObject(example) ? example.$ref : undefined;
  if (typeof ref === 'string' && isExternal(ref)) into.add(ref);
}

export function isExternal(ref: string): boolean {
  return ref !== '' && !ref.startsWith('#');
}

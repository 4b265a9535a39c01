// Path Templating: path keys as documents write them, `/pets/{petId}`, but also `/current?lat={lat}`, `/files/{id}#copy`, `/x/{proxy+}`.
// https://spec.openapis.org/oas/v3.2.0.html#path-templating

export interface PathTemplate {
  /** What the executor fills in. A literal query string and a fragment stay; the executor knows them. */
  readonly path: string;
  /** Variables of the path itself, each once, as the document's parameters call them. */
  readonly variables: readonly string[];
  /** Variables that stand in a query string of the key: variable → query name. */
  readonly queryVariables: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** `parameters` tell `{proxy+}` from a variable that is really called that. */
export function readTemplate(key: string, parameters: readonly { in: string; name: string }[]): PathTemplate {
  if (!/[{?#]/.test(key) && key.startsWith('/')) return { path: key, variables: [], queryVariables: NONE };
  const pathNames = new Set<string>();
  for (const parameter of parameters) if (parameter.in === 'path') pathNames.add(parameter.name);
  const whole = key.startsWith('/') ? key : `/${key}`;
  const hash = whole.indexOf('#');
  const fragment = hash < 0 ? '' : whole.slice(hash);
  const bare = hash < 0 ? whole : whole.slice(0, hash);
  const mark = questionMark(bare);
  const queryVariables = new Map<string, string>();
  const literal: string[] = [];
  for (const pair of mark < 0 ? [] : bare.slice(mark + 1).split('&')) {
    const [, name, variable] = /^([^={}]+)=\{([^{}]+)\}$/.exec(pair) ?? [];
    if (name !== undefined && variable !== undefined) queryVariables.set(variable, name);
    else if (!/[{}]/.test(pair) && pair !== '') literal.push(pair);
  }
  const variables = new Set<string>();
  const path = (mark < 0 ? bare : bare.slice(0, mark)).replace(/\{([^{}]*)\}/g, (whole, inner: string) => {
    // RFC 6570 query expansion: those are query parameters, declared as such.
    if (/^[?&]/.test(inner)) return '';
    const name = pathNames.has(inner) ? inner : inner.replace(/^\+|[+*]$/g, '').split(':', 1)[0]!;
    const variable = pathNames.has(name) ? name : inner;
    if (variable === '') return whole;
    variables.add(variable);
    return `{${variable}}`;
  });
  return {
    path: path + (literal.length > 0 ? `?${literal.join('&')}` : '') + fragment,
    variables: [...variables],
    queryVariables,
  };
}

/** The first `?` outside of braces. */
function questionMark(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '?' && depth <= 0) return index;
  }
  return -1;
}

// The part of RFC 6570 that resource templates need: `{name}` for one path segment, `{?a,b}` for a query. Matching is a
// plain walk over segments: no pattern from outside ever becomes a regular expression.
import type { Args } from '../../endpoint/model.ts';

type Part = { readonly literal: string } | { readonly variable: string };

const MAX_URI = 8_192;

/** The variables of a template in a URI, or undefined where the template could not have made it. */
export function compileUriTemplate(template: string): (uri: string) => Args | undefined {
  const query = /\{\?([^{}]*)\}$/.exec(template);
  const parts = toParts(query ? template.slice(0, query.index) : template);
  const names = new Set(query?.[1]?.split(','));
  return (uri) => {
    if (uri.length > MAX_URI) return undefined;
    const mark = query ? uri.indexOf('?') : -1;
    const variables = matchParts(parts, mark === -1 ? uri : uri.slice(0, mark));
    if (!variables || mark === -1) return variables;
    for (const [name, value] of new URLSearchParams(uri.slice(mark + 1))) {
      // Refuses unknown names and second values.
      if (name === '' || !names.has(name) || name in variables) return undefined;
      variables[name] = value;
    }
    return variables;
  };
}

function toParts(template: string): readonly Part[] {
  return template
    .split(/(\{[^{}]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('{') ? { variable: piece.slice(1, -1) } : { literal: piece }));
}

/** A variable runs up to the next literal's first appearance and never crosses a slash. */
function matchParts(parts: readonly Part[], text: string): Record<string, unknown> | undefined {
  const variables: Record<string, unknown> = Object.create(null);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if ('literal' in part) {
      if (!text.startsWith(part.literal, at)) return undefined;
      at += part.literal.length;
      continue;
    }
    const next = parts[index + 1];
    const end = next && 'literal' in next ? text.indexOf(next.literal, at) : text.length;
    const raw = end === -1 ? '' : text.slice(at, end);
    if (raw === '' || raw.includes('/')) return undefined;
    try {
      variables[part.variable] = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
    at = end;
  }
  return at === text.length ? variables : undefined;
}

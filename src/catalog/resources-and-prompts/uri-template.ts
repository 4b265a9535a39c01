// The part of RFC 6570 that resource templates need: `{name}` for one path segment, `{?a,b}` for a query. Matching is a
// plain walk over segments: no pattern from outside ever becomes a regular expression.
import type { Args } from '../../endpoint/model.ts';

export interface CompiledUriTemplate {
  readonly variables: readonly string[];
  readonly match: (uri: string) => Args | undefined;
}

type Part = { readonly literal: string } | { readonly variable: string };

const MAX_URI = 8_192;

export function compileUriTemplate(template: string): CompiledUriTemplate {
  const query = /\{\?([^{}]*)\}$/.exec(template);
  const names = query?.[1]?.split(',').filter((name) => name !== '') ?? [];
  const parts = toParts(query ? template.slice(0, query.index) : template);
  const allowed = new Set(names);
  return Object.freeze({
    variables: [...parts.flatMap((part) => ('variable' in part ? [part.variable] : [])), ...names],
    match: (uri: string) => {
      if (uri.length > MAX_URI) return undefined;
      const mark = query ? uri.indexOf('?') : -1;
      const variables = matchParts(parts, mark === -1 ? uri : uri.slice(0, mark));
      if (!variables || mark === -1) return variables;
      for (const [name, value] of new URLSearchParams(uri.slice(mark + 1))) {
        // Neither a stranger nor a second value: the template could not have made such a URI.
        if (!allowed.has(name) || name in variables) return undefined;
        variables[name] = value;
      }
      return variables;
    },
  });
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

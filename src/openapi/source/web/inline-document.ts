// A document that stands in a script instead of at an address of its own: swagger-ui-express and NestJS write it into
// swagger-ui-init.js, Redoc's bundles and some Scalar pages into the page. A script is not run, only read: brackets, strings and
// comments are told apart, and the object that has a key `openapi` or `swagger` with a version is cut out.

/** Whether a text says the version of an OpenAPI document somewhere; cheap, and wrong only about texts that quote one. */
export function looksLikeDocument(text: string): boolean {
  return /"(?:openapi|swagger)"\s{0,20}:\s{0,20}"?[23]\b|^\uFEFF?(?:openapi|swagger)\s{0,20}:\s{0,20}["']?[23]\b/m.test(
    text,
  );
}

/** Sticky: a key of a document, quoted or not, and the beginning of its version. */
const VERSION = /["']?(?:openapi|swagger)["']?\s{0,20}:\s{0,20}["'`]?[23](?:\.\d|["'`\s,}])/y;

/** The text of the first document in a script, as JSON or as the literal it is (which YAML reads); undefined without one. */
export function findInlineDocument(script: string): string | undefined {
  /** Where the open braces stand; negative once the object is known to be a document. */
  const braces: number[] = [];
  const endOfString = createStringReader(script);
  for (let at = 0; at < script.length; at++) {
    const char = script[at]!;
    if (char === '{') braces.push(at + 1);
    else if (char === '}') {
      const start = braces.pop();
      if (start !== undefined && start < 0) return script.slice(-start - 1, at + 1);
    } else if (char === '/' && (script[at + 1] === '/' || script[at + 1] === '*')) {
      at = endOfComment(script, at);
    } else if (char === '"' || char === "'" || char === '`') {
      if (braces.length > 0 && isVersionAt(script, at)) mark(braces);
      const end = endOfString(at);
      const inside = decodeString(script.slice(at, end + 1));
      if (inside !== undefined) return inside;
      at = end;
    } else if ((char === 'o' || char === 's') && braces.length > 0 && !/[\w$]/.test(script[at - 1] ?? '')) {
      if (isVersionAt(script, at)) mark(braces);
    }
  }
  return undefined;
}

function isVersionAt(script: string, at: number): boolean {
  VERSION.lastIndex = at;
  return VERSION.test(script);
}

function mark(braces: number[]): void {
  const start = braces.pop()!;
  braces.push(-Math.abs(start));
}

function endOfComment(script: string, at: number): number {
  const isLine = script[at + 1] === '/';
  const end = script.indexOf(isLine ? '\n' : '*/', at + 2);
  return end < 0 ? script.length : end + (isLine ? 0 : 1);
}

/** Finds the closing quotation mark; returns the opening one if its line has no other: then it is an apostrophe. */
function createStringReader(script: string): (start: number) => number {
  // If a quotation mark is not closed in its line, further ones in that line are not either; without this, each of thousands
  // would be read to the end of the line.
  const openUntil = new Map<string, number>();
  return (start) => {
    const quote = script[start]!;
    if (start < (openUntil.get(quote) ?? 0)) return start;
    for (let at = start + 1; at < script.length; at++) {
      const char = script[at]!;
      if (char === '\\') at++;
      else if (char === quote) return at;
      else if (char === '\n' && quote !== '`') {
        openUntil.set(quote, at);
        return start;
      }
    }
    openUntil.set(quote, script.length);
    return start;
  };
}

const MIN_DOCUMENT_CHARS = 40;

/** A whole document written as one string of JSON: `content: "{\"openapi\": …}"`. */
function decodeString(literal: string): string | undefined {
  if (literal.length < MIN_DOCUMENT_CHARS || !/^.\s*\{/.test(literal.slice(0, 20))) return undefined;
  try {
    const text: unknown = literal.startsWith('"') ? JSON.parse(literal) : literal.slice(1, -1);
    return typeof text === 'string' && looksLikeDocument(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

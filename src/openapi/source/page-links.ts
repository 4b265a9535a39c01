// The document that a documentation page, one of its scripts or a configuration refers to or contains: Swagger UI (`url:`, `urls:`,
// `configUrl:`), Redoc and RapiDoc (`spec-url`), Stoplight Elements (`apiDescriptionUrl`), Scalar (`data-url`, `url:`), links.

export interface PageLinks {
  /** Addresses of documents as they are written, the likeliest first. */
  readonly documents: readonly string[];
  /** Scripts that may refer to a document. */
  readonly scripts: readonly string[];
  /** The text of a document that the page or script contains. */
  readonly inline: string | undefined;
}

const MAX_NAMES = 12;
const MAX_SCRIPTS = 5;

/** `url: "…"`, `"configUrl" : '…'`, `spec-url="…"`, `url: resolveUrl('./json')`. */
const NAMED =
  /(?<![\w.-])["']?(?:url|(?:data-)?(?:spec|swagger|schema|config|definition|document|open-?api|api-?description)[-_]?url|data-url)["']?\s{0,20}[:=]\s{0,20}(?:[\w.$]{1,60}\(\s{0,20})?(["'`])([^"'`\s<>{}]{1,500})\1/gi;
/** `Redoc.init("…")`. */
const REDOC = /\bRedoc\.init\(\s{0,20}(["'`])([^"'`\s<>{}]{1,500})\1/g;
const LINK = /\b(?:href|src)\s{0,5}=\s{0,5}(["'])([^"'\s<>{}]{1,500})\1/gi;
/** The last segment of an address that looks like a document. */
const DOCUMENT_NAME = /(?:openapi|swagger|api-?docs?|api-spec)[^/]{0,60}\.(?:json|ya?ml)$|^api-docs$|-json$/i;
/** `<link rel="service-desc" href="…">`, RFC 8631. */
const SERVICE_DESC = /<(?:link|a)\b[^<>]{0,300}\bservice-desc\b[^<>]{0,300}>/gi;

/** Libraries contain nothing about this API, and are large. */
const LIBRARY =
  /bundle|standalone|preset|vendor|polyfill|chunk|jquery|react|\.min\.js|^swagger-ui(?:-es\w*)?\.js$|(?:redoc|rapidoc|elements)[^/]*$/i;

/** Reads HTML, JavaScript or JSON as text; nothing is run. */
export function readLinks(text: string, isPage: boolean): PageLinks {
  const plain = decodeEscapes(text);
  const links = isPage ? namesIn(plain, LINK) : [];
  const descriptions = isPage ? [...plain.matchAll(SERVICE_DESC)].flatMap(([tag]) => namesIn(tag, LINK)) : [];
  const documents = [
    ...descriptions,
    ...namesIn(plain, NAMED).filter((name) => !/\.(?:css|html?|ico|js|png|svg|woff2?)(?:\?|$)/i.test(name)),
    ...namesIn(plain, REDOC),
    ...links.filter((name) => DOCUMENT_NAME.test(lastSegment(name))),
  ];
  const scripts = links.filter((name) => /\.js(?:\?|$)/i.test(name) && !LIBRARY.test(lastSegment(name)));
  return {
    documents: [...new Set(documents)].slice(0, MAX_NAMES),
    scripts: [...new Set(scripts)].slice(0, MAX_SCRIPTS),
    inline: isPage ? firstOf(scriptsIn(text), findInlineDocument) : findInlineDocument(text),
  };
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[2]!);
}

function lastSegment(name: string): string {
  const path = name.split(/[?#]/, 1)[0]!;
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Decodes what HTML and JavaScript write in place of a character: `&quot;`, `\/`, `\u002D`. */
function decodeEscapes(text: string): string {
  return text
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:apos|#39|#x27);/gi, "'")
    .replace(/&(?:amp|#38);/gi, '&')
    .replace(/&#(?:47|x2f);/gi, '/')
    .replace(/\\u00([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\/', '/');
}

function* scriptsIn(html: string): Generator<string> {
  const opening = /<script\b[^<>]{0,2000}>/gi;
  for (let tag = opening.exec(html); tag !== null; tag = opening.exec(html)) {
    const end = html.indexOf('</script', opening.lastIndex);
    if (end < 0) return;
    yield html.slice(opening.lastIndex, end);
    opening.lastIndex = end;
  }
}

function firstOf<T>(texts: Iterable<string>, find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const result = find(text);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** Whether a text contains the version of an OpenAPI document; a cheap check that is wrong only for texts that quote one. */
export function looksLikeDocument(text: string): boolean {
  return /"(?:openapi|swagger)"\s{0,20}:\s{0,20}"?[23]\b|^\uFEFF?(?:openapi|swagger)\s{0,20}:\s{0,20}["']?[23]\b/m.test(
    text,
  );
}

/** Sticky: the key `openapi` or `swagger`, quoted or not, and the beginning of its version. */
const VERSION = /["']?(?:openapi|swagger)["']?\s{0,20}:\s{0,20}["'`]?[23](?:\.\d|["'`\s,}])/y;

/**
 * The first document that a script contains instead of its address: swagger-ui-express and NestJS write it into swagger-ui-init.js,
 * Redoc's bundles and some Scalar pages into the page. The script is not run, only read: the scanner recognises braces, strings and
 * comments, and extracts the object that has a key `openapi` or `swagger` with a version. The result is JSON or a JavaScript
 * literal, which YAML can read.
 */
function findInlineDocument(script: string): string | undefined {
  /** Positions of the open braces; negative once the object is known to be a document. */
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

/** Finds the closing quotation mark; returns the opening one if its line has no other, because then it is an apostrophe. */
function createStringReader(script: string): (start: number) => number {
  // If a quotation mark is not closed in its line, later ones in the line are not either. Without this map, each of thousands would
  // be searched to the end of the line.
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

/** A whole document as one JSON string: `content: "{\"openapi\": …}"`. */
function decodeString(literal: string): string | undefined {
  if (literal.length < MIN_DOCUMENT_CHARS || !/^.\s*\{/.test(literal.slice(0, 20))) return undefined;
  try {
    const text: unknown = literal.startsWith('"') ? JSON.parse(literal) : literal.slice(1, -1);
    return typeof text === 'string' && looksLikeDocument(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

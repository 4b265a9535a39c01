// What a documentation page, one of its scripts or a configuration names as its document: Swagger UI (`url:`, `urls:`,
// `configUrl:`), Redoc and RapiDoc (`spec-url`), Stoplight Elements (`apiDescriptionUrl`), Scalar (`data-url`, `url:`), links.
import { findInlineDocument } from './inline-document.ts';

export interface PageLinks {
  /** Addresses as they are written, the likeliest first. */
  readonly documents: readonly string[];
  /** Scripts that may say it instead. */
  readonly scripts: readonly string[];
  /** A document that stands right there. */
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
/** The last segment of an address that names a document. */
const DOCUMENT_NAME = /(?:openapi|swagger|api-?docs?|api-spec)[^/]{0,60}\.(?:json|ya?ml)$|^api-docs$|-json$/i;
/** `<link rel="service-desc" href="…">`, RFC 8631. */
const SERVICE_DESC = /<(?:link|a)\b[^<>]{0,300}\bservice-desc\b[^<>]{0,300}>/gi;

/** Libraries say nothing about this API, and are large. */
const LIBRARY =
  /bundle|standalone|preset|vendor|polyfill|chunk|jquery|react|\.min\.js|^swagger-ui(?:-es\w*)?\.js$|(?:redoc|rapidoc|elements)[^/]*$/i;

/** Reads HTML, JavaScript or JSON alike; nothing is run. */
export function readLinks(text: string, isPage: boolean): PageLinks {
  const plain = withCharacters(text);
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

/** What HTML and JavaScript write in place of a character: `&quot;`, `\/`, `\u002D`. */
function withCharacters(text: string): string {
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

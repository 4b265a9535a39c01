// Words from a document, made safe and short enough to show: no markup, no link targets, nothing a person cannot see.

/** Nothing reads further: hostile text cannot cost more than this. */
const MAX_INPUT = 20_000;

/**
 * Characters a model reads and a person does not see: Unicode tags, bidirectional controls, zero-width characters,
 * soft hyphens, variation selectors' supplement, C0 and C1 controls (tab and line feed stay).
 */
const HIDDEN =
  /[\u{E0000}-\u{E01EF}\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\0-\x08\x0B-\x1F\x7F-\x9F]/gu;

const ANSI = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[@-Z\\-_])/g;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  apos: "'",
  nbsp: ' ',
};

const PLAIN = /^[\x20-\x7e\n]*$/;
const MARKED = /[<[\]&*#`>]/;

/** Removes what nobody sees; everything else stays as it is. */
export function withoutHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/\r\n?/g, '\n').replace(ANSI, '').replace(HIDDEN, '');
}

/** Markdown and HTML to plain words; paragraphs and lists keep their lines. */
export function cleanText(text: string): string {
  const seen = withoutHidden(text.length > MAX_INPUT ? text.slice(0, MAX_INPUT) : text);
  const bare = MARKED.test(seen) ? withoutMarkup(seen) : seen;
  return bare
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutMarkup(text: string): string {
  return text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<(?:br|p|div|li|tr|h[1-6])\b[^<>]{0,500}>/gi, '\n')
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, '')
    .replace(/!\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)/g, '$1')
    .replace(/\[([^[\]]{1,500})\]\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)/g, '$1')
    .replace(/\[([^[\]]{1,500})\]\[[^[\]]{0,200}\]/g, '$1')
    .replace(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/^[ \t]{0,3}#{1,6}[ \t]+/gm, '')
    .replace(/^[ \t]*>[ \t]?(?:\[![A-Z]+\])?/gm, '')
    .replace(/^```[^\n]{0,100}$/gm, '')
    .replace(/\*\*([^*\n]{1,500})\*\*/g, '$1');
}

/** One line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ');
}

/** The first sentence, on one line, at most `limit` characters. */
export function firstSentence(text: string, limit = 240): string {
  // Most summaries are a few plain words.
  if (text.length <= limit && /^[A-Za-z0-9 ,_-]*$/.test(text)) return text.trim();
  const line = cleanLine(text.length > 2_000 ? text.slice(0, 2_000) : text);
  let sentence = line;
  for (const match of line.matchAll(/[.!?](?=\s+[A-Z`"'(]|\s*$)/g)) {
    const candidate = line.slice(0, match.index + 1);
    if (/\b(?:e\.g|i\.e|etc|vs|cf|approx|incl)\.$/i.test(candidate)) continue;
    sentence = candidate;
    break;
  }
  if (sentence.length <= limit) return sentence;
  const cut = sentence.slice(0, limit - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > limit / 2 ? cut.slice(0, word) : cut).replace(/[\uD800-\uDBFF]$/, '').replace(/[\s,;:.]+$/, '')}…`;
}

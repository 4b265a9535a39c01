// Prepares texts of documents for display: removes markup, link targets, samples and invisible characters, and cuts at sentences or
// words.
import { stripHtml } from './conventions/html.ts';
import { stripHidden } from './hidden.ts';

/** Characters that are read of a text, so that the cost of hostile text is bounded. */
const MAX_INPUT = 20_000;
/** The first sentence is searched for up to here. */
const MAX_SENTENCE_INPUT = 2_000;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['copy', '©'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['euro', '€'],
]);

const MARKED = /[<[\]&*#`>]|^[ \t]{0,3}(?:={3}|-{3})/m;

/** A text on one line and without hidden characters, otherwise unchanged. */
export function toOneLine(text: string): string {
  return stripHidden(text).replace(/\s+/g, ' ').trim();
}

/** Markdown and HTML to plain words; paragraphs and lists keep their lines. */
export function toPlainLines(text: string): string {
  const visibleText = stripHidden(text.length > MAX_INPUT ? text.slice(0, MAX_INPUT) : text);
  return tidyLines(MARKED.test(visibleText) ? withoutMarkup(visibleText) : visibleText);
}

/** White space other than single blanks. */
const BROKEN = /[^\S ]| {2}/;

/** The same on one line, without code, tables and samples: paragraphs become sentences in a row. */
export function toPlainText(text: string): string {
  const lines = withoutSamples(toPlainLines(text));
  if (!BROKEN.test(lines)) return lines.trim();
  return lines
    .replace(/(?<=[\w)`"'\]])\n{2,4}(?=["'(`]?[A-Z])/g, '. ')
    .replace(/\s+/g, ' ')
    .trim();
}

const HEADING_BEFORE_PROSE = /^\s{0,20}#{1,6}[ \t]{1,8}[^\n]{1,200}\n\s{0,20}(?=["'(`*_[]{0,2}\w)/;

/** The first sentence of any text: plain, on one line, at most `limit` characters. */
export function toSummary(text: string, limit = 240): string {
  // Most summaries are a few plain words.
  if (text.length <= limit && /^[A-Za-z0-9 ,_-]*$/.test(text)) return text.trim();
  // The sentence below a heading is more informative than the heading.
  const body = text.slice(0, MAX_SENTENCE_INPUT).replace(HEADING_BEFORE_PROSE, '');
  return cutText(firstSentence(toPlainText(body)), limit);
}

/** A full stop, and the start of what may be the next sentence after it. */
const SENTENCE_END = /[.!?]["”'’)]{0,2}(?=\s+[A-Z`"“'(*-]|\s*$)/g;
const ABBREVIATION =
  /(?:^|[\s([,;"'/])(?:e\.g|i\.e|eg|ie|etc|vs|cf|viz|approx|incl|excl|resp|dept|fig|inc|ltd|corp|dr|mr|mrs|prof|st|a\.k\.a|u\.s|u\.k)\.$/i;
/** `J. R. Tolkien`: a single capital before another. */
const INITIAL = /(?:^|[\s(.])\p{Lu}\.$/u;
/** No abbreviation is longer. */
const MAX_ABBREVIATION = 10;

/** The first sentence of plain text; the whole text if it is one sentence. */
export function firstSentence(text: string): string {
  for (const match of text.matchAll(SENTENCE_END)) {
    if (!isAbbreviated(text, match.index)) return text.slice(0, match.index + match[0].length);
  }
  return text;
}

/** The sentences of plain text. A colon does not end a sentence. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    if (isAbbreviated(text, match.index)) continue;
    const end = match.index + match[0].length;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  const rest = text.slice(start).trim();
  return rest === '' ? sentences : [...sentences, rest];
}

/** Whether the full stop at this place belongs to `e.g.`, to an ellipsis and the like. */
function isAbbreviated(text: string, place: number): boolean {
  // An ellipsis does not end a sentence.
  if (text[place - 1] === '.' && place + 1 < text.length) return true;
  if (text[place] !== '.') return false;
  const before = text.slice(Math.max(0, place - MAX_ABBREVIATION), place + 1);
  return ABBREVIATION.test(before) || (INITIAL.test(before) && /^\. ?\p{Lu}/u.test(text.slice(place, place + 3)));
}

/** Cuts to `limit` UTF-16 units, at a sentence if one ends in the second half, else at a word. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, limit);
  for (let end = room.length; end > limit / 2; ) {
    end = Math.max(room.lastIndexOf('. ', end - 1), room.lastIndexOf('.\n', end - 1));
    // `no. of units`, `max. 5`: a lower-case letter or digit after the full stop means that the sentence goes on.
    const goesOn = /^[ \n][\p{Ll}\d]/u.test(text.slice(end + 1, end + 3));
    if (end > limit / 2 && !goesOn && !isAbbreviated(room, end)) return room.slice(0, end + 1);
  }
  const short = room.slice(0, limit - 1);
  const word = short.lastIndexOf(' ');
  // Never half a surrogate pair.
  const body = (word > limit / 2 ? short.slice(0, word) : short).replace(/[\uD800-\uDBFF]$/, '');
  // Also removes words that introduce what has been cut.
  return `${trimEnd(trimEnd(body, ' \n\t\r,;:.(').replace(/[ (](?:e\.g|i\.e|such as|for example)$/i, ''), ' ,;:(')}…`;
}

/** Removes a final colon: the list or sample it announced has been removed. */
export function closeColon(text: string): string {
  return /[:;,]$/.test(text) ? trimEnd(text, ' :;,') : text;
}

const UNTIDY = /[^\S\n ]| {2}| \n|\n |\n{3}/;

/** Single blanks, at most one empty line in a row. */
export function tidyLines(text: string): string {
  // Most texts need no change, and one test is cheaper than three replacements.
  if (!UNTIDY.test(text)) return text.trim();
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/**
 * Decodes HTML character references, numeric and the usual names. The result may contain hidden characters, so check it again.
 */
export function unescapeHtml(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (name[0] !== '#') return ENTITIES.get(name.toLowerCase()) ?? whole;
    const code = name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function withoutMarkup(text: string): string {
  // Code and tables become fenced blocks, which withoutSamples() can leave out.
  const blocks = text
    .replace(/<(?:pre|table)\b[^<>]{0,200}>|<\/(?:pre|table)>/gi, '\n```\n')
    .replace(/<\/?h[1-6]\b[^<>]{0,200}>/gi, '\n\n');
  const words = stripHtml(blocks, false)
    .replace(/!\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)/g, '$1')
    .replace(/\[([^[\]]{1,500})\]\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)/g, '$1')
    // A link by reference; `filter[name][eq]` is none.
    .replace(/(?<!\w)\[([^[\]]{1,500})\]\[[^[\]]{0,200}\]/g, '$1');
  return (
    stripHidden(unescapeHtml(words))
      // The targets of links by reference.
      .replace(/^[ \t]{0,3}\[[^[\]\n]{1,200}\]:[^\n]*/gm, '')
      // Headings become paragraphs. Their underlines, and rules between paragraphs, are removed.
      .replace(/^[ \t]{0,3}#{1,6}[ \t]+([^\n]*)/gm, '\n$1\n')
      .replace(/^[ \t]{0,3}(?:={3,200}|-{3,200})[ \t]{0,8}$/gm, '')
      .replace(/^[ \t]*>[ \t]?(?:\[![A-Z]+\])?/gm, '')
      .replace(/\*\*([^*\n]{1,500})\*\*/g, '$1')
  );
}

/** The beginning of a text, never cut between the halves of a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/**
 * The text without trailing `characters`. Done by index, because `/[characters]+$/` starts again at every character of a run,
 * which is quadratic.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The text without those of `characters` that it begins with. */
export function trimStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start++;
  return text.slice(start);
}

/** Text without any of these has no samples; this is the usual case. */
const SAMPLE_SIGN = /```|~~~|^[ \t]*(?:[|{[]|(?:\$ )?curl )|-[ \t]{0,8}\|/m;
const FENCE = /^[ \t]*(?:```|~~~)/;
const TABLE_ROW = /^[ \t]*\|/;
/** The line below the head of a table, with or without a leading bar. */
const TABLE_RULE = /^[ \t|:-]{3,}$/;
/** The same in a table whose lines were folded into one. */
const FOLDED_RULE = /\|[ \t]{0,8}:?-{2,200}:?[ \t]{0,8}\|/;
const COMMAND = /^[ \t]*(?:\$ )?curl /;
const DATA_START = /^[ \t]*[{[][ \t]*(?:$|["{[\]}])/;
/** Text that introduces a sample, and is useless without it. */
const ANNOUNCEMENT =
  /^[^.!?]{0,40}\b(?:examples?|samples?|e\.g\.|request|response|body|payload|usage|curl|follows|following)\b[^.!?]{0,30}:?$/i;
/** The same at the end of a paragraph, where it is harder to distinguish from a sentence. */
const LAST_WORDS = /(?<=[.!?]["”'’)]{0,2})\s+(?=(?:(?:Example|Sample)s?\b|[A-Z][^.!?]{0,80}:$)[^.!?]{0,80}$)/;
const MAX_DATA_LINES = 400;

/**
 * Removes code, tables and sample data: they are long, and the schemas contain the same. One pass, line by line. A sentence that introduced
 * a sample ends in a full stop.
 */
function withoutSamples(text: string): string {
  if (!SAMPLE_SIGN.test(text)) return text;
  const lines = text
    .replace(/```[^`\n]{0,2000}```/g, '')
    .split('\n')
    .flatMap(splitTable);
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfSample(lines, at);
    if (end === at) out.push(lines[at++]!);
    else {
      settleAnnouncement(out);
      at = end;
    }
  }
  return out.join('\n');
}

/** Splits a line that contains or starts a table: the text before and after it becomes lines of its own. */
function splitTable(line: string, at: number, lines: readonly string[]): readonly string[] {
  const first = line.indexOf('|');
  if (first < 0) return [line];
  const isFolded = FOLDED_RULE.test(line) && !TABLE_RULE.test(line);
  if (!isFolded && !(isRule(lines[at + 1]) && line.trimEnd().endsWith('|'))) return [line];
  const last = isFolded ? line.lastIndexOf('|') + 1 : line.length;
  return [line.slice(0, first), line.slice(first, last), line.slice(last)].filter((part) => part.trim() !== '');
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && TABLE_RULE.test(line) && line.includes('|') && line.includes('--');
}

/** The line after the sample that starts here; the same line if none does. */
function endOfSample(lines: readonly string[], at: number): number {
  const line = lines[at]!;
  if (FENCE.test(line)) {
    let close = at + 1;
    while (close < lines.length && !FENCE.test(lines[close]!)) close++;
    // An unclosed fence is just a line.
    return close < lines.length ? close + 1 : at + 1;
  }
  let end = at;
  if (line.includes('|') && isRule(lines[at + 1])) while (lines[end]?.includes('|')) end++;
  else if (TABLE_ROW.test(line)) while (end < lines.length && TABLE_ROW.test(lines[end]!)) end++;
  else if (COMMAND.test(line)) {
    while (end < lines.length && /\\\s*$/.test(lines[end]!)) end++;
    return Math.min(end + 1, lines.length);
  } else if (DATA_START.test(line)) return endOfData(lines, at);
  return end;
}

/** JSON from its first bracket to its last; prose in brackets has no quoted keys. */
function endOfData(lines: readonly string[], at: number): number {
  let depth = 0;
  let hasKeys = false;
  for (let end = at; end < lines.length && end < at + MAX_DATA_LINES; end++) {
    const line = lines[end]!;
    hasKeys ||= /"\s?:/.test(line);
    for (const character of line) {
      if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') depth--;
    }
    if (depth <= 0) return hasKeys ? end + 1 : at;
  }
  return at;
}

function settleAnnouncement(out: string[]): void {
  while (out.at(-1)?.trim() === '') out.pop();
  const last = out.at(-1);
  if (last === undefined) return;
  const words = LAST_WORDS.exec(last.trimEnd());
  if (out.length > 1 && ANNOUNCEMENT.test(last.trim())) out.pop();
  else if (words && ANNOUNCEMENT.test(last.slice(words.index).trim())) out[out.length - 1] = last.slice(0, words.index);
  else if (last.endsWith(':')) out[out.length - 1] = `${last.slice(0, -1)}.`;
  out.push('');
}

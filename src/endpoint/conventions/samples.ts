// Removes code, tables and sample data from descriptions: they are long, and the schemas say the same. One pass, line by line.

/** Most texts have none of these and are not looked at further. */
const SUSPECT = /```|~~~|^[ \t]*(?:[|{[]|(?:\$ )?curl )|-[ \t]{0,8}\|/m;
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
/** The same at the end of a paragraph, where more is needed to tell it from a sentence. */
const LAST_WORDS = /(?<=[.!?]["”'’)]{0,2})\s+(?=(?:(?:Example|Sample)s?\b|[A-Z][^.!?]{0,80}:$)[^.!?]{0,80}$)/;
const MAX_DATA_LINES = 400;

/** The text without them; a sentence that led to one ends in a full stop. */
export function withoutSamples(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const lines = text
    .replace(/```[^`\n]{0,2000}```/g, '')
    .split('\n')
    .flatMap(partTable);
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
function partTable(line: string, at: number, lines: readonly string[]): readonly string[] {
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

// Code, tables and sample data in prose: long, and said better by the schemas. Line by line, once.

/** Most texts have none of these and are not looked at further. */
const SUSPECT = /```|~~~|^[ \t]*(?:[|{[]|(?:\$ )?curl )/m;
const FENCE = /^[ \t]*(?:```|~~~)/;
const TABLE_ROW = /^[ \t]*\|/;
const COMMAND = /^[ \t]*(?:\$ )?curl /;
const DATA_START = /^[ \t]*[{[][ \t]*(?:$|["{[\]}])/;
/** What announces a sample and says nothing without it. */
const ANNOUNCEMENT =
  /^[^.!?]{0,40}\b(?:examples?|samples?|e\.g\.|request|response|body|payload|usage|curl|follows|following)\b[^.!?]{0,30}:?$/i;
const MAX_DATA_LINES = 400;

/** The text without them; a sentence that led to one ends in a full stop. */
export function withoutSamples(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const lines = text.replace(/```[^`\n]{0,2000}```/g, '').split('\n');
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

/** The line behind the sample that begins here; the same line where none does. */
function endOfSample(lines: readonly string[], at: number): number {
  const line = lines[at]!;
  if (FENCE.test(line)) {
    let close = at + 1;
    while (close < lines.length && !FENCE.test(lines[close]!)) close++;
    // A fence that nobody closes is only a line.
    return close < lines.length ? close + 1 : at + 1;
  }
  let end = at;
  if (TABLE_ROW.test(line)) while (end < lines.length && TABLE_ROW.test(lines[end]!)) end++;
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
  if (out.length > 1 && ANNOUNCEMENT.test(last.trim())) out.pop();
  else if (last.endsWith(':')) out[out.length - 1] = `${last.slice(0, -1)}.`;
  out.push('');
}

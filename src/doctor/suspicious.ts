// Text that does not describe but steers: hidden characters, and sentences that talk to the model.
import { findCovert } from '../endpoint/hidden.ts';

const STEERING: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,30}\b(?:previous|prior|earlier|above|other|all|any)\b[^.]{0,30}\b(?:instructions?|rules?|prompts?|tools?)\b/i,
  /\b(?:do not|don't|never)\b[^.]{0,20}\b(?:tell|inform|mention|show|reveal)\b[^.]{0,30}\buser\b/i,
  /\b(?:you must|always)\b[^.]{0,30}\b(?:call|use|invoke)\b[^.]{0,30}\b(?:first|before|instead of)\b[^.]{0,30}\b(?:any|every|all|other)\b/i,
  /<\s{0,20}\/?\s{0,20}(?:important|system|instructions?|secret)\s{0,20}>/i,
  /\b(?:system prompt|developer message|hidden instructions?)\b/i,
  /\b(?:send|forward|copy|upload|exfiltrate)\b[^.]{0,40}\b(?:conversation|chat history|api keys?|passwords?|credentials|ssh keys?|\.env)\b/i,
];

/** A sentence about the first hidden character, or undefined. A mark at the very start of a file means nothing. */
export function findHiddenCharacters(text: string): string | undefined {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const match = findCovert(body);
  if (!match) return undefined;
  const code = match[0].startsWith('\\') ? match[0] : `U+${match[0].codePointAt(0)!.toString(16).toUpperCase()}`;
  const before = body.slice(Math.max(0, match.index - 30), match.index).replace(/\s+/g, ' ');
  return `holds a hidden character (${code}) after “${before}”`;
}

/** A sentence about text that instructs the model, or undefined. */
export function findSuspiciousText(text: string): string | undefined {
  for (const pattern of STEERING) {
    const match = pattern.exec(text);
    if (match) return `talks to the model instead of describing: “${match[0].slice(0, 80)}”`;
  }
  return undefined;
}

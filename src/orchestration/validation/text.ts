// Text from documents and callers, made safe to repeat: no hidden characters, no markup, no line breaks.

// Zero-width, bidirectional, tag and variation characters, soft hyphens and fillers: invisible to a person, read by a
// model. Carriage returns and other controls go as well; tab and line feed are white space.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\uffff\p{DI}\p{Cs}]/gu;

/** The text without characters that only a machine would see. */
export function stripHidden(text: string): string {
  return text.replace(HIDDEN, (found) => (found === '\r' || found === '\u2028' || found === '\u2029' ? '\n' : ''));
}

const SMUGGLED = /[\u{e0000}-\u{e0fff}\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060-\u2064\ufeff\u00ad\p{Cc}]/u;

/** Whether a value (not prose: it cannot be cleaned without changing it) holds text that only a machine would see. */
export function smuggles(value: string): boolean {
  return SMUGGLED.test(value);
}

/** The same on one line. */
export function cleanLine(text: string): string {
  return stripHidden(text).replace(/\s+/g, ' ').trim();
}

/** Prose for a schema or a message: one line, without HTML tags, images and link targets. */
export function cleanProse(text: string): string {
  const bounded = text.length > 20_000 ? text.slice(0, 20_000) : text;
  return cleanLine(
    stripHidden(bounded)
      .replace(/!\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)/g, '$1')
      .replace(/\[([^\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}\)/g, '$1')
      .replace(/<\/?[a-zA-Z][^<>]{0,300}>/g, ' '),
  );
}

export function firstSentence(text: string, max: number): string {
  const prose = cleanProse(text.length > 2_000 ? text.slice(0, 2_000) : text);
  const end = /[.!?](?=\s+[A-Z`"'(]|$)/.exec(prose);
  const sentence = end ? prose.slice(0, end.index + 1) : prose;
  if (sentence.length <= max) return sentence;
  const cutAt = sentence.lastIndexOf(' ', max - 1);
  return `${sentence.slice(0, cutAt > max / 2 ? cutAt : max - 1).trimEnd()}…`;
}

// Bytes → text, by charset.

// WHATWG reads both labels as windows-1252; Node 20's TextDecoder gets these 32 wrong.
const WINDOWS_1252 = [
  ...'\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f',
  ...'\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178',
];

/** Decodes by declared charset; UTF-8 without one, or with one nobody knows. */
export function decodeText(body: Buffer, charset: string | undefined): string {
  if (charset === undefined || isUtf8Label(charset)) {
    const text = body.toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  if (/^(windows-1252|cp1252|iso-?8859-1|latin-?1)$/.test(charset)) {
    return body.toString('latin1').replace(/[\x80-\x9f]/g, (c1) => WINDOWS_1252[c1.charCodeAt(0) - 0x80] as string);
  }
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString('utf8');
  }
}

export function isUtf8Label(charset: string | undefined): boolean {
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii';
}

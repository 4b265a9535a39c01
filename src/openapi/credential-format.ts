// The prefix of a key in its header, if a document gives it in words or in an example: `Token token=…`, `SSWS …`, `Bearer …`.
// Swagger 2.0 has no other way to say it, and many later documents kept the habit.
import type { Secret } from '../endpoint/credential.ts';

const MAX_TEXT_CHARS = 2_000;
const MAX_HOLDER_CHARS = 100;

/** Placeholders for the key: `<token>`, `{key}`, `[yourAuthKey]`, `YOUR_KEY`, `$TOKEN`, `${KEY}`, `%TOKEN%`, `xxxx`, `eb243592-faa2…`. */
const HOLDER =
  /^["'`]?(?:<[^<>@\n]{1,60}>|\{{1,2}[^{}\n]{1,60}\}|\[(?!space)[^[\]\n]{1,60}\]|&lt;|[$%][{(]?[A-Za-z_]{2}|(?:[Yy](?:our|OUR)|[Mm][Yy])[-_ ]?[A-Za-z_-]{2}|[A-Z]{2,20}[_-](?:[A-Z]{2,20}[_-])?(?:KEY|TOKEN|SECRET)|API_?KEY|(?:api|access|auth|secret)[-_]?(?:key|token)\b|xxx|\.\.\.|…|(?=[A-Za-z-]{0,40}[0-9])[A-Za-z0-9._-]{6})/;
/** `Authorization: SSWS <token>`, or the same between quotes: a word before a key, whatever the word is. */
const SHOWN = /(?:authorization["'`]?\s{0,3}[:=]\s{0,3}|["'`])["'`]?([a-z][a-z0-9_-]{1,30}) ((?:[a-z_]{2,20}=)?)/gi;
/** For another header, what it says of Authorization is about something else. */
const QUOTED = /["'`]([a-z][a-z0-9_-]{1,30}) ((?:[a-z_]{2,20}=)?)/gi;
/** The same without quotes; only for words that are authentication schemes wherever they stand. */
const LOOSE = /\b([a-z][a-z-]{1,10}) ((?:[a-z_]{2,20}=)?)/gi;
const COMMON = /^(?:bearer|token|api-?key|api-?token|bot|oauth|jwt|ssws|key)$/i;
/** `prefixed with "Token"`, `required prefix "Token"`, `SSWS as the authentication scheme`. */
const SAID = [
  /(?:prefix(?:ed)?|prepended|preceded|starts?|starting|begins?|beginning)(?: (?:with|by|of|is|it|the|word|string)){0,4}:? ["'`]{1,2}([a-z][a-z0-9_-]{1,30})["'` ]/i,
  /["'`]([a-z][a-z0-9_-]{1,30})["'`] (?:prefix|followed by|\[space\])/i,
  /\b([A-Z][A-Za-z-]{2,30}) as (?:the )?(?:value of )?(?:the )?auth(?:entication|orization) scheme/,
];
/** The same without quotes. */
const LOOSELY_SAID = [
  /(?:prefix(?:ed)?|prepended)(?: (?:with|by|the|word)){0,4} ([a-z][a-z-]{1,10})\b/i,
  /\b([a-z][a-z-]{1,10}) (?:prefix|\[space\]|followed by a space)/i,
  /using the ([a-z][a-z-]{1,10}) scheme/i,
];
/** Words before a placeholder that describe it and are not a scheme. */
const PLAIN_WORDS =
  /^(?:authorization|header|the|your|an?|with|value|is|of|as|this|my|for|and|or|in|to|e\.?g|example|secret|format|use|using|enter|set|pass|named?|called|base64|export|echo|curl|env|const|let|var)$/i;

/** The prefix that the texts about a header ask for, with its space; undefined if they ask for none, or are not clear. */
export function prefixIn(
  texts: readonly (string | undefined)[],
  isAuthorization: boolean,
  name: string,
): string | undefined {
  for (const text of texts) {
    if (text === undefined) continue;
    const plain = text
      .slice(0, MAX_TEXT_CHARS)
      .replaceAll(/<\/?(?:p|b|i|br|code|pre|em|strong|ul|li)\s?\/?>|\*\*/g, ' ');
    const prefix =
      shownIn(plain, isAuthorization ? SHOWN : QUOTED) ??
      (isAuthorization ? (saidIn(plain) ?? shownIn(plain, LOOSE, COMMON)) : undefined);
    if (prefix !== undefined) return prefix;
  }
  if (!isAuthorization) return undefined;
  // 2.0 has no bearer scheme: an Authorization header with such a name is one.
  const [, scheme] = /^(?:http_?)?(bearer|bot)(?:_?(?:auth|token|authentication))?$/i.exec(name) ?? [];
  if (scheme !== undefined) return /^bot$/i.test(scheme) ? 'Bot ' : 'Bearer ';
  return texts.some((text) => /^\s*bearer token/i.test(text ?? '')) ? 'Bearer ' : undefined;
}

/** A word before something that stands for a key. */
function shownIn(text: string, pattern: RegExp, words?: RegExp): string | undefined {
  for (const { 0: match, 1: word = '', 2: member = '', index } of text.matchAll(pattern)) {
    if (PLAIN_WORDS.test(word) || words?.test(word) === false) continue;
    if (HOLDER.test(text.slice(index + match.length, index + match.length + MAX_HOLDER_CHARS)))
      return `${word} ${member}`;
  }
  return undefined;
}

function saidIn(text: string): string | undefined {
  const clear = SAID.map((pattern) => pattern.exec(text)?.[1]).find((word) => word && !PLAIN_WORDS.test(word));
  const word = clear ?? LOOSELY_SAID.map((pattern) => pattern.exec(text)?.[1]).find((one) => one && COMMON.test(one));
  return word === undefined ? undefined : `${word} `;
}

/**
 * The secret without its prefix, so that the prefix is not sent twice and redaction finds the secret alone. No prefix is added if
 * the variable has a scheme of its own (`Basic dXNlcg==`).
 */
export function withPrefix(secret: Secret, prefix: string | undefined): { secret: Secret; prefix?: string } {
  const { value, variable } = secret;
  if (prefix === undefined) return { secret };
  if (value === undefined) return { secret, prefix };
  const text = value.trim();
  const member = prefix.slice(prefix.indexOf(' ') + 1);
  const has = (start: string) => start !== '' && text.toLowerCase().startsWith(start.toLowerCase());
  if (has(prefix)) return { secret: { variable, value: text.slice(prefix.length).trim() }, prefix };
  if (has(member)) return { secret: { variable, value: text.slice(member.length) }, prefix };
  return /^\S+\s+\S/.test(text) ? { secret } : { secret, prefix };
}

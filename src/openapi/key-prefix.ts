// Finds the prefix of a key in its header, if a document has it in a description or an example: `Token token=…`, `SSWS …`,
// `Bearer …`. Swagger 2.0 has no other way to specify it, and many later documents still do it like that.

import type { Secret } from '../endpoint/credential.ts';

const MAX_TEXT_CHARS = 2_000;
const MAX_PLACEHOLDER_CHARS = 100;

/**
 * Placeholders for the key: `<token>`, `{key}`, `[yourAuthKey]`, `YOUR_KEY`, `$TOKEN`, `${KEY}`, `%TOKEN%`, `xxxx`,
 * `eb243592-faa2…`.
 */
const PLACEHOLDER =
  /^["'`]?(?:<[^<>@\n]{1,60}>|\{{1,2}[^{}\n]{1,60}\}|\[(?!space)[^[\]\n]{1,60}\]|&lt;|[$%][{(]?[A-Za-z_]{2}|(?:[Yy](?:our|OUR)|[Mm][Yy])[-_ ]?[A-Za-z_-]{2}|[A-Z]{2,20}[_-](?:[A-Z]{2,20}[_-])?(?:KEY|TOKEN|SECRET)|API_?KEY|(?:api|access|auth|secret)[-_]?(?:key|token)\b|xxx|\.\.\.|…|(?=[A-Za-z-]{0,40}[0-9])[A-Za-z0-9._-]{6})/;
/** Any word before a key, after `Authorization:` or between quotes: `Authorization: SSWS <token>`. */
const IN_EXAMPLE =
  /(?:authorization["'`]?\s{0,3}[:=]\s{0,3}|["'`])["'`]?([a-z][a-z0-9_-]{1,30}) ((?:[a-z_]{2,20}=)?)/gi;
/** Between quotes only: in the description of another header, `Authorization:` is about something else. */
const IN_QUOTES = /["'`]([a-z][a-z0-9_-]{1,30}) ((?:[a-z_]{2,20}=)?)/gi;
/** Without quotes, for words that are always authentication schemes. */
const WITHOUT_QUOTES = /\b([a-z][a-z-]{1,10}) ((?:[a-z_]{2,20}=)?)/gi;
const KNOWN_SCHEME = /^(?:bearer|token|api-?key|api-?token|bot|oauth|jwt|ssws|key)$/i;
/** `prefixed with "Token"`, `required prefix "Token"`, `SSWS as the authentication scheme`. */
const IN_WORDS = [
  /(?:prefix(?:ed)?|prepended|preceded|starts?|starting|begins?|beginning)(?: (?:with|by|of|is|it|the|word|string)){0,4}:? ["'`]{1,2}([a-z][a-z0-9_-]{1,30})["'` ]/i,
  /["'`]([a-z][a-z0-9_-]{1,30})["'`] (?:prefix|followed by|\[space\])/i,
  /\b([A-Z][A-Za-z-]{2,30}) as (?:the )?(?:value of )?(?:the )?auth(?:entication|orization) scheme/,
];
/** The same without quotes. */
const IN_WORDS_WITHOUT_QUOTES = [
  /(?:prefix(?:ed)?|prepended)(?: (?:with|by|the|word)){0,4} ([a-z][a-z-]{1,10})\b/i,
  /\b([a-z][a-z-]{1,10}) (?:prefix|\[space\]|followed by a space)/i,
  /using the ([a-z][a-z-]{1,10}) scheme/i,
];
/** Words before a placeholder that describe it and are not a scheme. */
const NOT_A_SCHEME =
  /^(?:authorization|header|the|your|an?|with|value|is|of|as|this|my|for|and|or|in|to|e\.?g|example|secret|format|use|using|enter|set|pass|named?|called|base64|export|echo|curl|env|const|let|var)$/i;

/** The prefix in the texts about a header, with the space after it; undefined if there is none, or the texts are not clear. */
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
      prefixInExample(plain, isAuthorization ? IN_EXAMPLE : IN_QUOTES) ??
      (isAuthorization ? (prefixInWords(plain) ?? prefixInExample(plain, WITHOUT_QUOTES, KNOWN_SCHEME)) : undefined);
    if (prefix !== undefined) return prefix;
  }
  if (!isAuthorization) return undefined;
  // 2.0 has no bearer scheme: an Authorization header with such a name is one.
  const [, scheme] = /^(?:http_?)?(bearer|bot)(?:_?(?:auth|token|authentication))?$/i.exec(name) ?? [];
  if (scheme !== undefined) return /^bot$/i.test(scheme) ? 'Bot ' : 'Bearer ';
  return texts.some((text) => /^\s*bearer token/i.test(text ?? '')) ? 'Bearer ' : undefined;
}

/** The word before a placeholder for the key. */
function prefixInExample(text: string, pattern: RegExp, words?: RegExp): string | undefined {
  for (const { 0: match, 1: word = '', 2: member = '', index } of text.matchAll(pattern)) {
    if (NOT_A_SCHEME.test(word) || words?.test(word) === false) continue;
    if (PLACEHOLDER.test(text.slice(index + match.length, index + match.length + MAX_PLACEHOLDER_CHARS)))
      return `${word} ${member}`;
  }
  return undefined;
}

function prefixInWords(text: string): string | undefined {
  const firstMatches = (patterns: readonly RegExp[]) => patterns.map((pattern) => pattern.exec(text)?.[1]);
  const word =
    firstMatches(IN_WORDS).find((one) => one && !NOT_A_SCHEME.test(one)) ??
    firstMatches(IN_WORDS_WITHOUT_QUOTES).find((one) => one && KNOWN_SCHEME.test(one));
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

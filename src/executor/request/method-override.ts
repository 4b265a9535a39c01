// Makes sure that a read stays a read: no argument may have a name that makes a server use another method. Names known in advance
// are never offered. This file checks names that only a call brings: members of free-form objects, a whole query string or form.
import { isMethodParameter } from '../../endpoint/headers/header-names.ts';
import { remember } from '../../endpoint/untrusted.ts';
import { Unsendable } from '../../endpoint/wire-text.ts';

const SEPARATOR = /[&;]/;
const MAX_NAME_CHARS = 100;

/** `a=1&b=2`, as a query string or a form. */
export function checkPairs(text: string): void {
  if (SEPARATOR.test(text)) for (const pair of text.split(SEPARATOR)) checkPair(pair);
  else checkPair(text);
}

function checkPair(pair: string): void {
  const end = pair.indexOf('=');
  const name = end < 0 ? pair : pair.slice(0, end);
  if (name.length > MAX_NAME_CHARS ? !isHarmless(name) : !isKnownHarmless(name)) checkName(decodeName(name));
}

function isHarmless(name: string): boolean {
  return !isMethodParameter(decodeName(name).trim());
}

/** Queries use the same names again and again, and a check takes half a microsecond. */
const isKnownHarmless = remember(1_000, isHarmless);

/** Checks the top-level members of a body: frameworks read the method from no others. */
export function checkMembers(body: unknown): void {
  if (typeof body === 'string') checkPairs(body);
  else if (typeof body === 'object' && body !== null) for (const name of Object.keys(body)) checkName(name);
}

function checkName(name: string): void {
  if (isMethodParameter(name.trim())) {
    throw new Unsendable(`would send ${JSON.stringify(name.slice(0, 60))}, which makes this read another operation`);
  }
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

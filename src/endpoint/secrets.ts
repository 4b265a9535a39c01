// Secrets by value: which ones the gateway holds, and a function that takes them out of any text on its way out.
import type { Credential, Domain, Secret } from './model.ts';

/** Every secret of these domains, as it could appear in a message. */
export function collectSecrets(domains: readonly Domain[]): string[] {
  const seen = new Set<Credential>();
  const values = new Set<string>();
  for (const domain of domains) {
    for (const endpoint of domain.endpoints) {
      for (const alternative of endpoint.security) {
        for (const credential of alternative) {
          // Thousands of endpoints share a handful of credentials.
          if (seen.has(credential)) continue;
          seen.add(credential);
          for (const value of secretValues(credential)) values.add(value);
        }
      }
    }
  }
  return [...values];
}

/** What a credential takes from the environment. */
export function secretsIn(credential: Credential): readonly Secret[] {
  if (credential.kind === 'basic') return [credential.username, credential.password];
  return credential.kind === 'oauth2' ? [credential.clientId, credential.clientSecret] : [credential.secret];
}

/** The origin that sees its secrets: that of the API, or of the server that issues tokens. */
export function destinationOf(credential: Credential, baseUrl: string): string {
  const url = credential.kind === 'oauth2' ? credential.tokenUrl : baseUrl;
  return URL.canParse(url) ? new URL(url).origin : 'the API';
}

/** The variables it waits for. An empty password is common (the key is the user name), any other empty secret is none. */
export function unsetVariables(credential: Credential): string[] {
  const mayBeEmpty = credential.kind === 'basic' ? credential.password : undefined;
  return secretsIn(credential)
    .filter((secret) => secret.value === undefined || (secret.value === '' && secret !== mayBeEmpty))
    .map(({ variable }) => variable);
}

/** What must not be seen of one credential. A user name is none of it, unless the API takes the key there. */
export function secretValues(credential: Credential): string[] {
  switch (credential.kind) {
    case 'apiKey':
    case 'bearer':
      return given(credential.secret);
    case 'basic':
      return [
        ...given(credential.password.value ? credential.password : credential.username),
        ...basicPair(credential),
      ];
    case 'oauth2':
      return given(credential.clientSecret);
  }
}

function given(secret: Secret): string[] {
  return secret.value === undefined || secret.value === '' ? [] : [secret.value];
}

function basicPair(credential: Extract<Credential, { kind: 'basic' }>): string[] {
  const { username, password } = credential;
  if (username.value === undefined && password.value === undefined) return [];
  return [Buffer.from(`${username.value ?? ''}:${password.value ?? ''}`).toString('base64')];
}

/** Replaces known secrets by `[redacted]`: as they are, JSON-escaped, percent-encoded and inside base64. */
export interface Redactor {
  (text: string): string;
  /** For secrets that come into being while running: OAuth access tokens. */
  addSecret(value: string): void;
}

const REPLACEMENT = '[redacted]';
/** Shorter values would take ordinary words out of every text. */
const MIN_LENGTH = 4;
/** A shorter run of base64 appears by chance. */
const MIN_BASE64_LENGTH = 8;
/** Tokens come and go; the oldest of those added while running make room. */
const MAX_ADDED = 64;

export function createRedactor(secrets: readonly string[]): Redactor {
  const configured = new Map<string, readonly string[]>();
  const added = new Map<string, readonly string[]>();
  for (const value of secrets) if (value.length >= MIN_LENGTH) configured.set(value, formsOf(value));
  let needles = needlesOf(configured, added);
  const escaped = [...configured.keys()].flatMap((value) => escapedForm(value) ?? []);

  const redact = (text: string): string => {
    let out = text;
    for (const needle of needles) if (out.includes(needle)) out = out.replaceAll(needle, REPLACEMENT);
    for (const { anchor, pattern } of escaped) if (out.includes(anchor)) out = out.replace(pattern, REPLACEMENT);
    return out;
  };
  return Object.assign(redact, {
    addSecret(value: string) {
      if (value.length < MIN_LENGTH || configured.has(value) || added.has(value)) return;
      if (added.size >= MAX_ADDED) added.delete(added.keys().next().value as string);
      added.set(value, formsOf(value));
      needles = needlesOf(configured, added);
    },
  });
}

/** Longest first, so that a secret inside another does not leave the rest of it standing. */
function needlesOf(...maps: readonly ReadonlyMap<string, readonly string[]>[]): string[] {
  const needles = new Set<string>();
  for (const map of maps) for (const forms of map.values()) for (const form of forms) needles.add(form);
  return [...needles].sort((a, b) => b.length - a.length);
}

function formsOf(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1)];
  try {
    const percent = encodeURIComponent(value);
    const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
    const form = new URLSearchParams([['', value]]).toString().slice(1);
    for (const encoded of [percent, strict, form]) {
      const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase());
      forms.push(encoded, lowerCase);
    }
  } catch {
    // Half a surrogate pair has no percent-encoded form, so it cannot appear in one.
  }
  for (const run of base64Runs(value)) forms.push(run, run.replaceAll('+', '-').replaceAll('/', '_'));
  return forms;
}

/** Finds a secret whose punctuation is escaped, and a part of it no escaping touches: looking for that first is cheap. */
interface Escaped {
  readonly anchor: string;
  readonly pattern: RegExp;
}

const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** PHP writes `/` as `\\/`, .NET `+` as `\\u002B`, Go `&` as `\\u0026`, templates `&amp;` or `&#x2F;`: each its own selection. */
function escapedForm(value: string): Escaped | undefined {
  if (/^[\w.~-]*$/.test(value)) return undefined;
  const anchor = value
    .split(/[^A-Za-z0-9]+/)
    .reduce((longest, run) => (run.length > longest.length ? run : longest), '');
  const parts = Array.from(value, (char) => (/[A-Za-z0-9]/.test(char) ? char : `(?:${spellings(char).join('|')})`));
  return { anchor, pattern: new RegExp(parts.join(''), 'g') };
}

function spellings(char: string): string[] {
  const code = char.codePointAt(0) as number;
  const digits = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const units = char.split('').map((unit) => `\\\\{1,3}u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
  const bytes = [...Buffer.from(char)].map((byte) => `%${digits(byte.toString(16).padStart(2, '0'))}`);
  return [
    `\\\\{0,3}${char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}`,
    units.join(''),
    bytes.join(''),
    `&#[xX]0{0,4}${digits(code.toString(16))};`,
    `&#0{0,4}${code};`,
    ...(NAMED[char] === undefined ? [] : [`&${NAMED[char]};`]),
  ];
}

/** The characters that stay the same wherever the secret stands inside base64-encoded text: one run per alignment. */
function base64Runs(value: string): string[] {
  const runs: string[] = [];
  const bytes = Buffer.from(value);
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const start = offset === 0 ? 0 : offset + 1;
    const run = encoded.slice(start, Math.floor(((offset + bytes.length) * 8) / 6));
    if (run.length >= MIN_BASE64_LENGTH) runs.push(run);
  }
  return runs;
}

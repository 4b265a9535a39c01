// Text with placeholders for the caller: `${principal.sub}` in headers of a domain file and in the claims of an assertion. It is
// parsed when a domain is built, and filled in for every call with what was verified about the caller.

/** Verified facts about a caller. A Principal has these fields. */
export interface VerifiedCaller {
  readonly id: string;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** The content of `${…}`: the caller's id, a claim of its token, or the tool it calls. */
interface CallerField {
  /** As it is written, without a default: `principal.sub`. */
  readonly name: string;
  /** The name of the claim, if it is one. */
  readonly claim?: string;
  /** The value if the caller has none. */
  readonly fallback?: string;
}

export interface CallerText {
  /** As it was written, for people and models. */
  readonly shown: string;
  readonly parts: readonly (string | CallerField)[];
}

/** What a text becomes for one caller, or why it does not. */
export type FilledText<Value> = { readonly value: Value } | { readonly problem: string };

const FORM = /\$\{(principal[^{}]*|tool)\}/g;
const CLAIMS = 'principal.claims.';

export function namesCaller(text: string): boolean {
  return /\$\{principal(?:[.:}]|$)/.test(text);
}

/** Undefined if `text` has no placeholder for the caller. `${tool}` is one only with `withTool`. */
export function parseCallerText(
  text: string,
  { withTool = false } = {},
): { readonly text: CallerText } | { readonly problem: string } | undefined {
  const parts: (string | CallerField)[] = [];
  let at = 0;
  for (const { 0: form, 1: inner = '', index } of text.matchAll(FORM)) {
    if (inner === 'tool' && !withTool) continue;
    const mark = inner.indexOf(':-');
    const name = mark < 0 ? inner : inner.slice(0, mark);
    const field = toField(name);
    if (field === undefined)
      return {
        problem: `there is no \${${name}}; a caller has \${principal.id}, and with a verified token \${principal.sub} and \${principal.claims.<name>}`,
      };
    if (index > at) parts.push(text.slice(at, index));
    parts.push(mark < 0 ? field : { ...field, fallback: inner.slice(mark + 2) });
    at = index + form.length;
  }
  if (parts.length === 0) return undefined;
  if (at < text.length) parts.push(text.slice(at));
  return { text: { shown: text, parts } };
}

function toField(name: string): CallerField | undefined {
  if (name === 'principal.id' || name === 'tool') return { name };
  if (name === 'principal.sub') return { name, claim: 'sub' };
  const claim = name.startsWith(CLAIMS) ? name.slice(CLAIMS.length) : '';
  return claim === '' || /[\s$]/.test(claim) ? undefined : { name, claim };
}

/** Separators between the parts of a header: a caller's value must not contain one that the text uses itself. */
const SEPARATORS = [';', ',', '&'];

/** The text for this caller. Only strings, numbers and booleans can be part of it. */
export function fillCallerText({ parts }: CallerText, caller: VerifiedCaller, tool: string): FilledText<string> {
  let result = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      result += part;
      continue;
    }
    const value = lookUpField(part, caller, tool);
    if (value === undefined) return { problem: describeMissing(part) };
    if (typeof value === 'object')
      return { problem: `the claim \${${part.name}} of the caller's token is a list or an object, not a text` };
    const text = String(value);
    const separator = SEPARATORS.find(
      (one) => text.includes(one) && parts.some((own) => typeof own === 'string' && own.includes(one)),
    );
    if (separator !== undefined)
      return {
        problem: `\${${part.name}} of the caller contains a "${separator}", which the text around it uses as a separator`,
      };
    result += text;
  }
  return { value: result };
}

/** A text that is only one claim has the value of that claim, of any type. */
export function fillValue(text: CallerText, caller: VerifiedCaller, tool: string): FilledText<unknown> {
  const [part] = text.parts;
  if (text.parts.length > 1 || part === undefined || typeof part === 'string')
    return fillCallerText(text, caller, tool);
  const value = lookUpField(part, caller, tool);
  return value === undefined ? { problem: describeMissing(part) } : { value };
}

function describeMissing({ name }: CallerField): string {
  return `the caller has no \${${name}}`;
}

function lookUpField({ name, claim, fallback }: CallerField, { id, claims }: VerifiedCaller, tool: string): unknown {
  const value = claim === undefined ? (name === 'tool' ? tool : id) : findClaim(claims ?? {}, claim);
  return value === undefined || value === null || value === '' ? fallback : value;
}

/** The claim with exactly this name (`https://shop.example/role`), otherwise the nested one (`realm_access.roles`). */
function findClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Whether the text can be filled in for any caller: it uses only the id, or claims with a default. */
export function fitsAnyCaller({ parts }: CallerText): boolean {
  return parts.every((part) => typeof part === 'string' || part.claim === undefined || part.fallback !== undefined);
}

export function readsClaim({ parts }: CallerText): boolean {
  return parts.some((part) => typeof part !== 'string' && part.claim !== undefined);
}

/** Whether it contains the issuer: the id starts with it. */
export function readsIssuer({ parts }: CallerText): boolean {
  return parts.some((part) => typeof part !== 'string' && (part.name === 'principal.id' || part.claim === 'iss'));
}

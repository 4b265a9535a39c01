// The formats that are checked, and how each is explained. ajv-formats does the difficult ones; its `byte` and `url` are
// replaced (the first accepts a bad line if another one is good, the second refuses localhost), and every regular
// expression sees bounded input only, because several of them are quadratic.
import { createRequire } from 'node:module';
import type { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Budget } from './budget.ts';

export interface CheckedFormat {
  /** The JSON type that the format applies to; other types pass. */
  readonly on: 'string' | 'number';
  readonly test: (value: never, budget: Budget) => boolean;
  /** What is expected, with an example. */
  readonly expected: string;
}

const MAX_CHARS = 2_048;
const OPAQUE_URI = /^[a-z][a-z0-9+.-]*:[^\s<>"\\^`{|}]+$/i;

let rules: Record<string, unknown> | undefined;
/** Loaded with the first value of such a format; compiling the expressions takes a millisecond. */
const ruleOf = (name: keyof typeof fullFormats): ((value: string) => boolean) => {
  rules ??= (createRequire(import.meta.url)('ajv-formats/dist/formats.js') as { fullFormats: object })
    .fullFormats as Record<string, unknown>;
  return toTest(rules[name]);
};

const text = (name: keyof typeof fullFormats, words: string): CheckedFormat => {
  let check: ((value: string) => boolean) | undefined;
  const test = (value: string) => {
    check ??= ruleOf(name);
    return value.length <= MAX_CHARS && check(value);
  };
  return { on: 'string', test, expected: words };
};

const whole = (min: number, max: number, words: string): CheckedFormat => ({
  on: 'number',
  test: (value: number) => Number.isInteger(value) && value >= min && value <= max,
  expected: words,
});

const shortUri = text('uri', '');
// A data: URI of an image is a long and valid URI; one linear expression is enough for those.
const isUri = (value: string, budget: Budget): boolean => {
  if (value.length <= MAX_CHARS) return shortUri.test(value as never, budget);
  budget.spendOnText(value);
  return OPAQUE_URI.test(value);
};
const uri: CheckedFormat = { on: 'string', test: isUri, expected: 'an absolute URI such as https://example.com/path' };

export const FORMATS: ReadonlyMap<string, CheckedFormat> = new Map<string, CheckedFormat>([
  ['date', text('date', 'a date such as 2026-01-31')],
  ['time', text('time', 'a time with zone such as 09:30:00Z')],
  ['date-time', text('date-time', 'a date and time with zone such as 2026-01-31T09:30:00Z')],
  ['duration', text('duration', 'an ISO 8601 duration such as P3DT4H')],
  ['uri', uri],
  ['url', uri],
  ['uri-reference', text('uri-reference', 'a URI or relative reference such as /path?x=1')],
  ['uri-template', text('uri-template', 'a URI template such as /pets/{id}')],
  ['email', text('email', 'an email address such as ann@example.com')],
  ['hostname', text('hostname', 'a host name such as api.example.com')],
  ['ipv4', text('ipv4', 'an IPv4 address such as 192.0.2.1')],
  ['ipv6', text('ipv6', 'an IPv6 address such as 2001:db8::1')],
  ['uuid', text('uuid', 'a UUID such as 123e4567-e89b-12d3-a456-426614174000')],
  ['regex', text('regex', 'a regular expression')],
  ['json-pointer', text('json-pointer', 'a JSON pointer such as /a/0')],
  ['json-pointer-uri-fragment', text('json-pointer-uri-fragment', 'a JSON pointer fragment such as #/a/0')],
  ['relative-json-pointer', text('relative-json-pointer', 'a relative JSON pointer such as 1/a')],
  ['byte', { on: 'string', test: isBase64, expected: 'base64 text such as aGVsbG8=' }],
  ['int8', whole(-128, 127, 'an integer from -128 to 127')],
  ['uint8', whole(0, 255, 'an integer from 0 to 255')],
  ['int16', whole(-32_768, 32_767, 'an integer from -32768 to 32767')],
  ['uint16', whole(0, 65_535, 'an integer from 0 to 65535')],
  ['int32', whole(-2_147_483_648, 2_147_483_647, 'a 32-bit integer (-2147483648 to 2147483647)')],
  ['uint32', whole(0, 4_294_967_295, 'an integer from 0 to 4294967295')],
  // 2^63 itself is what a rounded 2^63-1 looks like in JavaScript; it must pass.
  ['int64', whole(-(2 ** 63), 2 ** 63, 'a 64-bit integer')],
  ['uint64', whole(0, 2 ** 64, 'an integer from 0 to 2^64-1')],
]);

function toTest(rule: unknown): (value: string) => boolean {
  if (typeof rule === 'function') return rule as (value: string) => boolean;
  if (rule instanceof RegExp) return (value) => rule.test(value);
  return toTest((rule as { validate: unknown }).validate);
}

/** RFC 4648 section 4, padded; line breaks as MIME writers put them are accepted. */
function isBase64(value: string, budget: Budget): boolean {
  budget.spendOnText(value);
  const plain = /[\r\n]/.test(value) ? value.replace(/\r?\n/g, '') : value;
  return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
}

// One parameter, or one property of a form → its text on the wire: every style, explode and type of the OAS style
// tables, compiled once per endpoint. Items are encoded before they are joined, so a delimiter inside a value is never
// mistaken for a separator.
import type { Args, ParameterStyle, PartEncoding, Target } from '../../endpoint/model.ts';
import { encode, encodeReserved, encodeReservedSegment, Unsendable } from '../../endpoint/wire-text.ts';
import { writeJson } from '../answer/lossless.ts';

export type ParameterTarget = Extract<Target, { name: string }>;

/** `undefined`: the parameter is left out. */
export type Serialise = (value: unknown) => string | undefined;

type Encode = (text: string) => string;
type Pair = readonly [name: string, text: string];

/** Deeper values are refused rather than written: no API reads thirty brackets. */
const MAX_DEPTH = 32;

/** For `query` and `cookie` the text includes the name (`a=1&a=2`), for `path` and `header` it is the value alone. */
export function compileParameter(target: ParameterTarget): Serialise {
  const encoder = encoderOf(target);
  if (target.mediaType !== undefined) return compileContent(target, encoder);
  const name = target.in === 'query' || target.style === 'matrix' || target.in === 'cookie' ? nameOf(target) : '';
  const write = compileStyle(target, name, encoder);
  return (value) => (value === undefined || value === null ? undefined : write(value));
}

/** Own properties only: an argument may be called `constructor`, and inherited ones are not arguments. */
export function argumentOf(args: Args, key: string): unknown {
  return Object.hasOwn(args, key) ? args[key] : undefined;
}

/** The value as text, unencoded: what a scalar looks like anywhere outside JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return writeJson(value);
  return String(value);
}

/** Whether a value has no content to send. The OAS does not define these, and servers treat them as absent. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value)
    ? value.every((item) => item === null || item === undefined)
    : pairsOf(value).length === 0;
}

function encoderOf(target: ParameterTarget): Encode {
  if (target.style === 'cookie') return oneCookie;
  if (target.in === 'header') return (text) => text;
  if (target.allowReserved !== true) return encode;
  return target.in === 'path' ? encodeReservedSegment : encodeReserved;
}

/** The `cookie` style does not encode (OAS 3.2), so a value that would end its cookie cannot be sent. */
function oneCookie(text: string): string {
  if (text.includes(';')) throw new Unsendable('goes into a cookie and must not hold a semicolon');
  return text;
}

function nameOf(target: ParameterTarget): string {
  return target.style === 'cookie' ? target.name : encode(target.name);
}

function compileContent(target: ParameterTarget, encoder: Encode): Serialise {
  const serialise = contentText(target.mediaType ?? '');
  const prefix = target.in === 'query' || target.in === 'cookie' ? `${nameOf(target)}=` : '';
  // Header bytes must be printable ASCII; JSON can express every character in ASCII.
  const printable = target.in === 'header' ? escapeNonAscii : (text: string) => text;
  return (value) => (value === undefined || value === null ? undefined : prefix + encoder(printable(serialise(value))));
}

/** A value written as a media type, for `content` parameters and `in: querystring`. */
export function contentText(mediaType: string): (value: unknown) => string {
  if (isJson(mediaType)) return writeJson;
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType)) return compileForm();
  return toText;
}

export function isJson(mediaType: string | undefined): boolean {
  return mediaType !== undefined && /[/+]json\b/i.test(mediaType);
}

/** An object as `application/x-www-form-urlencoded`: each property as its encoding says. */
export function compileForm(encoding: Readonly<Record<string, PartEncoding>> = {}): (value: unknown) => string {
  const serialisers = new Map<string, Serialise>();
  for (const [name, part] of Object.entries(encoding)) {
    if (part.style !== undefined || part.explode !== undefined) serialisers.set(name, compileProperty(name, part));
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return toText(value);
    return Object.entries(value)
      .flatMap(([name, item]) => {
        if (isEmpty(item)) return [];
        const serialise = serialisers.get(name);
        return serialise === undefined ? formPairs(name, item, encoding[name]) : serialise(item);
      })
      .filter(Boolean)
      .join('&');
  };
}

function compileProperty(name: string, { style = 'form', explode, ...part }: PartEncoding): Serialise {
  const { allowReserved = false, delimiter } = part;
  return compileParameter({
    in: 'query',
    name,
    style,
    explode: explode ?? (style === 'form' || style === 'deepObject'),
    allowReserved,
    ...(delimiter !== undefined && { delimiter }),
  });
}

/** Without a style the property's content type decides (OAS 3.1.1, Encoding Object): objects are JSON, arrays repeat. */
function formPairs(name: string, item: unknown, part?: PartEncoding): string[] {
  const json = isJson(part?.contentType);
  const values = Array.isArray(item) && !json ? item : [item];
  checkRepetition(name, values.length);
  return itemsOf(values, part?.allowReserved === true ? encodeReserved : encode, json ? writeJson : toText).map(
    (text) => `${encode(name)}=${text}`,
  );
}

function escapeNonAscii(text: string): string {
  return text.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * As in RFC 6570: what precedes a value, what separates exploded ones, and whether they have names. Items are joined by
 * `delimiter`.
 */
interface Style {
  readonly first?: string;
  readonly separator: string;
  readonly named?: boolean;
  readonly delimiter?: string;
}

const STYLES: Readonly<Record<Exclude<ParameterStyle, 'deepObject'>, Style>> = {
  simple: { separator: ',' },
  label: { first: '.', separator: '.' },
  matrix: { first: ';', separator: ';', named: true },
  form: { separator: '&', named: true },
  cookie: { separator: '; ', named: true },
  spaceDelimited: { separator: '&', named: true, delimiter: '%20' },
  pipeDelimited: { separator: '&', named: true, delimiter: '%7C' },
};

function compileStyle(target: ParameterTarget, name: string, encoder: Encode): (value: unknown) => string | undefined {
  const { style, explode } = target;
  if (style === 'deepObject') {
    return (value) => {
      const pairs = collectDeep(name, value, target.arrays ?? 'brackets', encode, '%5B', '%5D');
      return pairs.length === 0 ? undefined : pairs.map(([key, text]) => `${key}=${encoder(text)}`).join('&');
    };
  }
  const { first = '', separator, named = false, delimiter: own } = STYLES[style];
  const delimiter = own ?? (target.delimiter === undefined ? ',' : encoder(target.delimiter));
  // RFC 6570 3.2.7: an empty value loses its `=`.
  const pair = (key: string, text: string) => (text === '' && style === 'matrix' ? key : `${key}=${text}`);
  const whole = (text: string) => first + (named ? pair(name, text) : text);
  return (value) => {
    if (typeof value !== 'object' || value === null) return whole(encoder(toText(value)));
    if (Array.isArray(value)) {
      const items = itemsOf(value, encoder);
      if (items.length === 0) return undefined;
      if (!explode) return whole(items.join(delimiter));
      return first + (named ? items.map((text) => pair(name, text)) : items).join(separator);
    }
    const pairs = pairsOf(value).map(([key, text]): Pair => [encoder(key), encoder(text)]);
    if (pairs.length === 0) return undefined;
    if (!explode) return whole(pairs.flat().join(delimiter));
    return first + pairs.map(([key, text]) => pair(key, text)).join(separator);
  };
}

function itemsOf(values: readonly unknown[], encoder: Encode, write = toText): string[] {
  const items: string[] = [];
  for (const item of values) if (item !== null && item !== undefined) items.push(encoder(write(item)));
  return items;
}

function pairsOf(value: object): Pair[] {
  const pairs: Pair[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) pairs.push([key, toText(item)]);
  }
  return pairs;
}

/**
 * Names repeat: one long key above many small values would make a request thousands of times as large as the arguments.
 */
const MAX_REPEATED_CHARS = 16 * 1024 * 1024;
const LONG_NAME = 'has a long name that is repeated for each value; send fewer values at a time';

/** Refuses a name that would be written too many times. */
export function checkRepetition(name: string, count: number): void {
  if (name.length * count > MAX_REPEATED_CHARS) throw new Unsendable(LONG_NAME);
}

/** `a[b][c]=1`: the names of a nested value, brackets and keys encoded as asked. */
export function collectDeep(
  name: string,
  value: unknown,
  arrays: 'indices' | 'brackets' | 'repeat',
  encodeKey: Encode,
  open: string,
  close: string,
): Pair[] {
  const pairs: Pair[] = [];
  let chars = 0;
  const visit = (path: string, inner: unknown, depth: number): void => {
    if (inner === undefined || inner === null) return;
    if (typeof inner !== 'object') {
      chars += path.length;
      if (chars > MAX_REPEATED_CHARS) throw new Unsendable(LONG_NAME);
      pairs.push([path, toText(inner)]);
      return;
    }
    if (depth >= MAX_DEPTH) throw new Unsendable(`is nested deeper than ${MAX_DEPTH} levels; send a flatter value`);
    if (!Array.isArray(inner)) {
      for (const [key, item] of Object.entries(inner)) visit(path + open + encodeKey(key) + close, item, depth + 1);
      return;
    }
    for (const [index, item] of inner.entries()) {
      // `a[][b]` is ambiguous: objects inside an array always get their index.
      const isIndexed = arrays === 'indices' || (typeof item === 'object' && item !== null);
      const suffix = isIndexed ? `${open}${index}${close}` : arrays === 'brackets' ? open + close : '';
      visit(path + suffix, item, depth + 1);
    }
  };
  visit(name, value, 0);
  return pairs;
}

// One pass over the bytes of a JSON answer that needs no shaping: is it valid JSON, is it compact, where are its lists, and how is it
// written inside another JSON text. It is WebAssembly (scan-json.wat), because without it calls that answer 18 KB take 1.7 times the
// CPU: the pass takes 14 us, JSON.stringify() of the text 56, and JSON.parse() 47 more, with 40 KB of garbage.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface ScannedJson {
  /** Its text as a JSON string: what JSON.stringify() makes of it, read as UTF-8. */
  readonly quoted: string;
  /** No line breaks, no unnecessary escapes, no blanks around it: apart from blanks inside, rewriting would not make it shorter. */
  readonly isPlain: boolean;
  /** ASCII without control characters, except for line breaks and tabs between values: nothing in it is hidden. */
  readonly isSimple: boolean;
  /** The lists that are not inside another list and have more than one item. */
  readonly lists: readonly LongList[];
}

/** From the first byte of the first item to the first byte of the last. */
export interface LongList {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A longer answer is parsed instead, so that the memory of the pass stays small: it never shrinks. */
const MAX_BYTES = 1024 * 1024;
/** Where the text begins in the memory of the pass, and the indices of the words that it returns: see scan-json.wat. */
const TEXT = 2048;
const IS_PLAIN = 0;
const LIST_COUNT = 1;
const IS_SIMPLE = 2;
const FIRST_LIST = 64;
/** How far the pass may read or write beyond the text and beyond its JSON string. */
const SLACK = 16;
const PAGE_BYTES = 64 * 1024;

interface Pass {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Returns the end of the JSON string that begins at `out`; 0 if the text is not JSON. */
  scan(length: number, out: number): number;
}

/** Provided by the runtime; TypeScript has its types only for browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Buffer) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

let pass: Pass | undefined;
/** True if this runtime has no WebAssembly, or no memory for it. */
let isUnavailable = false;
let bytes = Buffer.alloc(0);
let words = new Uint32Array(0);

/** Undefined if the text is not JSON, or if it has to be parsed to find out. */
export function scanJson(text: Buffer): ScannedJson | undefined {
  const { length } = text;
  const out = TEXT + length + SLACK;
  // At most two bytes for each, and the quotes around them.
  if (length > MAX_BYTES || !ensureMemory(out + 2 * length + 2 + SLACK)) return undefined;
  bytes.set(text, TEXT);
  const end = pass!.scan(length, out);
  if (end === 0) return undefined;
  const isSimple = words[IS_SIMPLE] === 1;
  return {
    quoted: isSimple ? bytes.toString('latin1', out, end) : bytes.toString('utf8', out, end),
    isPlain: words[IS_PLAIN] === 1,
    isSimple,
    lists: words[LIST_COUNT] === 0 ? NO_LISTS : readLists(words[LIST_COUNT]!),
  };
}

const NO_LISTS: readonly LongList[] = [];

function readLists(count: number): readonly LongList[] {
  const lists: LongList[] = [];
  for (let at = FIRST_LIST; lists.length < count; at += 3)
    lists.push({ from: words[at]!, to: words[at + 1]!, count: words[at + 2]! });
  return lists;
}

/**
 * The same value as JSON text, in which every item of a list except the last is a 0, together with all lists inside it: enough
 * to count the items and to find the next page.
 */
export function writeOutline(text: Buffer, lists: readonly LongList[]): string {
  let outline = '';
  let end = 0;
  for (const { from, to, count } of lists) {
    outline += text.toString('utf8', end, from) + '0,'.repeat(count - 1);
    end = to;
  }
  return outline + text.toString('utf8', end);
}

function ensureMemory(size: number): boolean {
  if (size <= bytes.length) return true;
  if (isUnavailable) return false;
  try {
    pass ??= loadPass();
    const missing = Math.max(0, size - pass.memory.buffer.byteLength);
    pass.memory.grow(Math.ceil(missing / PAGE_BYTES));
    bytes = Buffer.from(pass.memory.buffer);
    words = new Uint32Array(pass.memory.buffer);
    return true;
  } catch {
    isUnavailable = true;
    return false;
  }
}

function loadPass(): Pass {
  const file = createRequire(import.meta.url).resolve('#scan-json');
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports as Pass;
}

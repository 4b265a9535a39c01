// Puts one entry into a JSON file that people write too: comments, order and spacing of everything else stay as they
// are, so the text is edited, not written anew.
import { GatewayError } from '../../errors.ts';

interface Entry {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

interface ObjectText {
  readonly entries: readonly Entry[];
  /** Behind the opening brace, and of the closing one. */
  readonly open: number;
  readonly close: number;
}

/** The text with `section.name` set to the value, or without it. Throws BAD_CONFIG where it is no JSON object. */
export function editJson(text: string, file: string, section: string, name: string, value: object | undefined): string {
  if (text.trim() === '') return value ? `${JSON.stringify({ [section]: { [name]: value } }, null, 2)}\n` : text;
  const root = readObject(text, skipBlank(text, text.startsWith('\ufeff') ? 1 : 0), file);
  const holder = root.entries.find(({ key }) => key === section);
  const indent = indentOf(text, root);
  if (!holder) return value ? insert(text, root, section, { [name]: value }, indent, 1) : text;
  const servers = readObject(text, holder.valueStart, file);
  const entry = servers.entries.find(({ key }) => key === name);
  if (!value) return entry ? remove(text, servers, entry) : text;
  if (!entry) return insert(text, servers, name, value, indent, 2);
  return text.slice(0, entry.valueStart) + print(value, indent, 2) + text.slice(entry.valueEnd);
}

function print(value: object, indent: string, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent.repeat(depth)}`);
}

function insert(text: string, into: ObjectText, key: string, value: object, indent: string, depth: number): string {
  const last = into.entries.at(-1);
  const line = `\n${indent.repeat(depth)}${JSON.stringify(key)}: ${print(value, indent, depth)}`;
  if (!last) return `${text.slice(0, into.open)}${line}\n${indent.repeat(depth - 1)}${text.slice(into.close)}`;
  const behind = skipBlank(text, last.valueEnd);
  // A comma may stand there already, as some of these files allow.
  const at = text[behind] === ',' ? behind + 1 : last.valueEnd;
  return `${text.slice(0, at)}${text[behind] === ',' ? '' : ','}${line}${text.slice(at)}`;
}

function remove(text: string, from: ObjectText, entry: Entry): string {
  const index = from.entries.indexOf(entry);
  const behind = skipBlank(text, entry.valueEnd);
  const next = from.entries[index + 1];
  if (next) return text.slice(0, entry.start) + text.slice(next.start);
  const before = from.entries[index - 1];
  const end = text[behind] === ',' ? behind + 1 : entry.valueEnd;
  return text.slice(0, before ? before.valueEnd : from.open) + text.slice(end);
}

function indentOf(text: string, { entries }: ObjectText): string {
  const [first] = entries;
  const before = first && /\n([ \t]+)$/.exec(text.slice(0, first.start));
  return before?.[1] ?? '  ';
}

function readObject(text: string, at: number, file: string): ObjectText {
  const wrong = (): never => {
    throw new GatewayError(
      'BAD_CONFIG',
      `${file} is not a valid JSON object, so the client cannot read it either. Repair it first.`,
    );
  };
  if (text[at] !== '{') wrong();
  const entries: Entry[] = [];
  let position = skipBlank(text, at + 1);
  while (text[position] !== '}') {
    const start = position;
    const end = skipValue(text, position);
    if (text[start] !== '"' || end < 0) wrong();
    const colon = skipBlank(text, end);
    const valueStart = skipBlank(text, colon + 1);
    const valueEnd = skipValue(text, valueStart);
    if (text[colon] !== ':' || valueEnd < 0) wrong();
    entries.push({ key: JSON.parse(text.slice(start, end)) as string, start, valueStart, valueEnd });
    position = skipBlank(text, valueEnd);
    if (text[position] === ',') position = skipBlank(text, position + 1);
    else if (text[position] !== '}') wrong();
  }
  return { entries, open: at + 1, close: position };
}

/** White space and comments. */
function skipBlank(text: string, at: number): number {
  let position = at;
  while (position < text.length) {
    if (/\s/.test(text[position]!)) position++;
    else if (text.startsWith('//', position)) position = endOf(text, '\n', position);
    else if (text.startsWith('/*', position)) position = endOf(text, '*/', position + 2);
    else break;
  }
  return position;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/** Behind a value; -1 where none ends. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  let position = at;
  while (position < text.length) {
    const char = text[position]!;
    if (char === '"') {
      position++;
      while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
      position++;
    } else if (char === '{' || char === '[') {
      depth++;
      position++;
    } else if (char === '}' || char === ']') {
      depth--;
      position++;
    } else if (depth === 0) {
      const word = /^[-+.\w]+/.exec(text.slice(position, position + 100));
      return word ? position + word[0].length : -1;
    } else {
      const next = skipBlank(text, position);
      position = next === position ? position + 1 : next;
    }
    if (depth === 0) return position > text.length ? -1 : position;
    if (depth < 0) return -1;
  }
  return -1;
}

// Puts one entry into a JSON file that people write too, or removes it. Comments, order and spacing of everything else stay as they
// are: the text is edited at the places that the parser finds. jsonc-parser's own edits would format the lines around them.
import { type Node, type ParseError, parseTree, stripComments } from 'jsonc-parser';
import { GatewayError } from '../../errors.ts';

/** The text with `section.name` set to the value, or without it. Throws BAD_CONFIG if it is not a JSON object. */
export function editJson(text: string, file: string, section: string, name: string, value: object | undefined): string {
  if (text.trim() === '') return value ? `${JSON.stringify({ [section]: { [name]: value } }, null, 2)}\n` : text;
  // The parser does not support byte order marks.
  if (text.startsWith('\ufeff')) return `\ufeff${editJson(text.slice(1), file, section, name, value)}`;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const holder = findProperty(root, section);
  const servers = holder && valueNode(holder);
  if (root?.type !== 'object' || errors.length > 0 || (servers && servers.type !== 'object'))
    throw new GatewayError(
      'BAD_CONFIG',
      `${file} is not a valid JSON object, so the client cannot read it either. Repair it first.`,
    );
  const indent = indentOf(text, root);
  if (!servers) return value ? insert(text, root, section, { [name]: value }, indent, 1) : text;
  const entry = findProperty(servers, name);
  if (!value) return entry ? remove(text, servers, entry) : text;
  if (!entry) return insert(text, servers, name, value, indent, 2);
  const old = valueNode(entry);
  return text.slice(0, old.offset) + print(value, indent, 2) + text.slice(endOf(old));
}

function findProperty(object: Node | undefined, key: string): Node | undefined {
  return object?.type === 'object' ? object.children?.find(({ children }) => children?.[0]?.value === key) : undefined;
}

function valueNode(property: Node): Node {
  return property.children?.[1] ?? property;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function print(value: object, indent: string, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent.repeat(depth)}`);
}

function insert(text: string, object: Node, key: string, value: object, indent: string, depth: number): string {
  const last = object.children?.at(-1);
  const line = `\n${indent.repeat(depth)}${JSON.stringify(key)}: ${print(value, indent, depth)}`;
  if (!last)
    return `${text.slice(0, object.offset + 1)}${line}\n${indent.repeat(depth - 1)}${text.slice(endOf(object) - 1)}`;
  const comma = findComma(text, last, endOf(object) - 1);
  const at = comma === undefined ? endOf(last) : comma + 1;
  return `${text.slice(0, at)}${comma === undefined ? ',' : ''}${line}${text.slice(at)}`;
}

function remove(text: string, object: Node, entry: Node): string {
  const entries = object.children ?? [];
  const index = entries.indexOf(entry);
  const next = entries[index + 1];
  if (next) return text.slice(0, entry.offset) + text.slice(next.offset);
  const before = entries[index - 1];
  const comma = findComma(text, entry, endOf(object) - 1);
  const start = before ? endOf(before) : object.offset + 1;
  return text.slice(0, start) + text.slice(comma === undefined ? endOf(entry) : comma + 1);
}

/** The comma between a property and `end`, outside of comments. */
function findComma(text: string, property: Node, end: number): number | undefined {
  const start = endOf(property);
  const at = stripComments(text.slice(start, end), ' ').indexOf(',');
  return at < 0 ? undefined : start + at;
}

function indentOf(text: string, { children = [] }: Node): string {
  const [first] = children;
  const before = first && /\n([ \t]+)$/.exec(text.slice(0, first.offset));
  return before?.[1] ?? '  ';
}

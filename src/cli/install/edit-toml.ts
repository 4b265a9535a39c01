// Puts one table into a TOML file and leaves the rest of its text alone.
import { GatewayError } from '../../errors.ts';

type Value = string | readonly string[] | Readonly<Record<string, string>>;

/** The text with the table `[section.name]` as given, or without it. */
export function editToml(text: string, file: string, section: string, name: string, value: object | undefined): string {
  const head = `[${section}.${toKey(name)}]`;
  const words = text.split('\n').map((line) => line.trim());
  if (words.some((line) => line.startsWith(section) && /^\s*[=.]/.test(line.slice(section.length))))
    throw new GatewayError('BAD_CONFIG', `${file} has ${section} without a table header. Add ${head} by hand.`);
  if (isUnclear(words, section, name, head))
    throw new GatewayError(
      'BAD_CONFIG',
      `${file} has ${head} in a form that this command cannot edit, or is not valid TOML. Edit it by hand.`,
    );
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === head);
  if (start < 0) return value ? `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}${print(head, value)}` : text;
  let end = start + 1;
  const below = head.replace(/\]$/, '.');
  while (end < lines.length && !(/^\s*\[/.test(lines[end]!) && !lines[end]!.trim().startsWith(below))) end++;
  const own = lines.slice(start, end).join('\n');
  if (/"""|'''/.test(own))
    throw new GatewayError('BAD_CONFIG', `${file} has a multi-line string in ${head}. Edit it by hand.`);
  // Blank lines and comments at the end of the table belong to the next one.
  while (end > start + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1]!)) end--;
  const rest = lines.slice(end);
  return [...lines.slice(0, start), ...(value ? print(head, value).trimEnd().split('\n') : []), ...rest].join('\n');
}

/** Whether the file has the table in another spelling or as a value, or has a broken header: adding it would then be wrong. */
function isUnclear(lines: readonly string[], section: string, name: string, head: string): boolean {
  const bare = (text: string) => text.replace(/[\s"']/g, '');
  let table = '';
  for (const line of lines) {
    if (/^\[\s*[A-Za-z_]/.test(line)) {
      if (!line.includes(']')) return true;
      table = line.slice(0, line.indexOf(']') + 1);
      if (table !== head && bare(table) === bare(head)) return true;
    } else if (
      bare(table) === `[${section}]` &&
      /^[=.]/.test(bare(line).slice(name.length)) &&
      bare(line).startsWith(name)
    )
      return true;
  }
  return false;
}

function print(head: string, value: object): string {
  const rows = Object.entries(value as Record<string, Value>).map(([key, one]) => `${toKey(key)} = ${toValue(one)}`);
  return `${[head, ...rows].join('\n')}\n`;
}

function toValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one: string) => JSON.stringify(one)).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, one]) => `${toKey(key)} = ${JSON.stringify(one)}`);
  return `{ ${pairs.join(', ')} }`;
}

function toKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

// Reduces HTML to its text in one pass from left to right, without backtracking, so that hostile markup takes linear time.
// Character references are left as they are.

const DROPPED_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const BLOCKS =
  /^(?:address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|tr|ul|title)$/;

/** Reading stops here, because more is never shown. */
const MAX_CHARS = 1_000_000;
const MAX_TAGS = 100_000;

/** The text between the tags. Blocks start on a new line and, with `closeBlocks`, also end with one. */
export function stripHtml(html: string, closeBlocks: boolean): string {
  const out: string[] = [];
  let room = MAX_CHARS;
  const write = (text: string) => {
    out.push(text.length > room ? text.slice(0, room) : text);
    room -= text.length;
  };
  // Elements without an end tag in the rest of the text: searching for it again each time would be quadratic.
  const openNames = new Set<string>();
  let at = 0;
  for (let tags = 0; at < html.length && room > 0; tags++) {
    if (tags === MAX_TAGS) return out.join('');
    const open = html.indexOf('<', at);
    if (open < 0) break;
    write(html.slice(at, open));
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const [, slash, letters] = /^<(\/?)([a-z][a-z0-9]{0,20}|[!?])/i.exec(html.slice(open, open + 24)) ?? [];
    const close = letters === undefined ? -1 : html.indexOf('>', open);
    if (letters === undefined || close < 0) {
      // `a < b` is prose. After a tag that is never closed there can be no other tag.
      if (letters !== undefined) {
        at = open;
        break;
      }
      write('<');
      at = open + 1;
      continue;
    }
    const name = letters.toLowerCase();
    at = close + 1;
    if (DROPPED_ELEMENTS.has(name) && slash === '' && html[close - 1] !== '/') {
      const end = openNames.has(name) ? -1 : endOfElement(html, name, at);
      if (end >= 0) at = end;
      else if (name === 'script' || name === 'style') at = html.length;
      else openNames.add(name);
    } else if (BLOCKS.test(name) && (slash === '' || closeBlocks)) write('\n');
  }
  if (room > 0) write(html.slice(at));
  return out.join('');
}

/** Where the element ends, or -1. */
function endOfElement(html: string, name: string, from: number): number {
  // Case-insensitive search without copying the page once per element.
  const pattern = new RegExp(`</${name}[\\s>/]`, 'gi');
  pattern.lastIndex = from;
  const match = pattern.exec(html);
  if (match === null) return -1;
  const close = html.indexOf('>', match.index);
  return close < 0 ? html.length : close + 1;
}

// Patterns for names and paths. `*` matches any run of characters, within one path segment if a separator is given; `**` matches any
// run. Matching passes over the text once per piece of the pattern. A regular expression made from user input could take exponential
// time.

/** A pattern as a test. `/pets/**` also matches `/pets` itself. */
export function compileGlob(glob: string, separator?: string): (text: string) => boolean {
  const pieces = glob.match(/\*\*|\*|[^*]+/g) ?? [];
  // Fast paths for the most frequent patterns: `*_url` and `created_*`.
  if (separator === undefined && pieces.length === 2) {
    if (pieces[0] === '*') return (text) => text.endsWith(pieces[1]!);
    if (pieces[1] === '*') return (text) => text.startsWith(pieces[0]!);
  }
  return (text) => {
    if (separator !== undefined && glob === `${text}${separator}**`) return true;
    // positions in `text` where the pieces so far may end
    let ends = new Set([0]);
    for (const piece of pieces) {
      if (piece === '*') ends = extendEnds(text, ends, separator);
      else if (piece === '**') ends = extendEnds(text, ends, undefined);
      else ends = new Set([...ends].filter((end) => text.startsWith(piece, end)).map((end) => end + piece.length));
      if (ends.size === 0) return false;
    }
    return ends.has(text.length);
  };
}

/** Every position from one of `starts` to the next separator, in one pass for all starts. */
function extendEnds(text: string, starts: ReadonlySet<number>, separator: string | undefined): Set<number> {
  const ends = new Set<number>();
  let open = false;
  for (let position = 0; position <= text.length; position++) {
    open ||= starts.has(position);
    if (open) ends.add(position);
    if (text[position] === separator) open = false;
  }
  return ends;
}

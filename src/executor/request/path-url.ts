// Template + arguments → path. The origin comes from configuration alone, and no argument may add or remove a segment or reach a
// parent: in 2026 that was the typical bug of gateways like this one (CVE-2026-32871, CVE-2026-29791 and many more).
import type { Args } from '../../endpoint/model.ts';
import { encodeLiteral, locate, Unsendable } from '../../endpoint/wire-text.ts';
import { writeJson } from '../answer/lossless.ts';
import { argumentOf, type Serialise } from './parameter-styles.ts';

export interface PathVariable {
  readonly key: string;
  readonly serialise: Serialise;
  /** Set when the value is fixed by the domain file instead of given as an argument. */
  readonly fixed?: unknown;
}

/** literals[0] variables[0] literals[1] … ; the base path is part of literals[0]. */
export interface PathPlan {
  readonly literals: readonly string[];
  readonly variables: readonly PathVariable[];
}

/**
 * Splits a template at its variables. Real documents also put a query string into path keys (`/rpc?method=x`): it
 * stays where it is, a fragment does not. A variable without an argument is refused at the call: `{id}` is never sent literally.
 */
export function compilePath(
  basePath: string,
  template: string,
  variables: ReadonlyMap<string, PathVariable>,
): PathPlan {
  const pieces = (template.split('#', 1)[0] as string).split(/\{([^{}]*)\}/);
  const literals: string[] = [];
  const holes: PathVariable[] = [];
  let inQuery = false;
  pieces.forEach((piece, index) => {
    if (index % 2 === 1) {
      holes.push(variables.get(piece) ?? { key: piece, serialise: () => undefined });
      return;
    }
    const mark = inQuery ? -1 : piece.indexOf('?');
    literals.push(
      mark < 0
        ? encodeLiteral(piece)
        : `${encodeLiteral(piece.slice(0, mark))}?${encodeLiteral(piece.slice(mark + 1))}`,
    );
    inQuery ||= mark >= 0;
  });
  const first = literals[0] as string;
  const alone = holes.length === 0 && basePath !== '' && (first === '' || first.startsWith('?'));
  literals[0] = basePath + (first.startsWith('/') || alone ? first : `/${first}`);
  return { literals, variables: holes };
}

/** Fills the template. The answer is path and query of the template, ready for more query parameters. */
export function buildPath(plan: PathPlan, origin: string, args: Args, tool: string): string {
  const { literals, variables } = plan;
  let path = literals[0] as string;
  for (let index = 0; index < variables.length; index++) {
    const variable = variables[index] as PathVariable;
    try {
      const value = variable.fixed === undefined ? argumentOf(args, variable.key) : variable.fixed;
      checkPathValue(value);
      const text = variable.serialise(value);
      if (text === undefined || text === '') throw new Unsendable('must not be empty: it is one segment of the path');
      if (text.length > MAX_SEGMENT_CHARS) throw new Unsendable(TOO_LONG);
      path += text + literals[index + 1];
    } catch (error) {
      throw locate(error, tool, variable.key);
    }
  }
  if (!HARMLESS.test(path)) checkBuiltPath(origin, path, tool, variables);
  return path;
}

const HARMLESS = /^[A-Za-z0-9_\-/]*$/;
const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?=$|[/\\])/;
const ENCODED_DELIMITER = /%(?:2e|2f|5c|25)/i;
/** No server accepts longer segments, and each check below reads the text several times. */
const MAX_SEGMENT_CHARS = 64 * 1024;
const TOO_LONG = 'is too long for a path; send the identifier alone';
/** Each pass undoes one layer of encoding; legitimate values have one or two. */
const MAX_DECODING_PASSES = 8;

/** Refuses a path value that is empty or that a server could read as `..`: as it is, and decoded until stable. */
function checkPathValue(value: unknown): void {
  if (value === undefined || value === null) throw new Unsendable('is required: it is part of the path');
  if (typeof value === 'string') {
    if (value === '') throw new Unsendable('must not be empty: it is one segment of the path');
    if (!HARMLESS.test(value)) checkSegments(value);
    return;
  }
  if (typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (!Array.isArray(value)) checkSegments(key);
    if (typeof item === 'string') checkSegments(item);
    else if (typeof item === 'object' && item !== null) checkSegments(writeJson(item));
  }
}

function checkSegments(text: string): void {
  if (text.length > MAX_SEGMENT_CHARS) throw new Unsendable(TOO_LONG);
  let plain = text;
  for (let pass = 0; ; pass++) {
    if (DOT_SEGMENT.test(plain)) {
      throw new Unsendable('holds a "." or ".." path segment, which would reach another path; send the plain value');
    }
    if (!ENCODED_DELIMITER.test(plain)) return;
    if (pass === MAX_DECODING_PASSES) {
      throw new Unsendable('is percent-encoded too many times; send the plain value, it is encoded for you');
    }
    plain = plain.replace(/%(2e|2f|5c|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}

/** Refuses a built path that a URL parser would resolve to another one: `.` from an empty label, `.{x}` with `.`. */
function checkBuiltPath(origin: string, target: string, tool: string, variables: readonly PathVariable[]): void {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const keys = variables.map((variable) => variable.key).join('`, `');
  try {
    // The text beside a value may complete it: dots before `/x`, a literal `.`, half a `%2e`.
    checkSegments(path);
  } catch (error) {
    throw locate(error, tool, keys);
  }
  if (new URL(origin + path).pathname === path) return;
  throw locate(new Unsendable('would reach another path than the one it belongs to; send plain values'), tool, keys);
}

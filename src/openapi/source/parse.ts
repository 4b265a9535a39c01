// Parses the text of a document: JSON with JSON.parse, YAML with js-yaml (core schema and merge keys). `yaml`, which reads domain
// files, reports positions better, but takes 4.5 s for Stripe's 4 MB where js-yaml takes 0.4 to 0.7, and 2.6 s for OpenAI's 3 MB
// where it takes 0.3; and it limits neither merges nor depth.
import type { YAMLException } from 'js-yaml';
import { endOfString, isEscaped, pointerSegment } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import { badDocument, overLimit } from './document-problem.ts';
import { type ExternalRefs, type OneWayKeywords, scanDocument } from './document-scan.ts';
import type { DocumentText } from './document-text.ts';
import type { DocumentLimits } from './limits.ts';

export interface ParsedText {
  readonly value: unknown;
  /** `$ref`s to other files. */
  readonly external: ExternalRefs;
  readonly oneWay: OneWayKeywords;
  readonly warnings: readonly string[];
}

/** Broken JSON up to this size is read again as YAML, in case it only has comments or trailing commas. */
const MAX_LOOSE_JSON = 1024 * 1024;
/** js-yaml stops at a duplicate key, and each further one costs another pass. All passes together read at most this much. */
const MAX_DUPLICATE_SEARCH = 16 * 1024 * 1024;

/** Loads js-yaml when it is first needed; JSON does not need it. `onTag` is called with tags that are not defined. */
async function loadYamlReader(onTag: (tag: string) => void) {
  const { CORE_SCHEMA, load, Type, YAMLException } = await import('js-yaml');
  // YAML 1.2 core (no dates, `no` is a word) plus merge keys.
  const merge = new Type('tag:yaml.org,2002:merge', {
    kind: 'scalar',
    resolve: (data) => data === '<<' || data === null,
  });
  // `!include x`, `!!timestamp 2001-01-01`: the value is read as if it had no tag.
  const construct = (data: unknown, tag?: string) => {
    onTag(tag ?? '');
    return data;
  };
  const unknownTags = (['scalar', 'sequence', 'mapping'] as const).flatMap((kind) =>
    ['!', 'tag:'].map((prefix) => new Type(prefix, { kind, multi: true, construct })),
  );
  return { load, YAMLException, schema: CORE_SCHEMA.extend({ implicit: [merge], explicit: unknownTags }) };
}

/** Parses JSON or YAML. Throws BAD_DOCUMENT with the position and what to do. `label` names the source in messages. */
export async function parseText(
  source: string | Pick<DocumentText, 'text' | 'json'>,
  label: string,
  limits: DocumentLimits,
): Promise<ParsedText> {
  const json = typeof source === 'string' ? undefined : source.json;
  // Mistakes are reported with positions in the original text.
  const document = json === undefined ? undefined : readJson(json, label, limits);
  if (document !== undefined && !('failure' in document)) return document;
  const text = typeof source === 'string' ? source : source.text;
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const first = /\S/.exec(body)?.[0];
  if (first === undefined) throw badDocument(label, 'is empty; give it an OpenAPI document');
  if (first === '<') {
    throw badDocument(
      label,
      'is HTML or XML, not an OpenAPI document; give the raw JSON or YAML file, not its web page',
    );
  }
  if (first === '{' || first === '[') {
    const outcome = readJson(body, label, limits);
    return 'failure' in outcome ? readLooseJson(body, label, limits, outcome.failure) : outcome;
  }
  return readYaml(body, label, limits);
}

function readJson(text: string, label: string, limits: DocumentLimits): ParsedText | { readonly failure: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    return { failure };
  }
  const { keys, external, oneWay } = scanDocument(value, label, limits, false);
  const places = countKeys(text) > keys ? findJsonDuplicates(text) : [];
  return { value, external, oneWay, warnings: duplicateWarnings(label, places) };
}

/** Trailing commas and comments are not JSON, but YAML's flow style allows them. */
async function readLooseJson(
  text: string,
  label: string,
  limits: DocumentLimits,
  failure: unknown,
): Promise<ParsedText> {
  const problem = () => badDocument(label, `is not valid JSON: ${jsonProblem(failure, text)}`);
  if (text.length > MAX_LOOSE_JSON) throw problem();
  try {
    return await readYaml(text, label, limits);
  } catch (error) {
    throw error instanceof GatewayError && error.details.reason === 'limit' ? error : problem();
  }
}

/** What looks like an anchor. Without anchors there are no aliases, so no two parents share an object. */
const ANCHOR = /(?:^|[\s[{,:?-])&\S/;

async function readYaml(text: string, label: string, limits: DocumentLimits): Promise<ParsedText> {
  const tags = new Set<string>();
  const { load, YAMLException, schema } = await loadYamlReader((tag) => tags.add(tag));
  // maxTotalMergeKeys limits what `<<` may copy (CVE-2026-53550); the type definitions lack both limits.
  const options = { schema, maxDepth: limits.maxDepth, maxTotalMergeKeys: 100_000 };
  const read = (body: string, lastWins: boolean): unknown => load(body, { ...options, json: lastWins });
  let value: unknown;
  let places: readonly string[] = [];
  try {
    value = read(text, false);
  } catch (error) {
    if (!(error instanceof YAMLException))
      throw badDocument(label, `cannot be read as YAML: ${(error as Error).message}`);
    if (error.reason !== DUPLICATE) throw yamlProblem(error, label);
    try {
      value = read(text, true);
    } catch (worse) {
      throw worse instanceof YAMLException ? yamlProblem(worse, label) : worse;
    }
    places = findYamlDuplicates(text, (body) => {
      try {
        read(body, false);
        return undefined;
      } catch (next) {
        return next instanceof YAMLException && next.reason === DUPLICATE ? next : undefined;
      }
    });
  }
  const warnings = [
    ...duplicateWarnings(label, places),
    ...[...tags]
      .slice(0, 3)
      .map((tag) => `${label}: the YAML tag ${tag.slice(0, 80)} is not supported and was ignored.`),
  ];
  return { value, ...scanDocument(value, label, limits, ANCHOR.test(text)), warnings };
}

const DUPLICATE = 'duplicated mapping key';

function yamlProblem(error: YAMLException, label: string): GatewayError {
  if (error.reason.startsWith('nesting exceeded') || error.reason.startsWith('merge keys exceeded')) {
    return overLimit(label, `${error.reason}${at(error)}; flatten it, or raise the limit if you trust it`);
  }
  return badDocument(label, `is not valid YAML: ${error.reason}${at(error)}`);
}

/** Renames each duplicate key to find the next one, because js-yaml stops at the first. */
function findYamlDuplicates(text: string, firstIn: (body: string) => YAMLException | undefined): string[] {
  const places: string[] = [];
  let body = text;
  for (let effort = 0; effort <= MAX_DUPLICATE_SEARCH && places.length < MAX_DUPLICATES; effort += text.length) {
    const duplicate = firstIn(body);
    if (duplicate === undefined) break;
    const { position } = duplicate.mark as { position: number };
    const key = /["']/.test(body[position] ?? '') ? position + 1 : position;
    const name = /^[^:\n"']{1,80}/.exec(body.slice(key, key + 80))?.[0].trim() ?? '';
    places.push(`${JSON.stringify(name)}${at(duplicate)}`);
    body = `${body.slice(0, key)}duplicate-${places.length}-${body.slice(key)}`;
  }
  return places;
}

function duplicateWarnings(label: string, places: readonly string[]): string[] {
  return places.map((place) => `${label}: the key ${place} appears twice in its object; the last value is used.`);
}

function at(error: YAMLException): string {
  const mark = error.mark as { line?: number; column?: number } | undefined;
  return mark?.line === undefined ? '' : ` at line ${mark.line + 1}, column ${(mark.column ?? 0) + 1}`;
}

function jsonProblem(error: unknown, text: string): string {
  const message = (error as Error).message;
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) {
    return message.includes('end of JSON') ? 'it ends too early; the file looks cut off' : message;
  }
  const before = text.slice(0, Number(position));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `${message.replace(/ in JSON at position \d+.*/s, '')} at line ${line}, column ${column}`;
}

/** Duplicate keys that are reported. */
const MAX_DUPLICATES = 10;

const QUOTE = 34;
const COLON = 58;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/**
 * How many keys a valid JSON text has. The result may be too high, because a string that begins with a colon is counted as well.
 */
function countKeys(text: string): number {
  let keys = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let at = colon - 1;
    while (isSpace(text.charCodeAt(at))) at--;
    if (text.charCodeAt(at) === QUOTE && !isEscaped(text, at)) keys++;
  }
  return keys;
}

/**
 * Keys that occur twice in an object of a JSON text, such as `/paths/~1a at line 7`, in the order of the text. JSON.parse silently
 * keeps the last one, but the author should know. Linear in the text, but only called if the number of keys shows that there may be
 * duplicates: counting takes about 15 ms for GitHub's 13 MB, finding the places 250.
 */
function findJsonDuplicates(text: string): string[] {
  const places: string[] = [];
  /** The objects and arrays around the current position; `keys` is undefined for an array. */
  const open: { readonly keys: Set<string> | undefined; at: string | number }[] = [];
  let start = 0;
  for (let at = 0; at < text.length && places.length < MAX_DUPLICATES; ) {
    const code = text.charCodeAt(at);
    const inner = open[open.length - 1];
    if (code === QUOTE) {
      start = at;
      at = endOfString(text, at);
      continue;
    }
    if (code === COLON && inner?.keys) {
      const key = keyOf(text, start);
      if (inner.keys.has(key))
        places.push(
          `${open
            .slice(0, -1)
            .map((part) => pointerSegment(part.at))
            .join('')}${pointerSegment(key)} at line ${lineAt(text, start)}`,
        );
      inner.keys.add(key);
      inner.at = key;
    } else if (code === COMMA && inner && !inner.keys) (inner.at as number)++;
    else if (code === OPEN_BRACE) open.push({ keys: new Set(), at: '' });
    else if (code === OPEN_BRACKET) open.push({ keys: undefined, at: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    at++;
  }
  return places;
}

function keyOf(text: string, start: number): string {
  const raw = text.slice(start, endOfString(text, start));
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', end + 1)) line++;
  return line;
}

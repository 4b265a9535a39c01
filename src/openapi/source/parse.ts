// Text → plain values, the one place where documents are read. JSON by JSON.parse, YAML by js-yaml (core schema and merge
// keys). `yaml`, which reads domain files, would place every problem better, but takes 4.5 s for Stripe's 4 MB where
// js-yaml takes 0.4 to 0.7, and 2.6 s for OpenAI's 3 MB where it takes 0.3; and it bounds neither merges nor depth.
import type { YAMLException } from 'js-yaml';
import { GatewayError } from '../../errors.ts';
import { bad, tooMuch } from './document-problem.ts';
import type { DocumentText } from './document-text.ts';
import { countKeys, findDuplicateKeys, MAX_DUPLICATES } from './duplicate-keys.ts';
import type { ExternalRefs } from './external-refs.ts';
import type { Limits } from './limits.ts';
import { type OneWayWords, survey } from './survey.ts';

export interface ParsedText {
  readonly value: unknown;
  /** `$ref` values that point outside of the text. */
  readonly external: ExternalRefs;
  readonly oneWay: OneWayWords;
  readonly warnings: readonly string[];
}

/** Larger texts are not read a second time, as YAML, to see whether their JSON only has a comma too many. */
const MAX_LOOSE_JSON = 1024 * 1024;
/** js-yaml stops at a duplicate key; each further one costs another pass, and all passes together read this much. */
const MAX_DUPLICATE_SEARCH = 16 * 1024 * 1024;

/** Loaded when the first YAML document comes along: JSON needs no reader. `onTag` is told of tags nobody defined. */
async function loadReader(onTag: (tag: string) => void) {
  const { CORE_SCHEMA, load, Type, YAMLException } = await import('js-yaml');
  // YAML 1.2 core (no dates, `no` is a word) plus merge keys.
  const merge = new Type('tag:yaml.org,2002:merge', {
    kind: 'scalar',
    resolve: (data) => data === '<<' || data === null,
  });
  // `!include x`, `!!timestamp 2001-01-01`: the value counts as if it had no tag.
  const construct = (data: unknown, tag?: string) => {
    onTag(tag ?? '');
    return data;
  };
  const foreign = (['scalar', 'sequence', 'mapping'] as const).flatMap((kind) =>
    ['!', 'tag:'].map((prefix) => new Type(prefix, { kind, multi: true, construct })),
  );
  return { load, YAMLException, schema: CORE_SCHEMA.extend({ implicit: [merge], explicit: foreign }) };
}

/** Reads JSON or YAML; throws BAD_DOCUMENT with the place and what to do. `label` names the source in messages. */
export async function parseText(
  source: string | Pick<DocumentText, 'text' | 'json'>,
  label: string,
  limits: Limits,
): Promise<ParsedText> {
  const json = typeof source === 'string' ? undefined : source.json;
  // Mistakes are reported with places in the original text.
  const document = json === undefined ? undefined : readJson(json, label, limits);
  if (document !== undefined && !('failure' in document)) return document;
  const text = typeof source === 'string' ? source : source.text;
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const first = /\S/.exec(body)?.[0];
  if (first === undefined) throw bad(label, 'is empty; give it an OpenAPI document');
  if (first === '<') {
    throw bad(label, 'is HTML or XML, not an OpenAPI document; give the raw JSON or YAML file, not its web page');
  }
  if (first === '{' || first === '[') {
    const outcome = readJson(body, label, limits);
    return 'failure' in outcome ? readLooseJson(body, label, limits, outcome.failure) : outcome;
  }
  return readYaml(body, label, limits);
}

function readJson(text: string, label: string, limits: Limits): ParsedText | { readonly failure: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    return { failure };
  }
  const { keys, external, oneWay } = survey(value, label, limits, false);
  const places = countKeys(text) > keys ? findDuplicateKeys(text) : [];
  return { value, external, oneWay, warnings: duplicateWarnings(label, places) };
}

/** Trailing commas and comments: not JSON, but YAML's flow style reads them. */
async function readLooseJson(text: string, label: string, limits: Limits, failure: unknown): Promise<ParsedText> {
  const problem = () => bad(label, `is not valid JSON: ${jsonProblem(failure, text)}`);
  if (text.length > MAX_LOOSE_JSON) throw problem();
  try {
    return await readYaml(text, label, limits);
  } catch (error) {
    throw error instanceof GatewayError && error.details.reason === 'limit' ? error : problem();
  }
}

/** Where an anchor may stand. Without one there are no aliases, so no two parents share an object. */
const ANCHOR = /(?:^|[\s[{,:?-])&\S/;

async function readYaml(text: string, label: string, limits: Limits): Promise<ParsedText> {
  const tags = new Set<string>();
  const { load, YAMLException, schema } = await loadReader((tag) => tags.add(tag));
  // maxTotalMergeKeys bounds what `<<` may copy (CVE-2026-53550); the typings do not know the limits yet.
  const options = { schema, maxDepth: limits.maxDepth, maxTotalMergeKeys: 100_000 };
  const read = (body: string, lastWins: boolean): unknown => load(body, { ...options, json: lastWins });
  let value: unknown;
  let places: readonly string[] = [];
  try {
    value = read(text, false);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw bad(label, `cannot be read as YAML: ${(error as Error).message}`);
    if (error.reason !== DUPLICATE) throw yamlProblem(error, label);
    try {
      value = read(text, true);
    } catch (worse) {
      throw worse instanceof YAMLException ? yamlProblem(worse, label) : worse;
    }
    places = findDuplicates(text, (body) => {
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
  return { value, ...survey(value, label, limits, ANCHOR.test(text)), warnings };
}

const DUPLICATE = 'duplicated mapping key';

function yamlProblem(error: YAMLException, label: string): GatewayError {
  if (error.reason.startsWith('nesting exceeded') || error.reason.startsWith('merge keys exceeded')) {
    return tooMuch(label, `${error.reason}${at(error)}; flatten it, or raise the limit if you trust it`);
  }
  return bad(label, `is not valid YAML: ${error.reason}${at(error)}`);
}

/** A duplicate is renamed to find the next: js-yaml names the first it meets and stops there. */
function findDuplicates(text: string, firstIn: (body: string) => YAMLException | undefined): string[] {
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

// Text → plain values. JSON by JSON.parse. YAML by js-yaml (core schema and merge keys): the same meaning at every size,
// and five times faster than `yaml`, which is asked only when js-yaml refuses a document a person may have written.
import type { YAMLException } from 'js-yaml';
import { GatewayError } from '../../errors.ts';
import { bad, tooMuch } from './document-problem.ts';
import type { Limits } from './limits.ts';
import { survey } from './survey.ts';

export interface ParsedText {
  readonly value: unknown;
  /** `$ref` values that point outside of the text. */
  readonly externalRefs: readonly string[];
  readonly warnings: readonly string[];
}

interface YamlValue {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

/** Above this, a second and slower reader costs more than its better words are worth. */
const SECOND_READER_BYTES = 1024 * 1024;

/** Characters that aliases may stand for where `yaml` merges them: about a second's work. */
const MAX_MERGED_CHARS = 20_000_000;

/** Loaded when the first YAML document comes along: JSON needs neither reader. */
async function loadReader() {
  const { CORE_SCHEMA, load, Type, YAMLException } = await import('js-yaml');
  // YAML 1.2 core (no dates, `no` is a word) plus merge keys.
  const merge = new Type('tag:yaml.org,2002:merge', {
    kind: 'scalar',
    resolve: (data) => data === '<<' || data === null,
  });
  return { load, YAMLException, schema: CORE_SCHEMA.extend({ implicit: [merge] }) };
}

/** Reads JSON or YAML; throws BAD_DOCUMENT with the place and what to do. `label` names the source in messages. */
export async function parseText(text: string, label: string, limits: Limits): Promise<ParsedText> {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const first = /\S/.exec(body)?.[0];
  if (first === undefined) throw bad(label, 'is empty; give it an OpenAPI document');
  if (first === '<') {
    throw bad(
      label,
      'holds HTML or XML, not an OpenAPI document; point at the raw JSON or YAML file, not at its web page',
    );
  }
  if (first === '{' || first === '[') {
    let json: { readonly value: unknown } | undefined;
    let failure: unknown;
    try {
      json = { value: JSON.parse(body) };
    } catch (error) {
      failure = error;
    }
    if (json) return { value: json.value, ...survey(json.value, label, limits, false), warnings: [] };
    // Trailing commas and comments: not JSON, but YAML's flow style reads them.
    if (body.length > SECOND_READER_BYTES) throw bad(label, `is not valid JSON: ${jsonProblem(failure, body)}`);
    try {
      return await readYaml(body, label, limits);
    } catch (error) {
      if (error instanceof GatewayError && error.details.reason === 'limit') throw error;
      throw bad(label, `is not valid JSON: ${jsonProblem(failure, body)}`);
    }
  }
  return readYaml(body, label, limits);
}

/** Where an anchor may stand. Without one there are no aliases, so no two parents share an object. */
const ANCHOR = /(?:^|[\s[{,:?-])&\S/;

async function readYaml(text: string, label: string, limits: Limits): Promise<ParsedText> {
  const { value, warnings } = await readYamlValue(text, label, limits);
  return { value, ...survey(value, label, limits, ANCHOR.test(text)), warnings };
}

async function readYamlValue(text: string, label: string, limits: Limits): Promise<YamlValue> {
  const { load, YAMLException, schema } = await loadReader();
  // maxTotalMergeKeys bounds what `<<` may copy (CVE-2026-53550); the typings do not know the limits yet.
  const options = { schema, maxDepth: limits.maxDepth, maxTotalMergeKeys: 100_000 };
  try {
    return { value: load(text, options), warnings: [] };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw bad(label, `cannot be read as YAML: ${(error as Error).message}`);
    if (error.reason.startsWith('nesting exceeded') || error.reason.startsWith('merge keys exceeded')) {
      throw tooMuch(label, `${error.reason}${at(error)}; flatten it, or raise the limit if you trust it`);
    }
    if (error.reason === 'duplicated mapping key') {
      const lenient = loadLenient(() => load(text, { ...options, json: true }));
      if (lenient !== undefined) {
        return {
          value: lenient.value,
          warnings: [`${label}: a mapping has the same key twice${at(error)}; the last one counts`],
        };
      }
    }
    if (text.length <= SECOND_READER_BYTES && !mergesMuch(text)) return readWithYaml(text, label);
    throw bad(label, `is not valid YAML: ${error.reason}${at(error)}`);
  }
}

/** `yaml` puts no limit on what `<<` copies: every alias could bring the whole text along. */
function mergesMuch(text: string): boolean {
  if (!text.includes('<<')) return false;
  const aliases = text.match(/(?:^|[\s[{,:-])\*[^\s*]/g)?.length ?? 0;
  return aliases * text.length > MAX_MERGED_CHARS;
}

function loadLenient(load: () => unknown): { value: unknown } | undefined {
  try {
    return { value: load() };
  } catch {
    return undefined;
  }
}

/** `yaml` knows explicit tags such as `!!merge`, and its messages name every problem with line and column. */
async function readWithYaml(text: string, label: string): Promise<YamlValue> {
  const { LineCounter, parseDocument: parseYaml } = await import('yaml');
  const lineCounter = new LineCounter();
  let problems: string[];
  const warnings: string[] = [];
  try {
    const document = parseYaml(text, { lineCounter, merge: true, uniqueKeys: false, logLevel: 'silent' });
    problems = document.errors.map((error) => error.message.split('\n')[0]!.replace(/:$/, ''));
    for (const warning of document.warnings.slice(0, 3)) warnings.push(`${label}: ${warning.message.split('\n')[0]}`);
    // Aliases stay shared objects here; what they expand to is counted by survey().
    if (problems.length === 0) return { value: document.toJS({ maxAliasCount: -1 }), warnings };
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch(label, 'is nested too deeply; flatten it');
    problems = [(error as Error).message.split('\n')[0]!];
  }
  const shown = problems.slice(0, 3).join('; ');
  throw bad(label, `is not valid YAML: ${shown}${problems.length > 3 ? ` (and ${problems.length - 3} more)` : ''}`);
}

function at(error: YAMLException): string {
  const mark = error.mark as { line?: number; column?: number } | undefined;
  return mark?.line === undefined ? '' : ` at line ${mark.line + 1}, column ${(mark.column ?? 0) + 1}`;
}

function jsonProblem(error: unknown, text: string): string {
  const message = (error as Error).message;
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) {
    return message.includes('end of JSON') ? 'it ends in the middle; the file looks cut off' : message;
  }
  const before = text.slice(0, Number(position));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `${message.replace(/ in JSON at position \d+.*/s, '')} at line ${line}, column ${column}`;
}

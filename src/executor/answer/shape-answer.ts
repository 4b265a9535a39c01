// A JSON value → the text for a model: only the selected fields, within the budget, with a last line that says how to see the rest.
import { encode as encodeToon } from '@toon-format/toon';
import type { ResponsePlan } from '../../endpoint/model.ts';
import { type Fitted, fitJson, mainList } from './character-budget.ts';
import { listKeys, toPlain } from './lossless.ts';
import { afterCut, nextPage, type PagedCall } from './paging.ts';
import { availableFields, compileDrop, compilePick, firstObject, parseFields } from './select-fields.ts';

/** A decoded answer. `json`: the text it was parsed from. */
export interface Source {
  readonly value: unknown;
  readonly json: string | undefined;
}

export interface Shaped {
  readonly text: string;
  /** The text is exactly what the API sent. */
  readonly isUnchanged: boolean;
  readonly notes: readonly string[];
  /** The shaped value itself, for structured content. */
  structured(): unknown;
}

export function compileShape({ drop: keys = [], pick: paths = [], maxChars, format }: ResponsePlan) {
  const drop = keys.length === 0 ? undefined : compileDrop(keys);
  const pick = paths.length === 0 ? undefined : compilePick(paths);

  return ({ value: whole, json }: Source, call: PagedCall, fields: readonly string[] | undefined): Shaped => {
    const notes: string[] = [];
    let value = drop === undefined ? whole : drop(whole);
    if (pick !== undefined) {
      const selection = pick(value);
      // A domain file's `pick` hides everything else, even if the answer has another shape than expected.
      const nothing = selection === undefined || selection.unmatched.length === paths.length;
      if (nothing) notes.push(`the answer has nothing at ${paths.join(', ').slice(0, 500)}; the rest is not shown`);
      value = nothing ? (Array.isArray(value) ? [] : {}) : selection.value;
    }
    if (fields !== undefined && fields.length > 0) value = project(value, fields, notes);

    const terse = value === whole && json !== undefined && json.length <= maxChars ? terseJson(json) : undefined;
    const fit = terse === undefined ? fitJson(value, maxChars, json?.length) : { value, text: terse };
    notes.push(...describeCut(fit, value, call, nextPage(call, whole), fields !== undefined));
    return {
      text: render(fit, format),
      isUnchanged: terse !== undefined && format !== 'toon',
      notes,
      structured: () => toPlain(fit.value),
    };
  };
}

/**
 * JSON as it came, unless rewriting would make it shorter or more readable because of blanks or unnecessary escapes. Writing an
 * 18 KB list takes 40 us, this check 5.
 */
function terseJson(json: string): string | undefined {
  const text = json.trim();
  return isTerse(text) && !ELSEWHERE.some((spelling) => text.includes(spelling)) ? text : undefined;
}

/** Only the beginning is checked: software that writes blanks after colons does so everywhere. */
export function isTerse(text: string): boolean {
  return text !== '' && !BLANKS.test(text.slice(0, 200));
}

const BLANKS = /[[{]\s|":\s|,\s"/;
const ELSEWHERE = ['\n', '\\u', '\\/'];

/** A field that matches nothing is reported, and is not an error: the call has already been made. */
function project(value: unknown, fields: readonly string[], notes: string[]): unknown {
  const paths = parseFields(fields);
  const selection = compilePick(paths)(value);
  if (selection === undefined) {
    notes.push('fields was ignored: its * match too many paths; name the keys instead');
    return value;
  }
  const { unmatched } = selection;
  if (unmatched.length > 0) {
    const available = availableFields(value).join(', ');
    notes.push(`no such field: ${unmatched.join(', ').slice(0, 500)} (available: ${available})`);
  }
  return unmatched.length === paths.length ? value : selection.value;
}

/** Uniform flat rows are a table in TOON; anything else is often longer than JSON, which is then used. */
function render(fit: Fitted, format: ResponsePlan['format']): string {
  if (format !== 'toon' || typeof fit.value !== 'object' || fit.value === null) return fit.text;
  const toon = encodeToon(toPlain(fit.value) as object);
  return toon.length < fit.text.length ? toon : fit.text;
}

function describeCut(
  fit: Fitted,
  value: unknown,
  call: PagedCall,
  next: string | undefined,
  hasFields: boolean,
): string[] {
  if (fit.cut !== undefined) {
    const { shown, total } = fit.cut;
    const go = afterCut(call, shown) ?? (next === undefined ? undefined : `${next} (the page after this one)`);
    const advice = [
      ...(go === undefined ? [] : [`next: ${go}`]),
      ...(hasFields ? [] : [`${go === undefined ? '' : 'or '}pass fields=${suggestFields(value)}`]),
    ];
    return [`showing ${shown} of ${total} items${advice.length === 0 ? '' : `; ${advice.join(', ')}`}`];
  }
  if (fit.shortened === true) {
    const advice = hasFields ? 'ask for fewer fields' : `pass fields=${suggestFields(value)}`;
    return [
      `long values were shortened to fit; ${advice} to see more of them${next === undefined ? '' : `; next: ${next}`}`,
    ];
  }
  return describeNext(value, next);
}

/** Says that there is more, and how to get it. */
export function describeNext(value: unknown, next: string | undefined): string[] {
  if (next === undefined) return [];
  const items = mainList(value)?.items.length;
  return [
    `${items === undefined ? 'there is more' : `showing ${items} ${items === 1 ? 'item' : 'items'}`}; next: ${next}`,
  ];
}

/** A few short fields of the items: what most lists are read for. */
function suggestFields(value: unknown): string {
  const list = mainList(value);
  const sample = firstObject(list?.items ?? value);
  if (sample === undefined) return '…';
  const prefix = list === undefined || list.path.length === 0 ? '' : `${list.path.join('.')}.`;
  const short: string[] = [];
  for (const key of listKeys(sample).slice(0, 100)) {
    const inner = sample[key];
    const scalar = typeof inner !== 'object' || inner === null;
    if (key.length <= 40 && scalar && String(inner).length <= 80) short.push(prefix + key);
    if (short.length === 4) break;
  }
  return short.length === 0 ? '…' : `${short.join(',')},…`;
}

// A JSON value → the text a model gets: projected, within the budget, with a last line that says how to see the rest.
import { encode as encodeToon } from '@toon-format/toon';
import type { Args, ResponsePlan } from '../../endpoint/model.ts';
import type { RawResponse } from '../send.ts';
import { type Fitted, fitJson, mainList } from './character-budget.ts';
import { toPlain } from './lossless.ts';
import { afterCut, nextPage, type PagingPlan } from './paging.ts';
import { availableFields, compileDrop, compilePick, firstObject, parseFields } from './project.ts';

export interface Shaped {
  readonly text: string;
  readonly notes: readonly string[];
  /** The shaped value itself, for structured content. */
  structured(): unknown;
}

export type Shape = (
  value: unknown,
  args: Args,
  headers: RawResponse['headers'],
  fields: readonly string[] | undefined,
) => Shaped;

export function compileShape(plan: ResponsePlan, paging: PagingPlan): Shape {
  const drop = plan.drop === undefined || plan.drop.length === 0 ? undefined : compileDrop(plan.drop);
  const pick = plan.pick === undefined || plan.pick.length === 0 ? undefined : compilePick(plan.pick);

  return (whole, args, headers, fields) => {
    const notes: string[] = [];
    let value = drop === undefined ? whole : drop(whole);
    if (pick !== undefined) {
      const picked = pick(value);
      // An answer of another shape than the domain file expected is better whole than empty.
      if (picked.unknown.length < (plan.pick as readonly string[]).length) value = picked.value;
    }
    if (fields !== undefined && fields.length > 0) value = project(value, fields, notes);

    const fitted = fitJson(value, plan.maxChars);
    const next = nextPage(paging, args, headers, whole);
    notes.push(...describeCut(fitted, value, next, paging, args, fields !== undefined));
    return { text: render(fitted, plan.format), notes, structured: () => toPlain(fitted.value) };
  };
}

function project(value: unknown, fields: readonly string[], notes: string[]): unknown {
  const paths = parseFields(fields);
  const picked = compilePick(paths)(value);
  if (picked.unknown.length > 0) {
    const available = availableFields(value).join(', ');
    notes.push(`no such field: ${picked.unknown.join(', ').slice(0, 500)} (available: ${available})`);
  }
  return picked.unknown.length === paths.length ? value : picked.value;
}

/** Uniform flat rows are a table in TOON; anything else is often longer than JSON, which then stays. */
function render(fitted: Fitted, format: ResponsePlan['format']): string {
  if (format !== 'toon' || typeof fitted.value !== 'object' || fitted.value === null) return fitted.text;
  const toon = encodeToon(toPlain(fitted.value) as object);
  return toon.length < fitted.text.length ? toon : fitted.text;
}

function describeCut(
  fitted: Fitted,
  value: unknown,
  next: string | undefined,
  paging: PagingPlan,
  args: Args,
  projected: boolean,
): string[] {
  if (fitted.cut !== undefined) {
    const { shown, total } = fitted.cut;
    const rest = afterCut(paging, args, shown);
    const go = rest ?? (next === undefined ? undefined : `${next} (the page after this one)`);
    const advice = [
      ...(go === undefined ? [] : [`next: ${go}`]),
      ...(projected ? [] : [`${go === undefined ? '' : 'or '}pass fields=${suggestFields(value)}`]),
    ];
    return [`showing ${shown} of ${total} items${advice.length === 0 ? '' : `; ${advice.join(', ')}`}`];
  }
  if (fitted.shortened === true) {
    const advice = projected ? 'ask for fewer fields' : `pass fields=${suggestFields(value)}`;
    return [
      `long values were shortened to fit; ${advice} to see more of them${next === undefined ? '' : `; next: ${next}`}`,
    ];
  }
  if (next === undefined) return [];
  const items = mainList(value)?.items.length;
  return [`${items === undefined ? 'there is more' : `showing ${items} items`}; next: ${next}`];
}

/** A few short fields of the items: what most lists are read for. */
function suggestFields(value: unknown): string {
  const list = mainList(value);
  const sample = firstObject(list?.items ?? value);
  if (sample === undefined) return '…';
  const prefix = list === undefined || list.path.length === 0 ? '' : `${list.path.join('.')}.`;
  const short = Object.entries(sample)
    .filter(
      ([key, inner]) => key.length <= 40 && (typeof inner !== 'object' || inner === null) && String(inner).length <= 80,
    )
    .slice(0, 4)
    .map(([key]) => prefix + key);
  return short.length === 0 ? '…' : `${short.join(',')},…`;
}

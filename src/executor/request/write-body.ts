// Arguments → request body. An optional body without any argument is left out entirely, Content-Type included.
import type { Proof } from '../../credentials/proof.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, BodyPlan, Endpoint, Target } from '../../endpoint/model.ts';
import { emptyMap } from '../../endpoint/untrusted.ts';
import { locate, Unsendable, wellFormed } from '../../endpoint/wire-text.ts';
import { writeJson } from '../answer/lossless.ts';
import { bytesOf, mediaTypeOf } from './file-argument.ts';
import { checkMembers } from './method-override.ts';
import { compileMultipart } from './multipart-body.ts';
import { argumentOf, compileForm, toText } from './parameter-styles.ts';

export interface WireBody {
  readonly contentType: string;
  readonly data: string | Buffer;
}

/** `undefined`: no body, no Content-Type. `proof`: credentials that stand in the body. */
export type BuildBody = (args: Args, tool: string, proof?: Proof['body']) => WireBody | undefined;

type BodyTarget = Extract<Target, { in: 'body' | 'body-root' }>;
interface Source {
  readonly key: string;
  readonly fixed?: unknown;
  readonly target: BodyTarget;
}

function isBody(target: Target): target is BodyTarget {
  return target.in === 'body' || target.in === 'body-root';
}

export function compileBody(endpoint: Endpoint): BuildBody | undefined {
  const plan = endpoint.body;
  if (plan === undefined) return undefined;
  const sources: Source[] = [
    ...endpoint.args.flatMap(({ key, to }) => to.filter(isBody).map((target) => ({ key, target }))),
    ...endpoint.fixed.flatMap(({ value, to }) => (isBody(to) ? [{ key: '', fixed: value, target: to }] : [])),
  ];
  const collect = compileCollect(plan, sources);
  const encode = compileEncode(plan);
  const check = endpoint.effect === 'read' && plan.kind !== 'binary' && plan.kind !== 'text' ? checkMembers : undefined;
  return (args, tool, proof) => {
    const value = collect(args, proof);
    if (value === undefined) return undefined;
    try {
      check?.(value);
      return encode(value);
    } catch (error) {
      throw locate(error, tool, keyOf(sources, error));
    }
  };
}

/** The argument that caused the refusal of a body: by its property, or the only one there is. */
function keyOf(sources: readonly Source[], error: unknown): string {
  const property = error instanceof Unsendable ? error.property : undefined;
  const match = sources.find(({ target }) =>
    property === undefined || target.in === 'body-root' ? sources.length === 1 : target.at.at(-1) === property,
  );
  return match?.key || (property ?? 'body');
}

/** Puts the arguments together as the value of the whole body. */
function compileCollect(plan: BodyPlan, sources: readonly Source[]): (args: Args, proof: Proof['body']) => unknown {
  const wrap = plan.wrap ?? [];
  const root = sources.find((source) => source.target.in === 'body-root');
  const inside = sources.flatMap((source) =>
    source.target.in === 'body' ? [{ ...source, at: source.target.at }] : [],
  );
  return (args, proof) => {
    let value: unknown = root === undefined ? undefined : sourceValue(root, args);
    if (value !== undefined && inside.length > 0) value = copyOf(value);
    for (const source of inside) {
      const part = sourceValue(source, args);
      if (part !== undefined) value = put(value ?? emptyMap<unknown>(), source.at, part);
    }
    // Added last, so that no argument can replace it.
    if (proof !== undefined) value = Object.assign(emptyMap<unknown>(), value, proof);
    if (value === undefined) {
      if (!plan.required || inside.length === 0) return undefined;
      value = emptyMap<unknown>();
    }
    for (let index = wrap.length - 1; index >= 0; index--)
      value = put(emptyMap<unknown>(), [wrap[index] as string], value);
    return value;
  };
}

function sourceValue(source: Source, args: Args): unknown {
  return source.fixed === undefined ? argumentOf(args, source.key) : source.fixed;
}

/** Arguments belong to the caller, so changes are made in a copy. */
function copyOf(value: unknown): unknown {
  return isObject(value) ? Object.assign(emptyMap<unknown>(), value) : value;
}

function put(into: unknown, at: readonly string[], value: unknown): unknown {
  if (!isObject(into)) return into;
  let place = into;
  for (let index = 0; index < at.length - 1; index++) {
    const key = at[index] as string;
    const next = copyOf(place[key]);
    const inner = typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : emptyMap<unknown>();
    place[key] = inner;
    place = inner;
  }
  place[at[at.length - 1] as string] = value;
  return into;
}

function compileEncode(plan: BodyPlan): (value: unknown) => WireBody {
  const concrete = plan.mediaType !== '' && !plan.mediaType.includes('*');
  switch (plan.kind) {
    case 'json': {
      const contentType = concrete ? plan.mediaType : 'application/json';
      return (value) => ({ contentType, data: writeJson(value) });
    }
    case 'form': {
      const form = compileForm(plan.encoding);
      return (value) => ({ contentType: 'application/x-www-form-urlencoded', data: form(value) });
    }
    case 'multipart':
      return compileMultipart(plan.mediaType, plan.encoding);
    case 'binary':
      return (value) => ({
        contentType: mediaTypeOf(value, plan.mediaType),
        data: bytesOf(value),
      });
    case 'text': {
      const mediaType = concrete ? plan.mediaType : 'text/plain';
      return (value) => {
        const text = toText(value);
        // Receivers guess a charset for bare text types; ASCII means the same in all of them.
        const unambiguous = /^[\x00-\x7f]*$/.test(text) || /charset=/i.test(mediaType);
        return { contentType: unambiguous ? mediaType : `${mediaType}; charset=utf-8`, data: wellFormed(text) };
      };
    }
  }
}

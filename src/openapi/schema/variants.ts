// Polymorphism the old way: a base with a `discriminator` and no `oneOf`, whose variants name it in their `allOf`.

import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node, nodeAt, once, step, textAt } from '../../endpoint/untrusted.ts';
import { UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { orNothing, type Place, type Resolver } from '../source/resolve.ts';

/** The variants of a base; empty where a schema is no base. */
export type Variants = (base: Place) => readonly Place[];

const MAX_VARIANTS = 100;

export function createVariants(root: SourceDocument, resolver: Resolver): Variants {
  const heirs = once(() => heirsByBase(root, resolver));
  return (base) => {
    if (!isObject(base.value) || base.value.discriminator === undefined) return [];
    if (UNIONS.some((keyword) => listAt(base.value, keyword).length > 0)) return [];
    const mapping = variantsIn(base, nodeAt(base.value.discriminator, 'mapping'), resolver);
    const variants = mapping.length > 0 ? mapping : (heirs().get(base.value) ?? []);
    return variants.filter(({ value }) => value !== base.value).slice(0, MAX_VARIANTS);
  };
}

/** Mapping values are `$ref`s or bare schema names. */
function variantsIn(base: Place, mapping: Node | undefined, resolver: Resolver): Place[] {
  const places = new Map<unknown, Place>();
  for (const key of Object.keys(mapping ?? {})) {
    const value = textAt(mapping, key);
    if (value === undefined) continue;
    const ref =
      /^[A-Za-z0-9._-]+$/.test(value) && !/\.(?:json|ya?ml)$/.test(value) ? `#/components/schemas/${value}` : value;
    const place = orNothing(() => resolver.followAll(base.document, ref));
    if (place && isObject(place.value)) places.set(place.value, place);
  }
  return [...places.values()];
}

function heirsByBase(root: SourceDocument, resolver: Resolver): Map<object, Place[]> {
  const heirs = new Map<object, Place[]>();
  const [schemas, pointer] =
    root.dialect.major === 2
      ? [nodeAt(root.value, 'definitions'), '/definitions']
      : [nodeAt(nodeAt(root.value, 'components'), 'schemas'), '/components/schemas'];
  for (const name of Object.keys(schemas ?? {})) {
    const value = schemas![name];
    for (const branch of listAt(value, 'allOf')) {
      const ref = textAt(branch, '$ref');
      const base = ref === undefined ? undefined : orNothing(() => resolver.followAll(root, ref))?.value;
      if (!isObject(base)) continue;
      const heir: Place = { document: root, pointer: pointer + step(name), value };
      const list = heirs.get(base);
      if (list) list.push(heir);
      else heirs.set(base, [heir]);
    }
  }
  return heirs;
}

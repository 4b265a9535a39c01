// Any JSON value, for clients that refuse a schema without a type, or items without one. Lists of lists have to end somewhere,
// and null and lists of booleans are left to the text: spelling everything out made such a place longer than most others.
type Node = { readonly [keyword: string]: unknown };

const STRING: Node = { type: 'string' };
const NUMBER: Node = { type: 'number' };
const OBJECT: Node = { type: 'object' };
const NOT_A_LIST: readonly Node[] = [STRING, NUMBER, { type: 'boolean' }, OBJECT];

export const ANYTHING: Node = Object.freeze({
  anyOf: [...NOT_A_LIST, { type: 'array', items: { anyOf: [STRING, NUMBER, OBJECT] } }],
});

/** Where a schema may not go a level deeper. */
export const ANYTHING_BUT_LISTS: Node = Object.freeze({ anyOf: NOT_A_LIST });

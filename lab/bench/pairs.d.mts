// What pairs.mjs gives.
export function median(values: readonly number[]): number;
export function spreadOf(values: readonly number[]): number;

// What parts.mjs gives.
import type { Figure } from './compare.mjs';

export const PARTS: Readonly<Record<string, unknown>>;
export function listFigures(results: Readonly<Record<string, unknown>>): Figure[];

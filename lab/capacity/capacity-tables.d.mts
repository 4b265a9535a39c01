// What capacity-tables.mjs takes and gives.
import type { Figures, Point } from './capacity-model.mjs';

export function buildTables(figures: Figures & { points: readonly Point[] }): Record<string, string[]>;
export function replaceTables(text: string, tables: Record<string, string[]>): string;

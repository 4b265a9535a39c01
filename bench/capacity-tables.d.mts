// What capacity-tables.mjs takes and gives.
import type { Figures, Mix } from './capacity-model.mjs';

export interface Point {
  readonly workers: number;
  readonly latencyMs: number;
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly cpuUs: number;
  readonly otherUs: number;
  readonly foreign: number;
}
export const MIX: Mix;
export function buildTables(figures: Figures & { points: readonly Point[] }): Record<string, string[]>;
export function replaceTables(text: string, tables: Record<string, string[]>): string;
export function predictPoints(points: readonly Point[]): (Point & { predicted: number; error: number })[];

// What compare.mjs takes and gives.
export interface Figure {
  readonly part: string;
  readonly label: string;
  readonly what: string;
  readonly value: number;
  readonly spread: number;
  readonly better: 'more' | 'less';
}
export interface Comparison extends Figure {
  readonly before: number;
  readonly now: number;
  readonly change: number;
  readonly noise: number;
  readonly verdict: 'better' | 'worse' | 'noise';
}
export interface Run {
  readonly at?: string;
  readonly node: string;
  readonly machine: string;
}
export function compareFigures(before: readonly Figure[], now: readonly Figure[]): Comparison[];
export function renderComparison(rows: readonly Comparison[], saved: Run, here: Run): string;

// What options.mjs gives.
export interface BenchOptions {
  readonly parts: readonly string[];
  readonly rounds: number | undefined;
  readonly seconds: number;
  readonly connections: number;
  readonly eras: readonly string[];
  readonly operations: readonly string[];
  readonly peers: string | undefined;
  readonly save: string | undefined;
  readonly compare: string | undefined;
  readonly own: boolean;
  readonly log: string;
  readonly json: boolean;
  readonly help: boolean;
  readonly cli: string;
  readonly nodeFlags: readonly string[];
}
export const PART_NAMES: readonly string[];
export const HELP: string;
export function parseOptions(args: readonly string[]): BenchOptions;

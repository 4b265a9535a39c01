// One thing that is wrong with the arguments of a call, for the model (message) and for programs (the rest).

export type ProblemKind =
  | 'missing'
  | 'unknown'
  | 'type'
  | 'enum'
  | 'range'
  | 'length'
  | 'pattern'
  | 'format'
  | 'items'
  | 'variant'
  | 'forbidden'
  | 'limit'
  | 'rule';

export interface Problem {
  /** `items[2].price`; empty for the arguments as a whole. */
  readonly path: string;
  readonly problem: ProblemKind;
  /** A whole line, without number. */
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
  readonly suggestion?: string;
}

/** A problem, and what it means for others. */
export interface Finding extends Problem {
  /** Missing arguments at these paths have the same cause, and need no line of their own. */
  readonly settles?: readonly string[];
  /** A consequence of other problems, which are more useful to report. */
  readonly isLeftover?: true;
}

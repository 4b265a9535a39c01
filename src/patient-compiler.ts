// Makes V8 wait longer before it optimises code, while a catalog is built. Such code runs some thousand times in the first
// second and then hardly again: at V8's own threshold, its optimising compiler takes about a quarter of the processor time of a
// start for code that has done its work by the time it is ready (all threads, GitHub: 0.9 s instead of 1.2; with a tool per
// operation 2.0 instead of 2.7). The main thread takes as long as before. Calls come later, at the usual threshold.
import { setFlagsFromString } from 'node:v8';

/** V8's own budget: how much bytecode a function runs between two looks at whether it is hot. V8 cannot be asked for it. */
const USUAL_BUDGETS: Readonly<Record<string, number>> = {
  // Node 20. Other versions are left alone until somebody has measured them.
  '11.3': 67_584,
};
/** With more, the main thread has to run slow code for too long. */
const PATIENCE = 3;

const usual = USUAL_BUDGETS[process.versions.v8.split('.', 2).join('.')];
/** One inside the other; the flag is the same for the whole process. */
let builds = 0;

/** Runs what is run once, and does not wait for anything. */
export function buildPatiently<Result>(build: () => Result): Result {
  if (usual === undefined) return build();
  if (builds++ === 0) setFlagsFromString(`--interrupt-budget=${usual * PATIENCE}`);
  try {
    return build();
  } finally {
    if (--builds === 0) setFlagsFromString(`--interrupt-budget=${usual}`);
  }
}

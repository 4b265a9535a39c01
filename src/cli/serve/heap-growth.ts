// How far the heap grows between two collections of what lasts.
import { setFlag, THIS_PROCESS } from '../v8-flags.ts';

/**
 * In percent of what the last collection left. Every collection of young objects moves what calls in progress hold among those that
 * last, where it soon is garbage, and V8 by itself lets that pile up. A gateway of ten operations under load had at most 178 MB
 * resident, and 123 with this flag (28 interleaved samples of each on a busy machine, some 1,000 calls a second, Node.js 20). Processor
 * time per call differed by -5 to +12 % and in both directions, which is the noise of that machine: a cost of a few percent is not
 * excluded. 20 percent gave the same memory as 50.
 */
const GROWTH_PERCENT = 50;

/** V8 reads the flag after each collection, so it may be set at any time. */
export const limitHeapGrowth = (host = THIS_PROCESS): void => setFlag('heap-growing-percent', GROWTH_PERCENT, host);

// What instructions.mjs gives.
export function whyNoCounters(): string | undefined;
export function parseCount(text: string, event?: string): number | undefined;

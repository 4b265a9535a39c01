// Where an API is at home, if its operations do not all lie at one origin.
import { originOf } from '../endpoint/address.ts';
import type { Endpoint } from '../endpoint/model.ts';

/** The origin of most operations: credentials of the file are sent there and nowhere else. */
export function homeOrigin(endpoints: readonly Endpoint[]): string | undefined {
  // Thousands of endpoints share a handful of base URLs; parsing one is the expensive part.
  const endpointsAt = new Map<string, number>();
  for (const { baseUrl } of endpoints) endpointsAt.set(baseUrl, (endpointsAt.get(baseUrl) ?? 0) + 1);
  const counts = new Map<string | undefined, number>();
  for (const [baseUrl, count] of endpointsAt) {
    const origin = originOf(baseUrl);
    counts.set(origin, (counts.get(origin) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

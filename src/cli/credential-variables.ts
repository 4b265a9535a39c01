// Which variable goes to which API. An imported document names its security schemes and servers itself, so a person
// should see at start what it gets.
import type { Domain } from '../endpoint/model.ts';
import { destinationOf, secretsIn } from '../endpoint/secrets.ts';

/** `PETSTORE_API_KEY → https://petstore.example`, for variables that are set. */
export function listCredentials(domains: readonly Domain[]): string[] {
  const lines = new Set<string>();
  for (const { endpoints } of domains) {
    for (const { security, baseUrl } of endpoints) {
      if (!URL.canParse(baseUrl)) continue;
      for (const credential of security.flat()) {
        const to = destinationOf(credential, baseUrl);
        for (const { variable, value } of secretsIn(credential))
          if (value !== undefined) lines.add(`${variable} → ${to}`);
      }
    }
  }
  return [...lines];
}

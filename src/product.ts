// What this package says of itself.
import { readFileSync } from 'node:fs';

export const PRODUCT = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly description: string;
};

// The name and version of this package, and its folder. It is found by its name, because built files are at other depths than their
// sources.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = pathToFileURL(createRequire(import.meta.url).resolve('landbridge/package.json'));

export const PRODUCT = JSON.parse(readFileSync(manifest, 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly description: string;
};

/** The folder of package.json, with a slash at its end. */
export const PACKAGE_FOLDER = new URL('.', manifest);

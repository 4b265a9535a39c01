// Whether a domain file loads, for commands that write one or its document.
import type { Config } from '../config/read-config.ts';
import { loadDomains } from '../domain/load.ts';
import { omitUndefined } from '../endpoint/untrusted.ts';

/** Loads the file as `serve` would, and throws as `serve` would. */
export async function tryLoading(file: string, { env, baseUrl, refsRoot }: Config): Promise<void> {
  // The sample API is not started for this: nothing is sent to its address.
  const anyAddress = () => 'http://127.0.0.1:9';
  await loadDomains({ paths: [file], env, embedded: anyAddress, ...omitUndefined({ baseUrl, refsRoot }) });
}

// What a check reports. A check is a function that yields findings.
import type { Registry } from '../catalog/registry.ts';
import type { Domain, Endpoint } from '../endpoint/model.ts';
import type { DeploymentPolicy } from '../orchestration/policy.ts';
import type { ClientId } from './client-rules.ts';

/** `error` makes the doctor fail, `warning` only with --strict. A `note` fails nothing. */
export type Severity = 'error' | 'warning' | 'note';

export type CheckCode =
  | 'tokens'
  | 'client'
  | 'description'
  | 'guard'
  | 'effect'
  | 'arguments'
  | 'examples'
  | 'credentials'
  | 'base_url'
  | 'online'
  | 'proof'
  | 'issuers'
  | 'suspicious'
  | 'quarantine';

export interface Finding {
  readonly check: CheckCode;
  readonly severity: Severity;
  /** A tool, a domain, or the whole list. */
  readonly where: string;
  /** What is wrong. It follows `where` in a sentence. */
  readonly message: string;
  /** What a person can do about it. */
  readonly fix: string;
  /** Entries that repair it when all of them are written into the domain file. */
  readonly repairs?: readonly Repair[];
  /** The repairs are one way of several, for a person to choose: --fix leaves them alone. */
  readonly isChoice?: true;
}

/** One entry of a domain file. */
export interface Repair {
  readonly domain: string;
  /** Keys from the top of the file. A list is one key with several possible names, the one to write first. */
  readonly path: readonly (string | readonly string[])[];
  readonly value: unknown;
}

export interface DiagnoseInput {
  readonly domains: readonly Domain[];
  readonly registry: Registry;
  readonly policy: DeploymentPolicy;
  readonly tokenBudget: number;
  readonly clients: readonly ClientId[];
}

export type DoctorCheck = (input: DiagnoseInput) => Iterable<Finding>;

/** `1 operation waits`, `3 operations wait`. */
export function counted(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

/** An entry for one operation: below `operations` if it is imported, below `endpoints` if the file defines it. */
export function repairOperation(endpoint: Endpoint, fields: readonly string[], value: unknown): Repair {
  const { domain, source, method, path, action, toolName } = endpoint;
  if (source.kind !== 'openapi') return { domain, path: ['endpoints', action, ...fields], value };
  // Method and path are unique in a document, an operationId may not be; a name that the file already uses is kept.
  const names = [
    `${method} ${path}`,
    ...(source.operationId === undefined ? [] : [source.operationId]),
    action,
    toolName,
  ];
  return { domain, path: ['operations', names, ...fields], value };
}

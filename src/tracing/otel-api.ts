// Loads OpenTelemetry's API (45 modules, 30 ms, 7 MB), only if something is traced.
import { createRequire } from 'node:module';
import type * as Api from '@opentelemetry/api';

let library: typeof Api | undefined;
export const otel = (): typeof Api => (library ??= createRequire(import.meta.url)('@opentelemetry/api') as typeof Api);

/** Where all copies of the API of this major version share their registrations; it exists as soon as something is registered. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

/** Whether an application in which the gateway is embedded may have registered an SDK. */
export const hasRegistry = (): boolean => (globalThis as { [REGISTRY]?: object })[REGISTRY] !== undefined;

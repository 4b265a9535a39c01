// The door to OpenTelemetry's API: 45 modules, 30 ms and 7 MB, loaded only if something is traced.
import { createRequire } from 'node:module';
import type * as Api from '@opentelemetry/api';

let library: typeof Api | undefined;
export const otel = (): typeof Api => (library ??= createRequire(import.meta.url)('@opentelemetry/api') as typeof Api);

/** Where every copy of the API of this major version registers itself; set as soon as one of them registers something. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

/** Whether the application that this gateway is a part of may have registered an SDK. */
export const hasRegistry = (): boolean => (globalThis as { [REGISTRY]?: object })[REGISTRY] !== undefined;

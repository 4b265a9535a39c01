// What a domain file gives to all operations of its document alike.
import { buildCredentials, readSecurity } from '../endpoint/credentials.ts';
import type { DomainDefinition } from '../endpoint/definition.ts';
import { isSecretHeader, readHeaders } from '../endpoint/headers.ts';
import { DEFAULT_LIMITS, type Domain, type Endpoint } from '../endpoint/model.ts';
import type { Problem } from '../endpoint/problems.ts';
import type { CurationContext } from './curate.ts';
import { withFields } from './fields.ts';

/** Headers, limits, response shaping and credentials the file gives to all operations alike. */
export function withDomainFields(
  imported: Domain,
  definition: DomainDefinition,
  { env, problems }: CurationContext,
): readonly Endpoint[] {
  const open = Object.fromEntries(Object.entries(definition.headers ?? {}).filter(([name]) => !isSecretHeader(name)));
  const { headers } = readHeaders(open, env, ['headers'], problems);
  const security = chooseSecurity(imported, definition, env, problems);
  const { timeoutMs, maxResponseBytes, response } = definition;
  const nothing =
    Object.keys(open).length === 0 &&
    security === undefined &&
    timeoutMs === undefined &&
    maxResponseBytes === undefined &&
    response === undefined;
  if (nothing) return imported.endpoints;
  const home = imported.endpoints[0]?.baseUrl;
  return imported.endpoints.map((endpoint) =>
    withFields(endpoint, {
      headers: { ...endpoint.headers, ...headers },
      response: { ...endpoint.response, ...response },
      limits: {
        // what the document itself asks for (x-mcp) is nearer to the operation than a default of the file
        timeoutMs:
          endpoint.limits.timeoutMs === DEFAULT_LIMITS.timeoutMs
            ? (timeoutMs ?? DEFAULT_LIMITS.timeoutMs)
            : endpoint.limits.timeoutMs,
        maxResponseBytes: maxResponseBytes ?? endpoint.limits.maxResponseBytes,
      },
      ...(security === undefined || !sameOrigin(endpoint.baseUrl, home) ? {} : { security }),
    }),
  );
}

/** What `security:` says, or the one credential of a document that declares none. Otherwise the document decides. */
function chooseSecurity(
  imported: Domain,
  definition: DomainDefinition,
  env: CurationContext['env'],
  problems: Problem[],
): Endpoint['security'] | undefined {
  const own = Object.entries(definition.credentials ?? {}).filter(([, given]) => 'kind' in given);
  if (definition.security !== undefined) {
    const credentials = buildCredentials(definition.credentials, env, problems);
    return readSecurity(definition.security, credentials, ['security'], problems);
  }
  if (own.length !== 1 || imported.endpoints.some((endpoint) => endpoint.security.length > 0)) return undefined;
  return [[...buildCredentials(Object.fromEntries(own), env, problems).values()]];
}

function sameOrigin(a: string, b: string | undefined): boolean {
  return b !== undefined && URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

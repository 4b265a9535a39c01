// The authorization servers of the configuration: the authority that checks their tokens, and the metadata for clients.
import { toSectionError } from '../../config/config-file.ts';
import type { Config } from '../../config/read-config.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { lookup } from '../../endpoint/environment.ts';
import type { Effect } from '../../endpoint/model.ts';
import { createHttpClient } from '../../executor/http-client.ts';
import { checkIssuers, listDoubtfulScopes } from '../../identity/oauth/issuer-settings.ts';
import { createOAuthAuthority, type OAuthAuthority } from '../../identity/oauth/oauth-authority.ts';
import { createProtectedResource, type ProtectedResource } from '../../identity/oauth/protected-resource.ts';
import { resolveScopes } from '../../identity/oauth/scope-rules.ts';
import type { Logger } from '../../log.ts';
import { readProxyRules } from '../../network/proxy-rules.ts';
import { PRODUCT } from '../../product.ts';

type AuthSettings = NonNullable<Config['auth']>;

export interface Issuers {
  readonly authority: OAuthAuthority;
  readonly resource: ProtectedResource;
  /** What callers with a token may do, each class once. */
  readonly effectSets: readonly (readonly Effect[] | undefined)[];
  /** The secrets for requests to authorization servers; they must never be shown. */
  readonly secrets: readonly string[];
  /** For the operator: scopes that look mistyped. */
  readonly warnings: readonly string[];
  /** Tokens are checked from now on. `address` is where HTTP listens, for the metadata if no public URL is configured. */
  start(log: Logger, address: string): void;
  close(): Promise<void>;
}

/** Throws if the settings contradict each other. Does not contact any server yet. */
export function openIssuers(
  { host, publicUrl, env }: Pick<Config, 'host' | 'publicUrl' | 'env'>,
  auth: AuthSettings,
  profiles: readonly string[],
): Issuers {
  const issuers = auth.oauth ?? [];
  const problems = checkIssuers(issuers, new Set(profiles), env);
  if (problems.length > 0)
    throw toSectionError(
      auth,
      problems.map(({ path, message }) => ({ path: ['auth', 'oauth', ...path], message })),
    );
  if (publicUrl === undefined && !isLoopback(host))
    throw toSectionError(auth, [
      {
        path: ['auth', 'oauth'],
        message:
          'needs publicUrl, the URL that clients call: tokens must be issued for it. Write publicUrl: https://<host>, without /mcp, or start with --public-url',
      },
    ]);
  let log: Logger | undefined;
  let bound: string | undefined;
  const door = createHttpClient(`${PRODUCT.name}/${PRODUCT.version}`, readProxyRules(env));
  const resource = createProtectedResource({
    issuers,
    publicUrl: () => publicUrl ?? bound ?? `http://${host}`,
    hasProfile: (profile) => profile === '' || profiles.includes(profile),
    title: 'Landbridge',
  });
  const authority = createOAuthAuthority({
    issuers,
    resource,
    ask: door.ask,
    variables: env,
    log: {
      info: (facts, message) => log?.info(facts, message),
      warn: (facts, message) => log?.warn(facts, message),
    },
  });
  const sets = issuers.flatMap((issuer) => resolveScopes(issuer).effectSets());
  return {
    authority,
    resource,
    effectSets: [...new Map(sets.map((effects) => [effects?.join() ?? '*', effects])).values()],
    secrets: issuers.flatMap(
      ({ introspection }) => (introspection && lookup(env, introspection.clientSecretEnv)) ?? [],
    ),
    warnings: issuers.flatMap((issuer, index) =>
      listDoubtfulScopes(issuer).map((text) => `auth.oauth[${index}].${text}`),
    ),
    start(logger, address) {
      log = logger;
      bound = address;
      authority.start();
    },
    close() {
      authority.close();
      return door.close();
    },
  };
}

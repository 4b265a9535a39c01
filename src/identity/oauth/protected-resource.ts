// How clients learn where to get a token: the metadata of each endpoint (RFC 9728) and `WWW-Authenticate` (RFC 6750).
import type { IssuerSettings } from './issuer-settings.ts';
import { resolveScopes } from './scope-rules.ts';

export interface ProtectedResource {
  /** The resource that tokens for this endpoint are issued for (RFC 8707): `https://mcp.example.com/mcp/reader`. */
  urlOf(profile: string): string;
  /** `WWW-Authenticate`. Default of `scopes`: those that a client should request. */
  challenge(profile: string, error?: ChallengeError, scopes?: readonly string[]): string;
  /** The metadata at this path; undefined if there is nothing at it. */
  documentAt(path: string): Readonly<Record<string, unknown>> | undefined;
}

export interface ChallengeError {
  readonly error: 'invalid_token' | 'insufficient_scope';
  /** Printable ASCII without quotes and backslashes. */
  readonly description?: string | undefined;
}

export interface ResourceOptions {
  readonly issuers: readonly IssuerSettings[];
  /** Where clients reach the gateway. A function, because the port may be known only after the start. */
  readonly publicUrl: () => string;
  readonly hasProfile: (profile: string) => boolean;
  readonly title: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export function createProtectedResource({ issuers, publicUrl, hasProfile, title }: ResourceOptions): ProtectedResource {
  const rules = issuers.map((settings) => resolveScopes(settings));
  const base = () => new URL(publicUrl()).href.replace(/\/$/, '');
  const pathOf = (profile: string) => (profile === '' ? '/mcp' : `/mcp/${profile}`);
  const urlOf = (profile: string) => base() + pathOf(profile);

  return {
    urlOf,
    challenge(profile, problem, scopes) {
      // Clients use the first server in the metadata, so the challenge lists its scopes.
      const scope = scopes ?? rules[0]!.wantedFor(profile, issuers[0]!.stepUp !== true);
      const words = [
        problem && `error="${problem.error}"`,
        problem?.description && `error_description="${problem.description}"`,
        scope.length > 0 && `scope="${scope.join(' ')}"`,
        `resource_metadata="${base()}${WELL_KNOWN}${pathOf(profile)}"`,
      ];
      return `Bearer ${words.filter(Boolean).join(', ')}`;
    },
    documentAt(path) {
      if (!path.startsWith(WELL_KNOWN)) return undefined;
      const profile = profileAt(path.slice(WELL_KNOWN.length), new URL(base()).pathname.replace(/\/$/, ''));
      if (profile === undefined || !hasProfile(profile)) return undefined;
      const scopes = [...new Set(rules.flatMap((rule) => rule.supportedFor(profile)))];
      return {
        resource: urlOf(profile),
        authorization_servers: issuers.map(({ issuer }) => issuer),
        ...(scopes.length > 0 && { scopes_supported: scopes }),
        bearer_methods_supported: ['header'],
        resource_name: profile === '' ? title : `${title}: ${profile}`,
      };
    },
  };
}

/** RFC 9728 3.1 appends the path of the resource to the well-known path; the well-known path alone describes the default endpoint. */
function profileAt(rest: string, prefix: string): string | undefined {
  const path = prefix !== '' && rest.startsWith(`${prefix}/`) ? rest.slice(prefix.length) : rest;
  if (path === '' || path === '/mcp') return '';
  return /^\/mcp\/([a-z][a-z0-9_-]{0,31})$/.exec(path)?.[1];
}

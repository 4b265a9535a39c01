// doctor --online: one line for each configured authorization server, because tokens are refused while it cannot be reached.
import type { Config } from '../../config/read-config.ts';
import type { Finding } from '../../doctor/finding.ts';
import { createHttpClient } from '../../executor/http-client.ts';
import { checkIssuers, type IssuerSettings, listDoubtfulScopes } from '../../identity/oauth/issuer-settings.ts';
import { probeIssuer } from '../../identity/oauth/probe-issuer.ts';
import { readProxyRules } from '../../network/proxy-rules.ts';
import { PRODUCT } from '../../product.ts';
import { lacksPublicUrl, OAUTH_WITHOUT_NAME } from '../serve/start-checks.ts';

export async function tryIssuers(config: Config, profiles: ReadonlySet<string>): Promise<Finding[]> {
  const { auth, env } = config;
  const issuers = auth?.oauth ?? [];
  const problems = checkIssuers(issuers, profiles, env);
  const door = createHttpClient(`${PRODUCT.name}/${PRODUCT.version}`, readProxyRules(env));
  const findings = issuers.map(async (settings, index): Promise<Finding> => {
    const wrong = problems.filter(({ path }) => path[0] === index);
    const common = { check: 'issuers', where: settings.issuer } as const;
    // No server is called with settings that would keep the gateway from starting.
    if (wrong.length > 0) {
      const words = wrong.map(({ path, message }) => `${path.slice(1).join('.')}: ${message}`);
      return { ...common, severity: 'error', message: words.join('; '), fix: 'correct auth.oauth' };
    }
    const { good, bad } = await probeIssuer(settings, { ask: door.ask, variables: env });
    if (bad.length === 0) return { ...common, severity: 'note', message: good.join('; '), fix: 'nothing to do' };
    const fix =
      'check issuer, jwksUri and introspection in auth.oauth, and the network; until this works, its tokens are refused';
    return { ...common, severity: 'error', message: bad.join('; '), fix };
  });
  const answers = await Promise.all(findings).finally(() => door.close());
  return [...answers, ...doubtScopes(issuers), ...doubtAddress(config)];
}

function doubtScopes(issuers: readonly IssuerSettings[]): Finding[] {
  return issuers.flatMap((settings) =>
    listDoubtfulScopes(settings).map((message): Finding => {
      const fix = 'correct the name in auth.oauth, or write the scope into scopes or profiles';
      return { check: 'issuers', severity: 'warning', where: settings.issuer, message, fix };
    }),
  );
}

function doubtAddress(config: Config): Finding[] {
  if (!lacksPublicUrl(config)) return [];
  const fix = 'write publicUrl: https://<host>, without /mcp, into landbridge.yaml';
  return [{ check: 'issuers', severity: 'warning', where: 'publicUrl', message: OAUTH_WITHOUT_NAME, fix }];
}

// Creates a gateway from the configuration, for serve, tools, call and the other commands that need one.

import type { SampleApi } from '#sample';
import type { Exposure } from '../catalog/registry.ts';
import type { Config } from '../config/read-config.ts';
import { refuseUnknownVariables } from '../config/unknown-variables.ts';
import { ambiguousTexts } from '../credentials/caller-need.ts';
import { loadDomains } from '../domain/load.ts';
import { recordLookups } from '../endpoint/environment.ts';
import type { Domain } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { createGateway, type Gateway, type GatewayOptions, type Service } from '../gateway.ts';
import { loadAssertionKeys } from '../identity/assertion-keys.ts';
import { readProxyRules } from '../network/proxy-rules.ts';
import { deriveProfiles, readProfiles } from '../profiles.ts';
import { withoutExposure } from '../service-plan.ts';
import type { Io } from './io.ts';
import { createProgressLine } from './terminal/terminal.ts';
import { optimizeLate } from './v8-flags.ts';

export interface LoadedDomains {
  readonly domains: readonly Domain[];
  /** Ends the sample API, if it runs. */
  close(): Promise<void>;
}

/** Loads what the configuration names. The sample API starts only if a domain needs it; `openSample` returns the URL of a running one. */
export async function load(io: Io, config: Config, openSample?: () => Promise<string>): Promise<LoadedDomains> {
  optimizeLate();
  const progress = createProgressLine(io.stderr);
  let sample: SampleApi | undefined;
  const lookups = new Set<string>();
  try {
    const domains = await loadDomains({
      paths: config.paths,
      env: config.unknownVariables.length === 0 ? config.env : recordLookups(config.env, lookups),
      headers: config.headers,
      ...(config.baseUrl !== undefined && { baseUrl: config.baseUrl }),
      ...(config.refsRoot !== undefined && { refsRoot: config.refsRoot }),
      embedded:
        openSample ??
        (async () => {
          sample ??= await (await import('#sample')).startSampleApi();
          return sample.url;
        }),
      library: () => import('../index.ts'),
      onProgress: (text) => progress.show(text),
      stdin: io.stdin,
    });
    refuseUnknownVariables(config.unknownVariables, lookups);
    // An exposure from the operator takes precedence over those of the domains.
    const servedDomains = config.exposure === undefined ? domains : domains.map(withoutExposure);
    return {
      domains: (config.auth?.oauth ?? []).length > 1 ? servedDomains.map(warnOfAmbiguousCallers) : servedDomains,
      close: async () => sample?.close(),
    };
  } catch (error) {
    await sample?.close();
    throw error;
  } finally {
    progress.done();
  }
}

/** If tokens of several issuers are accepted, warns where their callers could be confused. */
function warnOfAmbiguousCallers(domain: Domain): Domain {
  const texts = new Set(domain.endpoints.flatMap(ambiguousTexts));
  if (texts.size === 0) return domain;
  const warning = `${domain.name}: ${[...texts].join(' and ')} may be the same for callers of two issuers in auth.oauth, and the API cannot tell them apart. Send \${principal.id}, or add \${principal.claims.iss}.`;
  return { ...domain, warnings: [...domain.warnings, warning] };
}

interface CommandGatewayOptions extends Pick<GatewayOptions, 'onAnswer'> {
  readonly change?: (domains: readonly Domain[]) => readonly Domain[];
  /** Takes precedence over environment, domains and profiles. */
  readonly exposure?: Exposure;
}

/** A gateway for one command, closed at its end. With --profile it is what that profile serves, and nothing else. */
export async function withGateway<Result>(
  io: Io,
  config: Config,
  use: (gateway: Gateway) => Promise<Result>,
  { change, exposure, ...more }: CommandGatewayOptions = {},
): Promise<Result> {
  const settings = exposure === undefined ? config : { ...config, exposure };
  const source = await load(io, settings);
  const servedDomains = change === undefined ? source.domains : change(source.domains);
  // For a single tool, prompts do not matter: they may embed resources of files that are not loaded.
  const domains = exposure === undefined ? servedDomains : servedDomains.map((domain) => ({ ...domain, prompts: [] }));
  const { profiles = {}, ...options } = await toGatewayOptions(settings);
  // For a single tool, other profiles do not matter: they may name domains of files that are not loaded.
  const servedProfiles = deriveProfiles(profiles, (profile, name) =>
    exposure === undefined ? profile : name === config.profile ? { ...profile, exposure } : undefined,
  );
  try {
    const gateway = createGateway({ ...options, ...more, domains, profiles: servedProfiles });
    try {
      return await use({ ...gateway, ...chooseService(gateway, config, Object.keys(profiles)) });
    } finally {
      await gateway.close();
    }
  } finally {
    await source.close();
  }
}

/** What --profile names. */
export function chooseService(
  gateway: Gateway,
  { profile = '', profiles, file }: Config,
  names: readonly string[] = [...gateway.profiles.keys()],
): Service {
  const service = gateway.serviceOf(profile);
  if (service) return service;
  const source = typeof profiles === 'string' ? profiles : file;
  const advice =
    names.length > 0
      ? `The profiles are: ${names.join(', ')}.`
      : `${source === undefined ? 'No file of profiles was found' : `${source} declares no profiles`}; name one with --profiles.`;
  throw new GatewayError('BAD_CONFIG', `There is no profile "${profile}". ${advice}`);
}

export async function toGatewayOptions(config: Config): Promise<Omit<GatewayOptions, 'domains'>> {
  const { assertions, publicUrl } = config;
  return {
    exposure: config.exposure,
    tokenBudget: config.tokenBudget,
    limits: config.limits,
    policy: { readOnly: config.readOnly, destructive: config.guard, confirm: config.confirm },
    proxies: readProxyRules(config.env),
    ...(config.profiles !== undefined && {
      profiles: typeof config.profiles === 'string' ? readProfiles(config.profiles) : config.profiles,
    }),
    ...(config.secret !== undefined && { secret: Buffer.from(config.secret) }),
    ...(assertions && { assertions: await loadAssertionKeys({ issuer: publicUrl, ...assertions }) }),
  };
}

// landbridge.yaml: the settings of a deployment in one file, checked whole before anything starts.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { about, list, named, strict, text, texts } from '../domain/definition/shape/fields.ts';
import { reason } from '../domain/files/domain-files.ts';
import { MistakesError, type PositionOf, toMistakes } from '../domain/files/mistakes.ts';
import { parseYaml } from '../domain/files/parse-yaml.ts';
import { type Problem, toProblems } from '../endpoint/problems.ts';
import { assertionsSection } from './assertions-schema.ts';
import { auditSection } from './audit-schema.ts';
import { authSection } from './auth-schema.ts';
import { limitsSection } from './limits-schema.ts';
import { tlsSection } from './tls-schema.ts';

const port = z.number().int().min(0).max(65_535);

export const configFile = strict({
  domains: about(texts, 'Folders of domain files, domain files and OpenAPI documents, from where this file is.', [
    './domains',
  ]),
  host: about(text, 'Address to listen on. Default: 127.0.0.1.', '0.0.0.0'),
  port: about(port, 'HTTP port. Default: 3333.', 8080),
  tcp: about(port, 'Port for raw TCP. Default: none.', 4444),
  publicUrl: about(
    z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
    'Where clients reach this gateway, without `/mcp`: what tokens are made for, and a Host that is served.',
    'https://mcp.example.com',
  ),
  allowedHosts: about(texts, 'Further Host names that are served.', ['mcp.internal']),
  allowedOrigins: about(texts, 'Web origins whose pages may call.', ['https://app.example']),
  trustedProxies: about(
    list(named(/^[0-9a-fA-F.:]+(?:\/\d{1,3})?$/, 'must be an address or a CIDR range, such as 10.0.0.0/8')),
    'Proxies whose `Forwarded` and `X-Forwarded-*` headers are believed. Default: none.',
    ['10.0.0.0/8'],
  ),
  tls: about(tlsSection, 'TLS of the TCP port.', { cert: 'tls.crt', key: 'tls.key' }),
  auth: about(authSection, 'Who may call. Without it a bind beyond loopback is refused.', { keys: [] }),
  limits: about(limitsSection, 'How much may be called.', { perPrincipal: { rate: '600/min' } }),
  state: about(
    named(/^rediss?:\/\/\S+$/, 'must be a redis:// or rediss:// URL'),
    'Redis or Valkey that replicas share: counters of limits and spent confirmations. Default: this process alone.',
    'redis://127.0.0.1:6379',
  ),
  assertions: about(
    assertionsSection,
    'What signs assertions about callers, for domains whose credential is an `assertion`.',
    { keys: ['./assertion-key.pem'] },
  ),
  audit: about(auditSection, 'Where every call is written down.', { file: 'audit.jsonl' }),
}).meta({ id: 'config', description: 'The settings of a deployment.' });

export type ConfigFile = z.output<typeof configFile>;

export function readConfigFile(file: string): ConfigFile {
  const { value, positionOf } = parseYaml(readText(file), file, 'BAD_CONFIG');
  const { $schema: _, ...settings } = (value ?? {}) as Record<string, unknown>;
  const parsed = configFile.safeParse(settings, { reportInput: true });
  if (!parsed.success)
    throw new MistakesError('BAD_CONFIG', toMistakes(file, toProblems(parsed.error.issues), positionOf));
  for (const section of Object.values(parsed.data))
    if (typeof section === 'object') origins.set(section, { file, positionOf });
  return parsed.data;
}

interface Origin {
  readonly file: string;
  readonly positionOf: PositionOf;
}

/** Where sections were read from, for what is found wrong with them only beside profiles, variables or other files. */
const origins = new WeakMap<object, Origin>();

export function originOf(section: object): Origin | undefined {
  return origins.get(section);
}

/** What to throw for a section that cannot be used, with file and line; paths begin at the top of the file. */
export function toSectionError(section: object, problems: readonly Problem[]): MistakesError {
  const { file = 'landbridge.yaml', positionOf } = origins.get(section) ?? {};
  return new MistakesError('BAD_CONFIG', toMistakes(file, problems, positionOf));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new MistakesError('BAD_CONFIG', [{ file, message: reason(error as NodeJS.ErrnoException) }], error);
  }
}

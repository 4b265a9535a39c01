// profiles.yaml: named subsets of the catalog, each served at /mcp/<name>.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { hint } from './endpoint/suggest.ts';
import { GatewayError } from './errors.ts';
import type { Profile } from './gateway.ts';

const names = z.array(z.string().min(1)).min(1);
const profile = z.strictObject({
  domains: names.optional(),
  include: names.optional(),
  exclude: names.optional(),
  tags: names.optional(),
  excludeTags: names.optional(),
  effects: z
    .array(z.enum(['read', 'write', 'destructive']))
    .min(1)
    .optional(),
  native: z.union([z.boolean(), names]).optional(),
  exposure: z.enum(['tools', 'grouped', 'search', 'auto']).optional(),
  readOnly: z.boolean().optional(),
  guard: z.enum(['allow', 'confirm', 'deny']).optional(),
  confirm: z.enum(['token', 'either', 'ask']).optional(),
});
const profileName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a profile name has lower-case letters, digits, "-" and "_", at most 32');

export function readProfiles(file: string): Readonly<Record<string, Profile>> {
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new GatewayError('BAD_CONFIG', `Cannot read the profiles in ${file}: ${(cause as Error).message}`, {}, cause);
  }
  const parsed = z.record(profileName, profile).safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const where = issue.path.map(String).join('.');
  const what =
    issue.code === 'unrecognized_keys'
      ? `"${issue.keys[0]}" is not known here; ${hint(issue.keys[0] ?? '', Object.keys(profile.shape))}`
      : issue.path.length === 0
        ? 'must hold profiles by name, for example: reader: { effects: [read] }'
        : issue.message;
  throw new GatewayError('BAD_CONFIG', `${file}: ${where === '' ? '' : `${where}: `}${what}`);
}

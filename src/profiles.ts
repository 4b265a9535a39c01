// profiles.yaml: named subsets of the catalog, each served at /mcp/<name>.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { about, strict, withDefault } from './domain/definition/shape/fields.ts';
import { describeFileError } from './domain/files/domain-files.ts';
import { MistakesError, toMistakes } from './domain/files/mistakes.ts';
import { parseYaml } from './domain/files/parse-yaml.ts';
import { placeOf, rememberPlace } from './domain/files/read-places.ts';
import { CONFIRM_WAYS, EFFECTS, EXPOSURES, GUARD_POLICIES } from './endpoint/model.ts';
import { type Problem, toProblems } from './endpoint/problems.ts';
import { once } from './endpoint/untrusted.ts';
import type { Profile } from './gateway-options.ts';

/** The shape of profiles.yaml. */
export const profilesFile = once(() => {
  const names = z.array(z.string().min(1)).min(1);
  const profile = strict({
    domains: about(names, 'Only operations of these domains. `*` matches any characters.', ['shop']),
    include: about(
      names,
      'Only these operations, by full name: `domain.group.operation`, as `landbridge explain` shows it. Globs are allowed. The name of a domain or group includes everything in it.',
      ['shop.orders.*'],
    ),
    exclude: about(names, 'Never these operations. It takes precedence over all other fields.', ['shop.delete_order']),
    tags: about(names, 'Only operations with one of these tags: `orders` for any domain, `shop.orders` for one.', [
      'orders',
    ]),
    excludeTags: about(names, 'Never operations with one of these tags. It takes precedence over `tags`.', [
      'customers',
    ]),
    effects: about(z.array(z.enum(EFFECTS)).min(1), 'Only operations with these effects.', ['read']),
    native: about(
      z.union([z.boolean(), names]),
      withDefault(
        'Tools, resources and prompts that are registered in code: all of them (`true`), or those with these names or URIs.',
        'none',
      ),
      false,
    ),
    exposure: about(
      z.enum(EXPOSURES),
      withDefault(
        'How operations become tools: one tool each (`tools`), one per group (`grouped`), or three tools that find, describe and call them (`search`). `auto` takes the first that fits the token budget.',
        'what the settings and the domains say',
      ),
      'tools',
    ),
    readOnly: about(z.boolean(), 'Allows only operations that read. All other calls are refused.', true),
    guard: about(
      z.enum(GUARD_POLICIES),
      withDefault(
        'What happens to destructive calls: they run (`allow`), need a confirmation (`confirm`) or are refused (`deny`). A profile can only be stricter than the settings.',
        'what the settings say',
      ),
      'deny',
    ),
    confirm: about(
      z.enum(CONFIRM_WAYS),
      withDefault(
        'How a call is confirmed. With `ask`, the client asks the user. With `token`, the call is repeated with a signed token. `either` allows both. A profile can only be stricter than the settings.',
        'what the settings say',
      ),
      'ask',
    ),
  }).meta({
    id: 'profile',
    description: 'A named part of the tools, served at `/mcp/<name>`. An operation must match every field.',
  });
  const profileName = z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a profile name has lower-case letters, digits, "-" and "_", at most 32');

  return z.record(profileName, profile);
});

export function readProfiles(file: string): Readonly<Record<string, Profile>> {
  const { value, positionOf } = parseYaml(readUtf8File(file), file, 'BAD_CONFIG');
  const fail = (problems: readonly Problem[]) =>
    new MistakesError('BAD_CONFIG', toMistakes(file, problems, positionOf));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail([{ path: [], message: 'must hold profiles by name, for example: reader: { effects: [read] }' }]);
  }
  // Editors find the schema of a JSON file by `$schema`.
  const { $schema, ...rest } = value as Record<string, unknown>;
  const result = profilesFile().safeParse(typeof $schema === 'string' ? rest : value, { reportInput: true });
  if (!result.success) throw fail(toProblems(result.error.issues));
  return rememberPlace(result.data as Readonly<Record<string, Profile>>, { file, positionOf });
}

/** A selection of the profiles, or changed ones. Errors about them still name the same file. */
export function deriveProfiles(
  profiles: Readonly<Record<string, Profile>>,
  change: (profile: Profile, name: string) => Profile | undefined,
): Readonly<Record<string, Profile>> {
  const entries = Object.entries(profiles).map(([name, one]) => [name, change(one, name)] as const);
  const variants = Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as Record<string, Profile>;
  return rememberPlace(variants, placeOf(profiles));
}

/** Reads a file of the configuration. */
export function readUtf8File(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new MistakesError(
      'BAD_CONFIG',
      [{ file, message: describeFileError(error as NodeJS.ErrnoException) }],
      error,
    );
  }
}

// profiles.yaml: named subsets of the catalog, each served at /mcp/<name>.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { about, strict } from './domain/definition/shape/fields.ts';
import { reason } from './domain/files/domain-files.ts';
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
    domains: about(names, 'Only operations of these domains; `*` stands for any run of characters.', ['shop']),
    include: about(
      names,
      'Only these operations, by fully-qualified name (`domain.group.operation`, as `landbridge explain` shows it) with globs; a name stands for what is below it, too.',
      ['shop.orders.*'],
    ),
    exclude: about(names, 'None of these operations; stronger than every other choice.', ['shop.delete_order']),
    tags: about(names, 'Only operations with one of these tags: `orders` of any domain, `shop.orders` of one.', [
      'orders',
    ]),
    excludeTags: about(names, 'None with one of these tags; stronger than `tags`.', ['customers']),
    effects: about(z.array(z.enum(EFFECTS)).min(1), 'Only operations of these effects.', ['read']),
    native: about(
      z.union([z.boolean(), names]),
      'Tools, resources and prompts registered in code: all of them, or those of these names or URIs. Default: none.',
      false,
    ),
    exposure: about(
      z.enum(EXPOSURES),
      'One tool per operation, one per group, or search. Default: as the deployment and its domains say.',
      'tools',
    ),
    readOnly: about(z.boolean(), 'Refuses everything that is not a read.', true),
    guard: about(
      z.enum(GUARD_POLICIES),
      'Lets destructive calls pass, asks a person first, or refuses; never laxer than the deployment.',
      'deny',
    ),
    confirm: about(
      z.enum(CONFIRM_WAYS),
      'How a call that needs a yes gets it: a signed token, a person who is asked, or either; never laxer than the deployment.',
      'ask',
    ),
  }).meta({
    id: 'profile',
    description: 'A part of the catalog, served at `/mcp/<name>`. An operation must pass every choice.',
  });
  const profileName = z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a profile name has lower-case letters, digits, "-" and "_", at most 32');

  return z.record(profileName, profile);
});

export function readProfiles(file: string): Readonly<Record<string, Profile>> {
  const { value, positionOf } = parseYaml(readText(file), file, 'BAD_CONFIG');
  const fail = (problems: readonly Problem[]) =>
    new MistakesError('BAD_CONFIG', toMistakes(file, problems, positionOf));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail([{ path: [], message: 'must hold profiles by name, for example: reader: { effects: [read] }' }]);
  }
  // Editors find the schema of a JSON file by it.
  const { $schema, ...rest } = value as Record<string, unknown>;
  const result = profilesFile().safeParse(typeof $schema === 'string' ? rest : value, { reportInput: true });
  if (!result.success) throw fail(toProblems(result.error.issues));
  return rememberPlace(result.data as Readonly<Record<string, Profile>>, { file, positionOf });
}

/** Some of the profiles, or changed ones: what is wrong with them is told of the same file. */
export function deriveProfiles(
  profiles: Readonly<Record<string, Profile>>,
  change: (profile: Profile, name: string) => Profile | undefined,
): Readonly<Record<string, Profile>> {
  const entries = Object.entries(profiles).map(([name, one]) => [name, change(one, name)] as const);
  const variants = Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as Record<string, Profile>;
  return rememberPlace(variants, placeOf(profiles));
}

/** A file of the configuration. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new MistakesError('BAD_CONFIG', [{ file, message: reason(error as NodeJS.ErrnoException) }], error);
  }
}

// The files of docs/ that are generated, by path.
import { renderCliPage } from './cli-page.ts';
import { renderDomainFilesPage } from './domain-files-page.ts';
import { renderErrorsPage } from './errors-page.ts';
import { renderMetricsPage } from './metrics-page.ts';
import { renderProfilesPage } from './profiles-page.ts';
import { buildConfigSchema, buildDomainSchema, buildProfilesSchema, listGaps, withVariables } from './reference.ts';
import { renderSettingsPage } from './settings-page.ts';
import { listThrown } from './thrown-messages.ts';

/** Text of every file by its path in the repository. */
export function buildReferenceFiles(): Readonly<Record<string, string>> {
  const domain = buildDomainSchema();
  const profiles = buildProfilesSchema();
  const config = buildConfigSchema();
  const gaps = [...listGaps(domain), ...listGaps(profiles), ...listGaps(config)];
  if (gaps.length > 0) throw new Error(`The reference is not complete:\n${gaps.join('\n')}`);
  return {
    'docs/domain-files.md': renderDomainFilesPage(domain),
    'docs/profiles.md': renderProfilesPage(profiles),
    'docs/settings.md': renderSettingsPage(config),
    'docs/cli.md': renderCliPage(),
    'docs/errors.md': renderErrorsPage(listThrown()),
    'docs/metrics.md': renderMetricsPage(),
    'docs/schemas/domain.schema.json': `${JSON.stringify(domain, null, 2)}\n`,
    'docs/schemas/profiles.schema.json': `${JSON.stringify(profiles, null, 2)}\n`,
    'docs/schemas/config.schema.json': `${JSON.stringify(withVariables(config), null, 2)}\n`,
  };
}

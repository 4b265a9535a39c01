// docs/profiles.md: every field of a profile.
import { editorsSection, GENERATED } from './editors-section.ts';
import type { JsonNode } from './reference.ts';
import { type Group, renderPage } from './reference-page.ts';

const INTRO = `# Profiles

${GENERATED}

A profile is a named part of the tools. Clients reach it at \`/mcp/<name>\`. For stdio and TCP, \`--profile\` chooses one.
Write profiles into \`profiles.yaml\`, into the file that \`--profiles\` names, or under \`profiles\` in \`landbridge.yaml\`:

\`\`\`yaml
# profiles.yaml
reader: { effects: [read] }
support: { domains: [tasks], tags: [tasks], exposure: tools, guard: confirm }
\`\`\`

A profile can only be stricter than the settings of the gateway. These errors stop the start, and the message has file, line, field
and fix:

- a domain, operation or tag that does not exist
- a profile without any operation`;

const GROUPS: readonly Group[] = [
  {
    title: 'Choose operations',
    intro: 'An operation belongs to the profile if it matches all of these fields.',
    wants: {
      'serve some domains or operations': '`domains`, `include`',
      'leave operations out': '`exclude`, `excludeTags`',
      'serve only reads': '`effects`',
      'serve tools that are written in code': '`native`',
    },
    fields: 'domains include exclude tags excludeTags effects native',
  },
  {
    title: 'Change how it is served',
    intro: 'These fields apply to this profile only.',
    wants: { 'show tools in another way': '`exposure`', 'be stricter with changes': '`readOnly`, `guard`, `confirm`' },
    fields: 'exposure readOnly guard confirm',
  },
];

export function renderProfilesPage(schema: JsonNode): string {
  const outro = editorsSection('profiles', '`profiles.yaml`');
  return renderPage({ intro: INTRO, groups: GROUPS, outro, schema, mains: ['profile'] });
}

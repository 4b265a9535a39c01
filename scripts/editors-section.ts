/** How an editor finds the schema of a file: the last section of its page. */
export function editorsSection(kind: 'domain' | 'profiles' | 'config', file: string): string {
  const up = kind === 'domain' ? '../' : '';
  return `## In an editor

Editors that know YAML schemas complete and check the file while you write. VS Code with the YAML extension, JetBrains, Neovim and
Helix are examples. The first line of the file must name the schema:

${kind === 'domain' ? '- `landbridge import` writes the schema next to the domain file, and the line into the file.\n' : ''}- \`landbridge schema${kind === 'domain' ? '' : ` ${kind}`}\` prints the schema. Save it next to ${file} as \`.${kind}.schema.json\`.
  Begin the file with \`# yaml-language-server: $schema=.${kind}.schema.json\`.
- If the package is installed in your project, name its own copy:
  \`# yaml-language-server: $schema=${up === '' ? './' : up}node_modules/landbridge/docs/schemas/${kind}.schema.json\`.
- In a clone of this repository: \`# yaml-language-server: $schema=${up}docs/schemas/${kind}.schema.json\`.`;
}

export const GENERATED = '<!-- Written by npm run docs, from the source. Change src/ and scripts/, not this page. -->';

// For agents that set up Landbridge: llms.txt, which lists the pages, and docs/all.md, which is all of them in one.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** In the reading order for somebody new to the project. */
const PARTS: readonly (readonly [title: string, pages: readonly string[]])[] = [
  ['Start', ['README.md', 'docs/guides/install.md', 'docs/concepts.md', 'examples/README.md']],
  [
    'Guides',
    [
      'docs/guides/first-api.md',
      'docs/guides/hand-written-domains.md',
      'docs/guides/credentials.md',
      'docs/guides/guard.md',
      'docs/guides/large-apis.md',
      'docs/guides/team.md',
      'docs/guides/deploy.md',
      'docs/guides/operate.md',
      'docs/guides/migrate.md',
      'docs/guides/troubleshoot.md',
    ],
  ],
  [
    'Reference',
    [
      'docs/cli.md',
      'docs/settings.md',
      'docs/domain-files.md',
      'docs/profiles.md',
      'docs/errors.md',
      'docs/logs.md',
      'docs/metrics.md',
      'docs/tracing.md',
      'docs/audit.md',
      'docs/state.md',
      'docs/operate.md',
      'SCALE.md',
      'SECURITY.md',
      'docs/comparison.md',
    ],
  ],
];

const SUMMARY =
  'Landbridge turns REST APIs into MCP tools: strictly validated, guarded and fast. It reads OpenAPI documents or short domain files, and serves over HTTP, stdio and TCP.';

export function renderCollectedPages(root: URL): Record<string, string> {
  const pages = PARTS.map(([title, files]) => ({
    title,
    pages: files.map((file) => ({ file, text: readFileSync(new URL(file, root), 'utf8') })),
  }));
  const list = pages.flatMap(({ title, pages: own }) => [
    '',
    `## ${title}`,
    '',
    ...own.map(({ file, text }) => `- [${titleOf(text)}](${file}): ${firstSentence(text)}`),
  ]);
  const hint = 'All pages in one file: [docs/all.md](docs/all.md). Schemas for editors and checks: `docs/schemas/`.';
  const all = pages.flatMap(({ pages: own }) => own.map(({ file, text }) => withLinksFrom('docs', file, text).trim()));
  const intro = '<!-- Made by npm run docs of all other pages: change those. -->';
  return {
    'llms.txt': `${['# Landbridge', '', `> ${SUMMARY}`, '', hint, ...list].join('\n')}\n`,
    'docs/all.md': `${[intro, ...all].join('\n\n')}\n`,
  };
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)![1]!;
}

/** The first sentence of the page's text. */
function firstSentence(text: string): string {
  const paragraph = text
    .replace(/<!--[\s\S]*?-->|<picture>[\s\S]*?<\/picture>/g, '')
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .find((part) => /^[A-Z*[`]/.test(part))!;
  const plain = paragraph.replace(/\s+/g, ' ').replace(/\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}

/** Relative links as they are from another folder. */
function withLinksFrom(folder: string, file: string, text: string): string {
  const move = (link: string) => {
    if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
    return posix.relative(folder, posix.join(posix.dirname(file), link)) || '.';
  };
  return text
    .replace(/\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (_, path: string, hash = '') => `](${move(path)}${hash})`)
    .replace(/\b(src|srcset)="([^"]+)"/g, (_, name: string, path: string) => `${name}="${move(path)}"`);
}

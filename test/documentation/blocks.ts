// Finds every code block in the project's own prose: in Markdown files and in the comments of its code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language: `background`, a path. */
  readonly info: string;
  readonly code: string;
  /** A block in a comment stands beside its subject: it need not repeat the imports. */
  readonly inComment: boolean;
}

const FENCE = /^(`{3,}|~{3,})\s*(\w*)(.*)$/;
const COMMENT = /^\s*(?:\/\*\*?|\*\/|\*|\/\/|#) ?/;

const FOLDERS = ['src', 'sample', 'domains', 'scripts', 'lab', 'docs', 'deploy', 'examples', 'test'];
/** Made of the other pages. */
const COLLECTED = 'docs/all.md';

/** Every Markdown file of the project, and every file of code that is not itself a test. */
export function listProse(): string[] {
  const inFolders = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
  );
  return [...readdirSync(ROOT), ...inFolders]
    .filter((file) => file !== COLLECTED && !file.includes('node_modules/'))
    .filter((file) => file.endsWith('.md') || (!file.startsWith('test/') && /\/.*\.(ts|js|mjs|yaml)$/.test(file)))
    .sort();
}

export function listBlocks(): Block[] {
  return listProse().flatMap((file) => findBlocks(file, readFileSync(join(ROOT, file), 'utf8')));
}

export function findBlocks(file: string, text: string): Block[] {
  const inComment = !file.endsWith('.md');
  const lines = text.split(/\r?\n/).map((line) => (inComment ? toCommentText(line) : line));
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = FENCE.exec(lines[at]?.trimStart() ?? '');
    if (!fence) {
      if (/^@example\b/.test(lines[at] ?? '') && !FENCE.test(lines[at + 1]?.trimStart() ?? '')) {
        throw new Error(`${file}:${at + 1}: an @example is a fenced block, so that it can be tested.`);
      }
      continue;
    }
    const end = lines.findIndex((line, index) => index > at && line?.trimStart().startsWith(fence[1]!));
    if (end === -1) throw new Error(`${file}:${at + 1}: this block is never closed.`);
    const indent = lines[at]!.length - lines[at]!.trimStart().length;
    const code = lines.slice(at + 1, end).map((line) => (line ?? '').slice(indent));
    blocks.push({
      file,
      line: at + 1,
      language: fence[2]!,
      info: fence[3]!.trim(),
      code: `${code.join('\n')}\n`,
      inComment,
    });
    at = end;
  }
  return blocks;
}

/** What stands behind the comment sign; undefined for a line of code. */
function toCommentText(line: string): string | undefined {
  return COMMENT.test(line) ? line.replace(COMMENT, '') : undefined;
}

/** Pages that are followed from top to bottom: guides, and what explains an example. */
export function isWalked(file: string): boolean {
  return file === 'README.md' || /^docs\/guides\/.*\.md$|^examples\/[^/]+\/README\.md$/.test(file);
}

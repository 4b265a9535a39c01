// Which files a `$ref` may reach. A document is untrusted: what it names must lie in its own folder (links followed), or
// below the one root the operator named for it.
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

export type Confined = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** `path` as named from a file inside; `folder` is the real path of the document's folder, `refsRoot` as it was given. */
export async function confine(path: string, folder: string, refsRoot: string | undefined): Promise<Confined> {
  const extra = refsRoot === undefined ? [] : [resolve(refsRoot)];
  const real = await Promise.all(extra.map((root) => realpath(root).catch(() => root)));
  const roots = [folder, ...extra, ...real];
  // Refuse by name before touching the disk, so that a document cannot probe for files.
  if (!isInsideAny(path, roots)) return refuse(path);
  try {
    const target = await realpath(path);
    return isInsideAny(target, [folder, ...real]) ? { ok: true, path: target } : refuse(target);
  } catch {
    return { ok: false, reason: 'names a file that does not exist' };
  }
}

function isInsideAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith(`..${sep}`) && way !== '..' && join(folder, way) === path;
}

function refuse(path: string): Confined {
  const folder = dirname(path);
  const near = relative('.', folder);
  const place = near !== '' && near.length < folder.length ? near : folder;
  return {
    ok: false,
    reason: `leaves the document's folder; if you trust what is there, allow it with --refs-root ${place} (in a domain file: refsRoot)`,
  };
}

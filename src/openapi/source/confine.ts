// Which files a `$ref` may reach. A document is untrusted: what it names must lie in its own folder (links followed),
// or, as split documents do it, in a sibling folder with a name such documents use (`../common/Error.json`).
import { realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, sep } from 'node:path';

/** Folder names that split documents use for their parts. Anything else above the document's folder is off limits. */
const PART_FOLDERS =
  /^(?:(?:common|shared|global)(?:[-_]?(?:types|schemas|models|definitions|components))?|schemas?|components?|definitions?|models?|parameters?|responses?|requests?|request-?bodies|headers?|examples?|paths?|path-?items|types?|resources?|entities|errors?|security|securityschemes)$/i;

const DATA_FILE = new Set(['.json', '.yaml', '.yml']);

export type Confined = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** `path` as named from a file inside; `folder` is the real path of the document's folder. */
export async function confine(path: string, folder: string, refRoot: string | undefined): Promise<Confined> {
  // Refuse by name before touching the disk, so that a document cannot probe for files.
  if (!isAllowed(path, folder, refRoot)) return refuse(path, folder);
  let real: string;
  try {
    real = await realpath(path);
  } catch {
    return { ok: false, reason: 'names a file that does not exist' };
  }
  return isAllowed(real, folder, refRoot) ? { ok: true, path: real } : refuse(path, folder);
}

function isAllowed(path: string, folder: string, refRoot: string | undefined): boolean {
  if (isInside(path, folder) || (refRoot !== undefined && isInside(path, refRoot))) return true;
  const parent = dirname(folder);
  if (isTooWide(parent) || !isInside(path, parent)) return false;
  const [part, ...rest] = relative(parent, path).split(sep);
  if (rest.length === 0 || rest.some((name) => name.startsWith('.'))) return false;
  return PART_FOLDERS.test(part ?? '') && DATA_FILE.has(extname(path).toLowerCase());
}

const SYSTEM = new Set('/bin /boot /dev /etc /home /lib /proc /root /run /sbin /sys /usr /var'.split(' '));

/** A parent that holds much more than one document's parts. */
function isTooWide(parent: string): boolean {
  return parent === dirname(parent) || parent === homedir() || parent === tmpdir() || SYSTEM.has(parent);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith(`..${sep}`) && way !== '..' && join(folder, way) === path;
}

function refuse(path: string, folder: string): Confined {
  return {
    ok: false,
    reason: `leaves the document's folder (${basename(path)} is not inside ${basename(folder) || 'it'}); move the file there or allow its folder with refRoot`,
  };
}

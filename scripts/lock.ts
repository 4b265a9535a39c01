// A lock file has the optional packages of every platform. npm leaves out those that the registry did not serve to this one. Then
// `npm ci` fails everywhere, and `npm install` on another system lacks its native parts. Each parent names them in its
// `optionalDependencies`; what the registry does not say is read from the package's name.

export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly cpu?: readonly string[];
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly libc?: readonly string[];
  readonly license?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** What a registry says about one version. Undefined if it does not serve the package. */
export type Manifest = Pick<LockEntry, 'cpu' | 'dependencies' | 'engines' | 'integrity' | 'libc' | 'license' | 'os'> & {
  readonly version: string;
};
export type ReadManifest = (name: string, range: string) => Promise<Manifest | undefined>;

export interface Missing {
  /** Where the package that names it stands in the lock. */
  readonly parent: string;
  readonly name: string;
  readonly range: string;
}

const MODULES = 'node_modules/';
const EXACT = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

/** Every package that another package of the lock depends on, optionally or not, and that the lock does not have. */
export function listMissing(lock: Lock): Missing[] {
  return Object.entries(lock.packages).flatMap(([parent, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name]) => resolveEntry(lock, parent, name) === undefined)
      .map(([name, range]) => ({ parent, name, range })),
  );
}

/** Where `name` is found from `parent`, as Node looks for it: in its own node_modules, then one level up at a time. */
function resolveEntry(lock: Lock, parent: string, name: string): string | undefined {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(MODULES) - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}${MODULES}${name}`;
    if (lock.packages[path]) return path;
    if (folder === '') return undefined;
  }
}

/** A copy with every package in it, and with checksums that the registry did not serve when the lock was written. */
export async function completeLock<L extends Lock>(lock: L, readManifest: ReadManifest): Promise<L> {
  const packages: Record<string, LockEntry> = { ...lock.packages };
  for (const { parent, name, range } of listMissing(lock)) {
    const { dev, devOptional, optional, optionalDependencies } = packages[parent]!;
    const isOptional = optional === true || optionalDependencies?.[name] !== undefined;
    const flags = { ...(dev && { dev }), ...(devOptional && { devOptional }), ...(isOptional && { optional: true }) };
    await addPackage(packages, `${MODULES}${name}`, name, range, flags, readManifest);
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!entry.optional || entry.integrity || !entry.version) continue;
    const manifest = await readManifest(path.slice(path.lastIndexOf(MODULES) + MODULES.length), entry.version);
    if (manifest?.integrity) packages[path] = toEntry(manifest, entry);
  }
  return { ...lock, packages: sortPaths(packages) };
}

/** The package at `path`, and what it depends on below it, where no other version can be in the way. */
async function addPackage(
  packages: Record<string, LockEntry>,
  path: string,
  name: string,
  range: string,
  flags: LockEntry,
  readManifest: ReadManifest,
): Promise<void> {
  const manifest = (await readManifest(name, range)) ?? guessManifest(name, range);
  packages[path] = toEntry(manifest, flags);
  const home = path.indexOf(`/${MODULES}`) === -1 ? path : path.slice(0, path.indexOf(`/${MODULES}`));
  for (const [dependency, versions] of Object.entries(manifest.dependencies ?? {})) {
    const below = `${home}/${MODULES}${dependency}`;
    if (!packages[below]) await addPackage(packages, below, dependency, versions, flags, readManifest);
  }
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const LIBRARIES: Readonly<Record<string, string>> = { gnu: 'glibc', musl: 'musl' };

/** The names of native packages say where they run: `cli-linux-arm64-musl`, `binding-win32-x64-msvc`. */
function guessManifest(name: string, version: string): Manifest {
  if (!EXACT.test(version)) {
    throw new Error(
      `The registry does not serve ${name}, and ${version} is a range: its version cannot be known here.`,
    );
  }
  const words = name.split(/[-/]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = words.flatMap((word) => LIBRARIES[word] ?? []);
  if (os.length === 0 && cpu.length === 0) {
    throw new Error(`The registry does not serve ${name}, and its name does not say on which platform it runs.`);
  }
  return { version, ...(os.length > 0 && { os }), ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }) };
}

/** In npm's own order of fields, so that npm finds nothing to rewrite. */
function toEntry(manifest: Manifest, flags: LockEntry): LockEntry {
  const { version, integrity, cpu, libc, license, os, dependencies, engines } = manifest;
  const { dev, devOptional, optional } = flags;
  const fields = { version, integrity, cpu, dev, devOptional, libc, license, optional, os, dependencies, engines };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as LockEntry;
}

function sortPaths(packages: Readonly<Record<string, LockEntry>>): Record<string, LockEntry> {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

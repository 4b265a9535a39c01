// No regular expression of ours takes more than linear time. Every literal of the sources is given to two checkers: recheck
// (in JavaScript; by automaton, with an attack string) and scslre (quick, and certain where recheck gives up).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { analyse } from 'scslre';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parseAst } from 'vitest/node';

// Without it the package looks for a program or a Java of this machine.
process.env.RECHECK_BACKEND = 'pure';

/** `/source/flags` → why it is safe all the same: what bounds the text it is given. */
const ALLOWED: Readonly<Record<string, string>> = {};

/** File → why it builds a pattern at run time, and out of what. */
const BUILT: Readonly<Record<string, string>> = {
  'src/cli/terminal/terminal.ts': 'a constant with an escape character in it',
  'src/endpoint/conventions/effect-words.ts': 'words of ours, one after the other; what comes of them is checked below',
  'src/endpoint/conventions/pagination-words.ts':
    'words of the lexicon as alternatives; what comes of them is checked below',
  'src/endpoint/environment.ts': 'the marks of sources between constants',
  'src/endpoint/conventions/html.ts': 'the name of an element between constants',
  'src/endpoint/hidden.ts': 'classes of characters, each one constant',
  'src/doctor/suspicious.ts': 'constants, one after the other; what comes of them is checked below',
  'src/domain/definition/argument-schema.ts': 'a pattern of a file, only compiled to see that it is one',
  'src/domain/definition/shape/fields.ts': 'words of ours, letter by letter',
  'src/executor/answer/lossless.ts': 'a random mark between constants',
  'src/openapi/schema/schema-values.ts': 'a pattern of a document, only compiled to see that it is one',
  'src/openapi/source/jsonpath.ts': 'match() and search() of an overlay, which the operator names',
  'src/schema/check/pattern.ts': 'a pattern of a document; test/attack shows that none can stall',
  'src/schema/portable/constraint-words.ts': 'a pattern of a document, only compiled to see that it is one',
};

/** Those that put constants together when they are loaded. */
const CONSTANTS = [
  'src/doctor/suspicious.ts',
  'src/endpoint/conventions/effect-words.ts',
  'src/endpoint/conventions/pagination-words.ts',
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Literal {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly type: string; readonly name?: string };
  readonly arguments?: readonly { readonly type: string; readonly value?: unknown }[];
}

function read(): { literals: Literal[]; built: string[] } {
  const literals: Literal[] = [];
  const built: string[] = [];
  const files = ['src', 'domains', 'sample'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path}`),
  );
  for (const file of files) {
    const text = readFileSync(`${ROOT}${file}`, 'utf8');
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if (Array.isArray(node)) {
        for (const child of node) visit(child);
        return;
      }
      const { type, start, regex, callee, arguments: args } = node as AstNode;
      const place = () => `${file}:${text.slice(0, start).split('\n').length}`;
      if (type === 'Literal' && regex) literals.push({ place: place(), source: regex.pattern, flags: regex.flags });
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') {
        const [source, flags] = args ?? [];
        if (typeof source?.value === 'string') {
          literals.push({ place: place(), source: source.value, flags: String(flags?.value ?? '') });
        } else if (!(file in BUILT)) built.push(place());
      }
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(text, { lang: 'ts' }, file).body);
  }
  return { literals, built };
}

/**
 * Without a repetition that has no end, time is bounded by the text's length times a constant; so it is with a single one
 * behind an anchor, where there is nothing to choose.
 */
function needsCheck({ source }: Literal): boolean {
  const endless = source.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  return endless > 1 || (endless === 1 && !/^\^[^|?{]*$/.test(source));
}

/** An expression of many alternatives is too deep for recheck's own recursion. */
async function checkOrGiveUp(check: typeof import('recheck').check, source: string, flags: string, timeout: number) {
  try {
    return await check(source, flags, { timeout, checker: 'automaton' });
  } catch (error) {
    if (error instanceof RangeError) return { status: 'unknown' } as const;
    throw new Error(`recheck fails on /${source}/${flags}`, { cause: error });
  }
}

/** Expressions that a module puts together out of constants when it is loaded. */
async function readBuilt(file: string): Promise<Literal[]> {
  const literals: Literal[] = [];
  const Plain = RegExp;
  vi.stubGlobal(
    'RegExp',
    new Proxy(Plain, {
      construct(target, [source, flags]: [string, string]) {
        literals.push({ place: file, source, flags });
        return new target(source, flags);
      },
    }),
  );
  try {
    vi.resetModules();
    await import(`../../${file}`);
  } finally {
    vi.unstubAllGlobals();
  }
  return literals;
}

describe('every regular expression of ours', () => {
  let literals: Literal[];
  let built: string[];
  beforeAll(async () => {
    ({ literals, built } = read());
    for (const file of CONSTANTS) literals.push(...(await readBuilt(file)));
  });

  test('is checked where it is built of constants too', () => {
    for (const file of CONSTANTS) expect(literals.filter(({ place }) => place === file).length).toBeGreaterThan(3);
  });

  test('is a literal, or its file says out of what it is built', () => {
    expect(literals.length).toBeGreaterThan(100);
    expect(built).toEqual([]);
  });

  test('takes linear time', async () => {
    const { check } = await import('recheck');
    const places = new Map<string, Literal & { readonly places: string[] }>();
    for (const literal of literals.filter(needsCheck)) {
      const key = `/${literal.source}/${literal.flags}`;
      const known = places.get(key);
      if (known) known.places.push(literal.place);
      else places.set(key, { ...literal, places: [literal.place] });
    }
    const offenders: string[] = [];
    for (const [key, { source, flags, places: at }] of places) {
      if (Object.hasOwn(ALLOWED, key)) continue;
      // What scslre suspects is an offender unless recheck proves the contrary, for which it gets time; what it does not
      // suspect is one if recheck finds an attack.
      const suspicions = analyse({ source, flags }).reports.map(({ type }) => type);
      const timeout = suspicions.length > 0 ? 10_000 : 1_000;
      const result = await checkOrGiveUp(check, source, flags, timeout);
      if (result.status === 'vulnerable') {
        offenders.push(`${at.join(', ')}  ${key}  ${result.complexity.summary}, with ${result.attack.pattern}`);
      } else if (result.status === 'unknown' && suspicions.length > 0) {
        offenders.push(`${at.join(', ')}  ${key}  ${suspicions.join(', ')}`);
      }
    }
    expect(offenders).toEqual([]);
  });

  test('that is allowed all the same exists, and says why', () => {
    const keys = new Set(literals.map(({ source, flags }) => `/${source}/${flags}`));
    expect(Object.keys(ALLOWED).filter((key) => !keys.has(key) || ALLOWED[key] === '')).toEqual([]);
  });
});

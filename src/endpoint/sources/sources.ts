// Where a value comes from: a variable of the environment, or a file. A new source is a file beside this one and an entry here. The
// table is in endpoint/, because base URLs and settings of landbridge.yaml are read from the same sources as secrets.
import { fileSource } from './secret-file.ts';
import { variableSource } from './variable.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What a source holds: a text that is not empty, or why it has none. `isSecret`: it counts as a secret, whatever its name. */
export type SourceValue = { readonly text: string; readonly isSecret?: true } | { readonly problem: string };

export interface ValueSource {
  /** The prefix of names from this source, wherever a variable can be named: `file:`. */
  readonly mark: string;
  /** The end of the fields of domain files that name a secret from it: `clientIdFile`; a field `env` becomes `file`. */
  readonly suffix: string;
  /** What such a field names: `the file`. */
  readonly noun: string;
  /** The description of such a field, which replaces `field`. */
  describe(field: string): string;
  /** A value that such a field may have; `name` is a short name of the secret, `shop_key`. */
  example(name: string): string;
  /** The value of such a field, as it follows the mark; `folder` is that of the domain file. */
  locate(value: string, folder: string): string;
  /** `name` is without the mark. Undefined if the source has nothing of that name. */
  read(name: string, env: Variables): SourceValue | undefined;
  /** Why a name can never be read, wherever it is written; it follows the name in a sentence. */
  findProblem?(name: string): string | undefined;
}

const VARIABLE = variableSource;
/** Those whose names begin with a mark. */
export const MARKED_SOURCES = { file: fileSource } as const satisfies Readonly<Record<string, ValueSource>>;
const MARKED: readonly ValueSource[] = Object.values(MARKED_SOURCES);
export const SOURCES: readonly ValueSource[] = [VARIABLE, ...MARKED];

/** The ends of fields that name a secret. */
export type SourceSuffix = 'Env' | (typeof MARKED_SOURCES)[keyof typeof MARKED_SOURCES]['suffix'];

/** The marks, for a regular expression. */
export const MARKS: string = MARKED.map(({ mark }) => mark).join('|');

/** The source that a name belongs to, and the name without its mark. */
export function sourceOf(name: string): { readonly source: ValueSource; readonly rest: string } {
  const source = MARKED.find(({ mark }) => name.startsWith(mark)) ?? VARIABLE;
  return { source, rest: name.slice(source.mark.length) };
}

/** Whether a name is that of a variable, and not of a file. */
export function isVariable(name: string): boolean {
  return sourceOf(name).source === VARIABLE;
}

// Documents to import: a small corpus of our own, always there, and the large one of real documents in ../shared/specs,
// where it is present. Both have an index and, per document, the truth about its operations.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface CorpusDocument {
  readonly id: string;
  readonly file: string;
  readonly operations: number;
}

export interface Truth {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, readonly string[]>>;
  readonly body?: { readonly mediaTypes: readonly string[]; readonly required: boolean };
}

export interface Corpus {
  readonly name: string;
  /** With its slash. */
  readonly folder: string;
  readonly present: boolean;
  readonly documents: readonly CorpusDocument[];
}

export const OWN = openCorpus('our own documents', '../corpus/');
export const SHARED = openCorpus('the real documents of ../shared/specs', '../../../shared/specs/');
export const CORPORA: readonly Corpus[] = [OWN, SHARED];

function openCorpus(name: string, path: string): Corpus {
  const folder = fileURLToPath(new URL(path, import.meta.url));
  const present = existsSync(`${folder}index.json`);
  // An absent corpus still has a name, so that what is not run is reported as skipped.
  const documents = present
    ? (readJson(`${folder}index.json`) as { documents: CorpusDocument[] }).documents
    : [{ id: 'every document', file: '', operations: 0 }];
  return { name, folder, present, documents };
}

export function readTruth({ folder }: Corpus, id: string): readonly Truth[] {
  return readJson(`${folder}truth/${id}.ops.json`) as Truth[];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

// How an import writes headers and addresses that may contain secrets: with variables, never with values.

import { replaceReferences } from '../../endpoint/environment.ts';
import { splitHeaderLine } from '../../endpoint/headers/header-fields.ts';
import { isSecretHeader } from '../../endpoint/headers/header-names.ts';

export interface SafeText<Text> {
  readonly text: Text;
  /** What a person has to set, and to what. */
  readonly notes: readonly string[];
}

/** Headers about the form of the answer, not about the caller. */
const HARMLESS = /^(?:accept|accept-language|prefer|user-agent|x-requested-with)$|version|language|locale|tenant/i;

/** Lines of `headers:` in a domain file for `--header` lines. */
export function writeHeaders(lines: readonly string[], domain: string): SafeText<readonly string[]> {
  const notes: string[] = [];
  const text = lines.map((line) => {
    const { name, value } = splitHeaderLine(line);
    return `${JSON.stringify(name)}: ${JSON.stringify(writeHeader(name, value, domain, notes))}`;
  });
  return { text, notes };
}

/** Whether a header line contains no secret: its values are variables, or only affect the answer. */
export function mayBeWritten(line: string): boolean {
  const { name, value } = splitHeaderLine(line);
  const notes: string[] = [];
  writeHeader(name, value, '', notes);
  return notes.length === 0;
}

function isHarmless(name: string): boolean {
  return HARMLESS.test(name) && !isSecretHeader(name);
}

function writeHeader(name: string, value: string, domain: string, notes: string[]): string {
  if (isHarmless(name)) return value;
  // A default may be a secret as well.
  const bare = replaceReferences(value, ({ name: variable, fallback }) => {
    if (fallback)
      notes.push(`The default of ${variable} in the header ${name} was not written into the file: set ${variable}.`);
    return `\${${variable}}`;
  });
  const scheme = /^[A-Za-z][\w-]* (?=\S)/.exec(bare)?.[0] ?? '';
  const rest = bare.slice(scheme.length);
  if (isOnlyReferences(rest)) return bare;
  const variable = variableFor(domain, name);
  const what = scheme === '' ? 'that value' : `the text after "${scheme.trim()}"`;
  notes.push(`The value of the header ${name} was not written into the file: set ${variable} to ${what}.`);
  return `${scheme}\${${variable}}`;
}

/** Whether a text is nothing but variables and what surrounds a key: `token=${KEY}`, `"${KEY}"`. */
function isOnlyReferences(text: string): boolean {
  const around = replaceReferences(text, () => ' ').replace(/[\s"':;,]+/g, ' ');
  return text.includes('${') && around.split(' ').every((word) => /^(?:[A-Za-z_]{1,12}=)?$/.test(word));
}

const SECRET_PARAMETER = /key|token|secret|auth|pass|sig|session|jwt/i;

/** The address of a document without the secrets of its query, which become variables. */
export function writeAddress(url: string, domain: string): SafeText<string> {
  const address = new URL(url);
  const notes: string[] = [];
  const parts = [...address.searchParams].map(([name, value]) => {
    if (!SECRET_PARAMETER.test(name))
      return `${encodeURIComponent(name)}${value === '' ? '' : `=${encodeURIComponent(value)}`}`;
    const variable = variableFor(domain, name);
    notes.push(
      `${name} in the address of the document was not written into the file: set ${variable} before an update.`,
    );
    return `${encodeURIComponent(name)}=\${${variable}}`;
  });
  const query = parts.length === 0 ? '' : `?${parts.join('&')}`;
  return { text: address.origin + address.pathname + query, notes };
}

export function variableFor(domain: string, name: string): string {
  return [domain, name]
    .filter((part) => part !== '')
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
}

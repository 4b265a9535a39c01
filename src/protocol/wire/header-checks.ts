// Header checks of modern Streamable HTTP: headers must agree with the body (S:basic/transports, SEP-2243). Every difference is a
// HeaderMismatch.
import { GatewayError } from '../../errors.ts';
import type { MessageParams } from './jsonrpc.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An argument that clients repeat in a header: `x-mcp-header` on a property of the input schema. */
export interface MirroredArgument {
  readonly header: string;
  /** The path of its property in the arguments. */
  readonly path: readonly string[];
}

const NAME_KEYS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export function checkVersionHeader(headers: Headers, version: string): void {
  const header = headers['mcp-protocol-version'];
  if (header === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (header !== version) throw mismatch(`MCP-Protocol-Version says ${quote(header)}, _meta says ${quote(version)}`);
}

export function checkRequestHeaders(headers: Headers, method: string, params: MessageParams | undefined): void {
  const header = headers['mcp-method'];
  if (header === undefined) throw mismatch('Mcp-Method is missing');
  if (header !== method) throw mismatch(`Mcp-Method says ${quote(header)}, the body says ${quote(method)}`);
  const key = NAME_KEYS.get(method);
  if (key === undefined) return;
  const name = params?.[key];
  // A body without a name is a different error, which dispatch reports.
  if (typeof name !== 'string') return;
  const raw = headers['mcp-name'];
  if (typeof raw !== 'string') throw mismatch('Mcp-Name is missing');
  if (decodeHeader('Mcp-Name', raw) !== name) {
    throw mismatch(`Mcp-Name says ${quote(raw)}, the body says ${quote(name)}`);
  }
}

export function checkMirroredArguments(
  headers: Headers,
  args: MessageParams,
  mirrors: readonly MirroredArgument[],
): void {
  for (const { header, path } of mirrors) {
    let value: unknown = args;
    for (const key of path)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as MessageParams)[key]
          : undefined;
    const name = `Mcp-Param-${header}`;
    const raw = headers[name.toLowerCase()];
    // Values that no header can carry are left to the validation of arguments.
    if (value === undefined || value === null || typeof value === 'object') continue;
    if (typeof raw !== 'string') throw mismatch(`${name} is missing, though the argument ${path.join('.')} is there`);
    const text = decodeHeader(name, raw);
    const same = typeof value === 'number' ? DECIMAL.test(text) && Number(text) === value : text === String(value);
    if (!same) throw mismatch(`${name} differs from the argument ${path.join('.')}`);
  }
}

/** Numbers are compared as numbers (SEP-2243), but only in a notation that every parser understands. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Finds valid `x-mcp-header` annotations. They count only on properties that are reached through `properties` alone. */
export function findMirroredArguments(schema: unknown): readonly MirroredArgument[] {
  const mirrors: MirroredArgument[] = [];
  const visit = (node: unknown, path: readonly string[]) => {
    const properties = (node as { properties?: unknown } | null)?.properties;
    if (typeof properties !== 'object' || properties === null || path.length > 8) return;
    for (const [key, child] of Object.entries(properties)) {
      const { 'x-mcp-header': header, type } = (child ?? {}) as Record<string, unknown>;
      const at = [...path, key];
      if (
        typeof header === 'string' &&
        TOKEN.test(header) &&
        ['string', 'integer', 'boolean'].includes(type as string)
      ) {
        mirrors.push({ header, path: at });
      }
      visit(child, at);
    }
  };
  visit(schema, []);
  const names = mirrors.map(({ header }) => header.toLowerCase());
  return new Set(names).size === names.length ? mirrors : [];
}

const OPENING = '=?base64?';
const CLOSING = '?=';

/** A value is encoded only if it has both markers; anything else is literal (SEP-2243, value encoding). */
function decodeHeader(name: string, raw: string): string {
  const value = raw.trim();
  const isEncoded = value.startsWith(OPENING) && value.endsWith(CLOSING);
  if (!isEncoded || value.length < OPENING.length + CLOSING.length) return value;
  const text = value.slice(OPENING.length, -CLOSING.length);
  const bytes = Buffer.from(text, 'base64');
  // Node ignores characters that are not base64, so only the canonical spelling is accepted.
  if (bytes.toString('base64') !== text) throw mismatch(`${name} is not valid base64`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw mismatch(`${name} is not valid UTF-8`);
  }
}

function quote(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}

function mismatch(what: string): GatewayError {
  return new GatewayError('HEADER_MISMATCH', `Header mismatch: ${what}.`);
}

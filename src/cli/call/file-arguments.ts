// `file=@./photo.png` of landbridge call, as in curl: reads the file for an argument that accepts one. An argument that accepts text
// stays as it is: `handle=@ada`.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { usageError } from '../../errors.ts';
import { COMPOSITIONS } from '../../schema/keywords.ts';
import { deref, type SchemaObject, schemasOf } from '../../schema/references.ts';

/** `schema`: of all arguments of the tool. */
export async function readFileArguments(args: Args, schema: JsonSchema): Promise<Args> {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const values: Record<string, unknown> = Object.assign(Object.create(null), args);
  for (const [key, value] of Object.entries(args)) {
    if (typeof value !== 'string' || !value.startsWith('@') || !Object.hasOwn(properties, key)) continue;
    const forms = formsOf(schema, properties[key]);
    const items = forms.flatMap(({ items }) => formsOf(schema, items));
    if (forms.some(isFileSchema)) values[key] = await readUpload(key, value);
    else if (items.some(isFileSchema))
      values[key] = await Promise.all(splitList(value).map((one) => readUpload(key, one)));
    else if (!acceptsText(items.length > 0 ? items : forms)) values[key] = await readJson(key, value.slice(1));
  }
  return values;
}

/** A schema and the branches of its unions. */
function formsOf(root: JsonSchema, schema: unknown): SchemaObject[] {
  const own = isObject(schema) ? deref(root, schema) : undefined;
  if (!isObject(own)) return [];
  const branches = COMPOSITIONS.flatMap((union) => schemasOf(own[union]));
  return [own, ...branches.map((branch) => deref(root, branch)).filter(isObject)];
}

/** conventions/file-types.ts, also where a domain file has words of its own for it. */
function isFileSchema({ properties }: SchemaObject): boolean {
  return isObject(properties) && ['base64', 'filename'].every((key) => Object.hasOwn(properties, key));
}

function acceptsText(forms: readonly SchemaObject[]): boolean {
  const types = forms.flatMap(({ type }) => type ?? []);
  return types.length === 0 || types.includes('string');
}

/** `@a.png,@b.png`. */
function splitList(value: string): string[] {
  return value.split(/,(?=@)/);
}

/** `@photo.png`, or `@photo.bin;type=image/png`. Without a type, the executor finds it out. */
async function readUpload(key: string, value: string): Promise<Args> {
  const [, path = '', mimeType] = /^@(.*?)(?:;type=([^;]+))?$/s.exec(value) ?? [];
  const bytes = await readBytes(key, path);
  return { filename: basename(path), base64: bytes.toString('base64'), ...(mimeType !== undefined && { mimeType }) };
}

async function readJson(key: string, path: string): Promise<unknown> {
  const text = (await readBytes(key, path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${key}: ${path} is not valid JSON: ${(cause as Error).message}.`, cause);
  }
}

async function readBytes(key: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : (code ?? 'unreadable');
    throw usageError(`${key}: cannot read "${path}": ${why}. Write ${key}=@path/of/the/file.`, cause);
  }
}

// `application/x-www-form-urlencoded` bodies: each property through the parameter serialiser, as its encoding says.
import type { PartEncoding } from '../../endpoint/model.ts';
import { writeJson } from '../answer/lossless.ts';
import { checkRepetition, compileParameter, isEmpty, type Serialise, toText } from './parameter-styles.ts';
import { encode, encodeReserved } from './percent-encoding.ts';

export function compileForm(encoding: Readonly<Record<string, PartEncoding>> = {}): (value: unknown) => string {
  const styled = new Map<string, Serialise>();
  for (const [name, part] of Object.entries(encoding)) {
    if (part.style !== undefined || part.explode !== undefined) styled.set(name, compileProperty(name, part));
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return toText(value);
    const parts: string[] = [];
    for (const [name, item] of Object.entries(value)) {
      if (isEmpty(item)) continue;
      const serialise = styled.get(name);
      if (serialise === undefined) appendPlain(parts, name, item, encoding[name]);
      else parts.push(serialise(item) as string);
    }
    return parts.filter(Boolean).join('&');
  };
}

function compileProperty(name: string, part: PartEncoding): Serialise {
  const style = part.style ?? 'form';
  return compileParameter({
    in: 'query',
    name,
    style,
    explode: part.explode ?? (style === 'form' || style === 'deepObject'),
    ...(part.allowReserved === true && { allowReserved: true }),
    ...(part.delimiter !== undefined && { delimiter: part.delimiter }),
  });
}

/** Without a style the property's content type decides (OAS 3.1.1, Encoding Object): objects are JSON, arrays repeat. */
function appendPlain(parts: string[], name: string, item: unknown, part: PartEncoding | undefined): void {
  const write = part?.allowReserved === true ? encodeReserved : encode;
  const json = part?.contentType !== undefined && /[/+]json\b/i.test(part.contentType);
  if (Array.isArray(item)) checkRepetition(name, item.length);
  for (const each of Array.isArray(item) && !json ? item : [item]) {
    if (each === null || each === undefined) continue;
    parts.push(`${encode(name)}=${write(json ? writeJson(each) : toText(each))}`);
  }
}

// `application/x-www-form-urlencoded` bodies: each property through the parameter serialiser, as its encoding says.
import type { PartEncoding } from '../../endpoint/model.ts';
import { compileParameter, formPairs, isEmpty, type Serialise, toText } from './parameter-styles.ts';

export function compileForm(encoding: Readonly<Record<string, PartEncoding>> = {}): (value: unknown) => string {
  const styled = new Map<string, Serialise>();
  for (const [name, part] of Object.entries(encoding)) {
    if (part.style !== undefined || part.explode !== undefined) styled.set(name, compileProperty(name, part));
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return toText(value);
    return Object.entries(value)
      .flatMap(([name, item]) => {
        if (isEmpty(item)) return [];
        const serialise = styled.get(name);
        return serialise === undefined ? formPairs(name, item, encoding[name]) : serialise(item);
      })
      .filter(Boolean)
      .join('&');
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

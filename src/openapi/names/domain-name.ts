// The name of the domain, and the prefix of its tools.
import { basename } from 'node:path';
import { fitName, MAX_DOMAIN_NAME, toName, toSnakeCase } from '../../endpoint/names.ts';
import { GatewayError } from '../../errors.ts';
import type { SourceText } from '../source/read-document.ts';

export function cleanPrefix(text: string): string {
  const prefix = text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '');
  if (text !== '' && (prefix === '' || prefix.length > 24)) {
    throw new GatewayError(
      'BAD_CONFIG',
      `The tool name prefix ${JSON.stringify(text)} must have 1 to 24 letters, digits or _, and begin with a letter.`,
    );
  }
  return prefix;
}

/** Words that do not identify the API. */
const NOISE =
  /^(?:an?|apis?|docs?|documentation|official|openapi|rest|restful|spec|specification|the|v?\d+(?:\.\d+)*)$/;

/** `GitHub's official OpenAPI spec` → `github`: brands are not split as camelCase, and noise words are left out. */
function titleName(title: string): string {
  const words = toSnakeCase(
    title
      .replace(/['’]s\b/g, '')
      .toLowerCase()
      .replace(/(\d)\.(?=\d)/g, '$1'),
  ).split('_');
  const specific = words.filter((word) => !NOISE.test(word));
  let name = '';
  for (const word of specific) {
    const longer = name === '' ? word : `${name}_${word}`;
    if (longer.length > MAX_DOMAIN_NAME) break;
    name = longer;
  }
  return name === '' ? (specific[0] ?? '') : name;
}

export function domainName(
  override: string | undefined,
  extensionName: string | undefined,
  title: string | undefined,
  source: SourceText,
): string {
  const file =
    source.kind === 'stdin' ? '' : basename(new URL(source.location, 'file:///').pathname).replace(/\.[^.]*$/, '');
  for (const text of [override, extensionName, title === undefined ? undefined : titleName(title), file]) {
    const snake = text === undefined ? '' : toSnakeCase(text);
    if (/[a-z]/.test(snake)) return fitName(toName(snake, 'api'), MAX_DOMAIN_NAME);
    if (text !== undefined && text === override) {
      throw new GatewayError(
        'BAD_CONFIG',
        `The name ${JSON.stringify(text)} has no letter from a to z; choose a name that has one.`,
      );
    }
  }
  return 'api';
}

// Every row of the style table, from the official client to the bytes on the wire.
import { describe, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { openDuring } from './gateway.ts';
import { check } from './sheet.ts';
import { styleDocument, styleLines } from './styles.ts';

useRealHttp();

describe.each(['3.0.4', '3.1.1', '3.2.0'])('the style tables in OpenAPI %s', (version) => {
  const opened = openDuring({ documents: [['styles.json', styleDocument(version)]] });
  test.each(styleLines(version))('$name', (line) => check(opened, line));
});

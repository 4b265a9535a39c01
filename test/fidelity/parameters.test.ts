// Parameters, from the official client to the bytes on the wire.
import { describe, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { openDuring } from './gateway.ts';
import { HEADER_LINES, PATH_LINES, QUERY_LINES } from './parameters.ts';
import { check } from './sheet.ts';

useRealHttp();

const opened = openDuring({ documents: ['parameters.yaml'] });

describe('paths', () => {
  test.each(PATH_LINES)('$name', (line) => check(opened, line));
});

describe('queries', () => {
  test.each(QUERY_LINES)('$name', (line) => check(opened, line));
});

describe('headers and cookies', () => {
  test.each(HEADER_LINES)('$name', (line) => check(opened, line));
});

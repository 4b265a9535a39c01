// Parameters, from the official client to the bytes on the wire.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Opened, open } from './gateway.ts';
import { HEADER_LINES, PATH_LINES, QUERY_LINES } from './parameters.ts';
import { check } from './sheet.ts';
import '../support/real-http.ts';

let opened: Opened;
beforeAll(async () => {
  opened = await open({ documents: ['parameters.yaml'] });
});
afterAll(() => opened.close());

describe('paths', () => {
  test.each(PATH_LINES)('$name', (line) => check(opened, line));
});

describe('queries', () => {
  test.each(QUERY_LINES)('$name', (line) => check(opened, line));
});

describe('headers and cookies', () => {
  test.each(HEADER_LINES)('$name', (line) => check(opened, line));
});

// A read stays a read, whatever names a call brings along.
import { describe, expect, test } from 'vitest';
import { checkPairs } from '../../src/executor/request/method-override.ts';

describe('checkPairs()', () => {
  test.each([
    '_method=DELETE',
    '_method',
    'a=1&_method=DELETE',
    'a=1;_method=DELETE',
    '%5Fmethod=DELETE',
    '+_method+=DELETE',
    '_METHOD[]=DELETE',
    `_method${'[x]'.repeat(100)}=DELETE`,
  ])('refuses %s, every time', (text) => {
    for (let time = 0; time < 2; time++) expect(() => checkPairs(text)).toThrow(/makes this read another operation/);
  });

  test.each(['', 'limit=88', 'a=_method', 'a=1&b=2;c', `${'a'.repeat(200)}=1`, '%zz=1'])('lets %s pass', (text) => {
    for (let time = 0; time < 2; time++) expect(() => checkPairs(text)).not.toThrow();
  });
});

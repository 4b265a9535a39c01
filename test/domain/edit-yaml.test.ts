// Entries written into a domain file by a program: everything a person wrote stays.
import { describe, expect, test } from 'vitest';
import { type Entry, parseYaml, renderEntries, withEntries } from '../../src/domain/domain-yaml.ts';

const names = ['POST /points/{id}/delete', 'deletePoint', 'delete_point'];
const effect: Entry = { path: ['operations', names, 'effect'], value: 'destructive' };
const edit = (text: string, ...entries: Entry[]) => withEntries(text, 'a.yaml', entries);

describe('withEntries()', () => {
  test('keeps comments, quotes, order and the way the author indents', () => {
    const before = `# My API
name: points   # short
openapi: "../openapi/points.yaml"
include: { tags: [a, b] }

# what models get
operations:
    listPoints:
        description: 'All of them.' # really
pinned:
- listPoints
`;
    expect(edit(before, effect)).toEqual({
      refused: [],
      text: before.replace(
        "'All of them.' # really\n",
        "'All of them.' # really\n    POST /points/{id}/delete:\n      effect: destructive\n",
      ),
    });
  });

  test('opens an empty map, and fills one that has no value', () => {
    const want = 'name: a\noperations:\n  POST /points/{id}/delete:\n    effect: destructive\n';
    expect(edit('name: a\noperations: {}\n', effect).text).toBe(want);
    expect(edit('name: a\noperations:\n', effect).text).toBe(want);
    expect(edit('name: a\n', effect).text).toBe(want);
  });

  test('goes behind a block of text and before comments that follow', () => {
    const before =
      'name: a\noperations:\n  other:\n    description: |\n      One.\n\n      Two.\n\n# All operations:\n#   x\n';
    const { text } = edit(before, effect);
    expect(parseYaml(text, 'a.yaml').value).toEqual({
      name: 'a',
      operations: { other: { description: 'One.\n\nTwo.\n' }, [names[0]!]: { effect: 'destructive' } },
    });
    expect(text).toMatch(/\n# All operations:\n# {3}x\n$/);
  });

  test('stays in the line of a map that is written in one', () => {
    const before = 'name: a\noperations: { other: { title: x } } # all\n';
    const key = '"POST /points/{id}/delete"';
    const want = `name: a\noperations: { other: { title: x }, ${key}: { effect: destructive } } # all\n`;
    expect(edit(before, effect).text).toBe(want);
  });

  test('writes many entries of many operations at once', () => {
    const many = Array.from({ length: 50 }, (_, index): Entry => {
      return { path: ['operations', `op${index % 25}`, index < 25 ? 'effect' : 'guard'], value: index };
    });
    const { text, refused } = edit('name: a\noperations:\n  op3:\n    title: x\n', ...many);
    const { operations } = parseYaml(text, 'a.yaml').value as { operations: Record<string, unknown> };
    expect([refused, Object.keys(operations).length, operations.op3]).toEqual([
      [],
      25,
      { title: 'x', effect: 3, guard: 28 },
    ]);
  });

  test('uses the name the file already has for an operation', () => {
    const before = 'name: a\noperations:\n  deletePoint:\n    title: x\n';
    expect(edit(before, effect).text).toBe(`${before}    effect: destructive\n`);
  });

  test('changes nothing the second time, and never what a person wrote', () => {
    const once = edit('name: a\n', effect).text;
    expect(edit(once, effect)).toEqual({ text: once, refused: [] });
    const other = 'name: a\noperations:\n  delete_point: { effect: read }\n';
    expect(edit(other, effect)).toEqual({ text: other, refused: [effect] });
    expect(edit('name: a\noperations: all\n', effect).refused).toEqual([effect]);
  });

  test('writes JSON into a file of JSON', () => {
    const { text } = edit('{"name": "a"}', effect);
    expect(JSON.parse(text)).toEqual({ name: 'a', operations: { [names[0]!]: { effect: 'destructive' } } });
  });
});

test('renderEntries() gives lines that a domain file reads', () => {
  const more: Entry = { path: ['operations', names, 'args', 'x: y', 'required'], value: false };
  const lines = renderEntries([effect, more]);
  expect(lines).toHaveLength(1);
  expect(parseYaml(lines[0]!, 'a.yaml').value).toEqual({
    operations: { [names[0]!]: { effect: 'destructive', args: { 'x: y': { required: false } } } },
  });
});

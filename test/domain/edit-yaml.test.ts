// Entries written into a domain file by a program: everything a person wrote stays.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEntries, withEntries, type YamlEntry } from '../../src/domain/edit-yaml.ts';
import { parseYaml } from '../../src/domain/files/parse-yaml.ts';

const names = ['POST /points/{id}/delete', 'deletePoint', 'delete_point'];
const effect: YamlEntry = { path: ['operations', names, 'effect'], value: 'destructive' };
const edit = (text: string, ...entries: YamlEntry[]) => withEntries(text, 'a.yaml', entries);

describe('withEntries()', () => {
  test('keeps comments, quotes, order and indentation', () => {
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

  test('fills an empty map and a key without a value', () => {
    const want = 'name: a\noperations:\n  POST /points/{id}/delete:\n    effect: destructive\n';
    expect(edit('name: a\noperations: {}\n', effect).text).toBe(want);
    expect(edit('name: a\noperations:\n', effect).text).toBe(want);
    expect(edit('name: a\n', effect).text).toBe(want);
  });

  test('inserts behind a block of text and before comments that follow', () => {
    const before =
      'name: a\noperations:\n  other:\n    description: |\n      One.\n\n      Two.\n\n# All operations:\n#   x\n';
    const { text } = edit(before, effect);
    expect(parseYaml(text, 'a.yaml').value).toEqual({
      name: 'a',
      operations: { other: { description: 'One.\n\nTwo.\n' }, [names[0]!]: { effect: 'destructive' } },
    });
    expect(text).toMatch(/\n# All operations:\n# {3}x\n$/);
  });

  test('inserts into a flow map on its line', () => {
    const before = 'name: a\noperations: { other: { title: x } } # all\n';
    const key = '"POST /points/{id}/delete"';
    const want = `name: a\noperations: { other: { title: x }, ${key}: { effect: destructive } } # all\n`;
    expect(edit(before, effect).text).toBe(want);
  });

  test('writes many entries of many operations at once', () => {
    const many = Array.from({ length: 50 }, (_, index): YamlEntry => {
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

  test('changes nothing the second time, and never changes what a person wrote', () => {
    const once = edit('name: a\n', effect).text;
    expect(edit(once, effect)).toEqual({ text: once, refused: [] });
    const other = 'name: a\noperations:\n  delete_point: { effect: read }\n';
    expect(edit(other, effect)).toEqual({ text: other, refused: [effect] });
    expect(edit('name: a\noperations: all\n', effect).refused).toEqual([effect]);
  });

  test('adds to the last operation and adds a new operation, in either order', () => {
    const before = 'name: a\noperations:\n  search:\n    title: x\n';
    const entries: YamlEntry[] = [
      { path: ['operations', 'search', 'effect'], value: 'read' },
      { path: ['operations', ['POST /items', 'create'], 'args', 'name', 'required'], value: false },
    ];
    const want = `${before}    effect: read\n  POST /items:\n    args:\n      name:\n        required: false\n`;
    expect(edit(before, ...entries).text).toBe(want);
    expect(edit(before, ...entries.reverse()).text).toBe(want);
  });

  test('replaces null, in a block and between braces', () => {
    const x: YamlEntry = { path: ['operations', 'x', 'effect'], value: 'write' };
    const all: YamlEntry = { path: ['operations', 'y', 'effect'], value: 'read' };
    const fill = (before: string) => edit(before, x, all).text;
    expect(fill('operations: ~ # none\n')).toBe(
      'operations: # none\n  x:\n    effect: write\n  y:\n    effect: read\n',
    );
    expect(fill('operations:\n  x: null\n')).toBe('operations:\n  x:\n    effect: write\n  y:\n    effect: read\n');
    expect(fill('operations: { x }\n')).toBe('operations: { x: { effect: write }, y: { effect: read } }\n');
    expect(fill('operations: { x: {} }\n')).toBe('operations: { x: { effect: write }, y: { effect: read } }\n');
    expect(fill('{ operations: { x: null } } # JSON? no\n')).toBe(
      '{ operations: { x: { effect: write }, y: { effect: read } } } # JSON? no\n',
    );
  });

  test('accepts any name', () => {
    const entry: YamlEntry = { path: ['operations', '__proto__', 'effect'], value: 'write' };
    for (const before of ['name: a\n', '{"name": "a"}', 'operations:\n  constructor: {}\n']) {
      const { operations } = parseYaml(edit(before, entry).text, 'a.yaml').value as { operations: object };
      expect(Object.getOwnPropertyDescriptor(operations, '__proto__')?.value).toEqual({ effect: 'write' });
    }
    expect(renderEntries([entry])).toEqual(['operations: { __proto__: { effect: write } }']);
  });

  test('does not change anchors that are used twice, nor merged keys', () => {
    const shared = 'operations:\n  x: &same\n    title: t\n  y: *same\n';
    const ofX: YamlEntry = { path: ['operations', 'x', 'effect'], value: 'write' };
    const ofY: YamlEntry = { path: ['operations', 'y', 'effect'], value: 'write' };
    expect(edit(shared, ofX, ofY)).toEqual({ text: shared, refused: [ofX, ofY] });
    const merged = 'base: &base { effect: read }\noperations:\n  x:\n    <<: *base\n';
    expect(edit(merged, ofX)).toEqual({ text: merged, refused: [ofX] });
  });

  test('writes nothing if the draft would have another meaning, and returns the lines', () => {
    const before = 'operations:\n  ? x\n  : title: t\n';
    const entries: YamlEntry[] = [{ path: ['operations', 'y', 'effect'], value: 'write' }];
    const { text, refused, wrongLines } = edit(before, ...entries);
    expect({ text, refused }).toEqual({ text: before, refused: entries });
    expect(wrongLines).not.toHaveLength(0);
  });

  test('writes JSON into a JSON file', () => {
    const { text } = edit('{"name": "a"}', effect);
    expect(JSON.parse(text)).toEqual({ name: 'a', operations: { [names[0]!]: { effect: 'destructive' } } });
  });
});

test('renderEntries() gives lines that a domain file reads', () => {
  const more: YamlEntry = { path: ['operations', names, 'args', 'x: y', 'required'], value: false };
  const lines = renderEntries([effect, more]);
  expect(lines).toHaveLength(1);
  expect(parseYaml(lines[0]!, 'a.yaml').value).toEqual({
    operations: { [names[0]!]: { effect: 'destructive', args: { 'x: y': { required: false } } } },
  });
});

/** A domain file in some hand, its comments numbered. */
interface Sheet {
  readonly text: string;
  /** How many there are. */
  readonly comments: number;
}

interface Hand {
  readonly indent: number;
  readonly lineBreak: string;
  readonly endsInBreak: boolean;
}

type Style = 'block' | 'flow' | 'nothing' | 'tilde' | 'braces' | 'text' | 'anchor';
type Draw = <Value>(values: readonly Value[]) => Value;

const OPERATIONS = ['a', 'GET /x/{id}', '__proto__', 'null', 'é "q"', '12', 'search', 'b: c'];
const FIELDS = ['effect', 'guard', 'title', 'summary'];

function writeSheet(draw: Draw, hand: Hand): Sheet {
  let comments = 0;
  const comment = () => (draw([true, false, false]) ? ` # c${comments++}` : '');
  const pad = (depth: number) => ' '.repeat(depth * hand.indent);
  const own = (depth: number) => (draw([true, false, false, false]) ? [`${pad(depth)}# c${comments++}`] : []);
  const key = (name: string) =>
    /^[a-z]+$/.test(name) && name !== 'null' && draw([true, false]) ? name : JSON.stringify(name);
  const scalar = () => draw(['x', '"y # z"', "'it''s'", '5', 'read']);
  const names = (all: readonly string[]) => all.filter(() => draw([true, false]));
  const flowMap = (some: readonly string[]) =>
    `{${some.map((name) => ` ${key(name)}: ${draw(['1', '{}', '{ z: 1 }', 'null'])}`).join(',')}${draw([' ', ''])}}`;
  const styles: Style[] = ['block', 'block', 'block', 'flow', 'nothing', 'tilde', 'braces', 'text', 'anchor'];
  const operation = (name: string): string[] => {
    const start = `${pad(1)}${key(name)}:`;
    switch (draw(styles)) {
      case 'nothing':
        return [`${start}${comment()}`];
      case 'tilde':
        return [`${start} ${draw(['~', 'null'])}${comment()}`];
      case 'braces':
        return [`${start} ${draw(['{}', '{ }'])}${comment()}`];
      case 'flow':
        return [`${start} ${flowMap(names(FIELDS))}${comment()}`];
      case 'text':
        return [start, `${pad(2)}description: ${draw(['|', '>-', '|+'])}`, `${pad(3)}One.`, '', `${pad(3)}Two.`, ''];
      case 'anchor':
        return [`${start} &n${comments}x${draw([1, 2, 3])}`, `${pad(2)}title: t${comment()}`];
      default: {
        const fields = names(FIELDS).flatMap((field) => [...own(2), `${pad(2)}${key(field)}: ${scalar()}${comment()}`]);
        const args = draw([true, false])
          ? [`${pad(2)}args:${comment()}`, `${pad(3)}q:`, `${pad(4)}description: d${comment()}`]
          : [];
        return [`${start}${comment()}`, ...fields, ...args];
      }
    }
  };
  const operations = draw([
    () => [],
    () => [`operations:${comment()}`],
    () => [`operations: {}${comment()}`],
    () => [`operations: ${flowMap(names(OPERATIONS))}${comment()}`],
    () => [`operations:${comment()}`, ...names(OPERATIONS).flatMap((name) => [...operation(name), ...own(1)])],
    () => [`operations:${comment()}`, ...names(OPERATIONS).flatMap((name) => [...operation(name), ...own(1)])],
  ])();
  const around = [`name: a${comment()}`, ...own(0)];
  const lines = draw([true, false]) ? [...around, ...operations] : [...operations, ...around];
  return { text: lines.join(hand.lineBreak) + (hand.endsInBreak ? hand.lineBreak : ''), comments };
}

/** The tree with the entries in it, by the plainest means. */
function intend(tree: unknown, entries: readonly YamlEntry[]): unknown {
  const put = (value: unknown, [key, ...path]: readonly string[], leaf: unknown): unknown => {
    if (key === undefined) return leaf;
    const members = new Map(Object.entries((value ?? {}) as object));
    return Object.fromEntries(members.set(key, put(members.get(key), path, leaf)));
  };
  return entries.reduce((value, entry) => put(value, entry.path as string[], entry.value), tree);
}

test('withEntries() adds exactly the entries, whatever the style of the file', () => {
  const entry = fc.oneof(
    fc.record({
      path: fc.tuple(fc.constant('operations'), fc.constantFrom(...OPERATIONS), fc.constantFrom(...FIELDS)),
      value: fc.constantFrom('read', 'write', 5, true, 'a: b # c'),
    }),
    fc.record({
      path: fc.tuple(
        fc.constant('operations'),
        fc.constantFrom(...OPERATIONS),
        fc.constant('args'),
        fc.constantFrom('q', '__proto__', 'r'),
        fc.constantFrom('required', 'description'),
      ),
      value: fc.constantFrom<unknown>(false, 'text'),
    }),
    fc.record({ path: fc.tuple(fc.constantFrom('prefix', 'baseUrl')), value: fc.constantFrom('p') }),
  );
  const hand = fc.record({
    indent: fc.constantFrom(2, 3, 4),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    endsInBreak: fc.boolean(),
  });
  let written = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      hand,
      fc.array(entry, { maxLength: 8 }),
      (...all) => {
        const [numbers, style, entries] = all;
        let next = 0;
        const sheet = writeSheet((values) => values[numbers[next++ % numbers.length]! % values.length]!, style);
        const before = parseYaml(sheet.text, 'a.yaml').value;
        const { text, refused, wrongLines } = edit(sheet.text, ...entries);
        expect(wrongLines, sheet.text).toBeUndefined();
        const accepted = entries.filter((one) => !refused.includes(one));
        expect(JSON.stringify(parseYaml(text, 'a.yaml').value), text).toBe(
          JSON.stringify(parseYaml(JSON.stringify(intend(before, accepted)), 'a.yaml').value),
        );
        for (let index = 0; index < sheet.comments; index++) expect(text).toMatch(new RegExp(`# c${index}(?!\\d)`));
        expect(edit(text, ...entries).text).toBe(text);
        if (sheet.text.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n');
        if (text !== sheet.text) written++;
      },
    ),
    { numRuns: 400 },
  );
  expect(written).toBeGreaterThan(100);
});

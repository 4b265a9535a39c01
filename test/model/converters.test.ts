import { describe, expect, test } from 'vitest';
import { ToolAnnotations } from '../../src/model/annotations.ts';
import { ConverterBase } from '../../src/model/converter-bases.ts';
import {
  GroupConverter,
  PromptArgumentConverter,
  PromptConverter,
  ResourceConverter,
  ToolAnnotationsConverter,
  ToolConverter,
} from '../../src/model/converters.ts';
import { Group } from '../../src/model/group.ts';
import { Prompt, PromptArgument } from '../../src/model/prompt.ts';
import { Resource } from '../../src/model/resource.ts';
import { Tool } from '../../src/model/tool.ts';

const icon = { src: 'https://x.test/i.png', mimeType: 'image/png', sizes: ['48x48'] };

const pets = new Tool({
  name: 'list_pets',
  title: 'List pets',
  description: 'All pets.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'array', items: { $ref: '#/$defs/Pet' }, $defs: { Pet: { type: 'object' } } },
  annotations: new ToolAnnotations({ readOnlyHint: true, destructiveHint: false }),
  icons: [icon],
  meta: { 'x.test/cost': 1 },
});

describe('ConverterBase', () => {
  class Even extends ConverterBase<number, string> {
    convertFrom(n: number) {
      return n % 2 === 0 ? String(n) : null;
    }
    convertTo(text: string) {
      return text === 'none' ? null : Number(text);
    }
  }

  test('converts batches both ways, leaving out nulls going in and coming out', () => {
    expect(new Even().convertFromBatch([2, null, 3, undefined, 4])).toEqual(['2', '4']);
    expect(new Even().convertToBatch(['1', null, 'none', undefined, '2'])).toEqual([1, 2]);
    expect(new Even().convertFromBatch([])).toEqual([]);
  });
});

describe('ToolConverter', () => {
  const base = { name: 'list_pets', description: 'All pets.', inputSchema: { type: 'object', properties: {} } };
  const hints = { annotations: { readOnlyHint: true, destructiveHint: false } };
  const legacyOutput = {
    type: 'object',
    properties: {
      result: {
        type: 'array',
        items: { $ref: '#/properties/result/$defs/Pet' },
        $defs: { Pet: { type: 'object' } },
      },
    },
    required: ['result'],
  };
  const titled = { title: 'List pets', _meta: { 'x.test/cost': 1 } };

  test.each([
    ['2026-07-28', { ...base, ...titled, ...hints, outputSchema: pets.outputSchema, icons: [icon] }],
    ['2025-11-25', { ...base, ...titled, ...hints, outputSchema: legacyOutput, icons: [icon] }],
    ['2025-06-18', { ...base, ...titled, ...hints, outputSchema: legacyOutput }],
    ['2025-03-26', { ...base, ...hints }],
    ['2024-11-05', base],
  ] as const)('writes what %s knows and nothing else', (version, want) => {
    const wire = new ToolConverter(version).convertFrom(pets);
    expect(wire).toEqual(want);
    expect(Object.values(wire!).every((value) => value !== undefined)).toBe(true);
  });

  test('reads back what it wrote', () => {
    const converter = new ToolConverter('2026-07-28');
    const wire = converter.convertFrom(pets)!;
    const again = converter.convertTo(wire)!;
    expect(again).toBeInstanceOf(Tool);
    expect(again.annotations).toBeInstanceOf(ToolAnnotations);
    expect(converter.convertFrom(again)).toEqual(wire);
    expect(converter.convertToBatch([wire, null])).toHaveLength(1);
  });

  test('an object output schema is the same in every era that has one', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } } as const;
    const tool = new Tool({ name: 't', inputSchema: { type: 'object' }, outputSchema: schema });
    for (const version of ['2026-07-28', '2025-11-25', '2025-06-18'] as const) {
      expect(new ToolConverter(version).convertFrom(tool)?.outputSchema).toEqual(schema);
    }
  });
});

describe('ToolAnnotationsConverter', () => {
  test('returns null if there are no hints', () => {
    expect(new ToolAnnotationsConverter().convertFrom(new ToolAnnotations())).toBeNull();
    expect(
      new ToolAnnotationsConverter('2024-11-05').convertFrom(new ToolAnnotations({ readOnlyHint: true })),
    ).toBeNull();
  });

  test('converts every hint in both directions', () => {
    const hints = {
      title: 'T',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      returnDirect: true,
    };
    const converter = new ToolAnnotationsConverter();
    expect(converter.convertFrom(new ToolAnnotations(hints))).toEqual(hints);
    expect({ ...converter.convertTo(hints) }).toEqual(hints);
  });
});

describe('PromptConverter and ResourceConverter', () => {
  const prompt = new Prompt({
    name: 'greet',
    title: 'Greet',
    description: 'Says hello.',
    icons: [icon],
    arguments: [new PromptArgument({ name: 'who', title: 'Who', required: true }), new PromptArgument({ name: 'how' })],
  });
  const resource = new Resource({
    name: 'doc',
    title: 'Doc',
    uri: 'doc://x',
    mimeType: 'text/plain',
    size: 3,
    annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
  });

  test('prompts lose their titles and icons in old eras, never their arguments', () => {
    expect(new PromptConverter('2026-07-28').convertFrom(prompt)).toEqual({
      name: 'greet',
      title: 'Greet',
      description: 'Says hello.',
      icons: [icon],
      arguments: [{ name: 'who', title: 'Who', required: true }, { name: 'how' }],
    });
    expect(new PromptConverter('2025-03-26').convertFrom(prompt)).toEqual({
      name: 'greet',
      description: 'Says hello.',
      arguments: [{ name: 'who', required: true }, { name: 'how' }],
    });
    const converter = new PromptConverter('2025-11-25');
    expect(converter.convertFrom(converter.convertTo(converter.convertFrom(prompt)!)!)).toEqual(
      converter.convertFrom(prompt),
    );
  });

  test('resources lose title and lastModified in old eras', () => {
    expect(new ResourceConverter('2025-11-25').convertFrom(resource)).toEqual({
      uri: 'doc://x',
      name: 'doc',
      title: 'Doc',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
    });
    expect(new ResourceConverter('2024-11-05').convertFrom(resource)).toEqual({
      uri: 'doc://x',
      name: 'doc',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5 },
    });
    const converter = new ResourceConverter();
    expect(converter.convertFrom(converter.convertTo(converter.convertFrom(resource)!)!)).toEqual(
      converter.convertFrom(resource),
    );
  });
});

describe('GroupConverter', () => {
  test('a tree survives the round trip, its shared leaves still shared', () => {
    const root = new Group({ name: 'api', title: 'API', description: 'All of it.' });
    const a = new Group({ name: 'a' });
    const b = new Group({ name: 'b' });
    root.addGroup(a).addGroup(b);
    const shared = new Tool({ name: 'shared', inputSchema: { type: 'object' } });
    a.addTool(shared);
    b.addTool(shared)
      .addPrompt(new Prompt({ name: 'p' }))
      .addResource(new Resource({ name: 'r', uri: 'r://r' }));
    const converter = new GroupConverter();
    const outline = converter.convertFrom(root);
    const again = converter.convertTo(outline);
    expect(converter.convertFrom(again)).toEqual(outline);
    expect(again.allTools()).toHaveLength(1);
    expect(again.allTools()[0]?.getFullyQualifiedNames()).toEqual(['api.a.shared', 'api.b.shared']);
  });
});

describe('typed names of the conversions', () => {
  test('return the same as the general ones', () => {
    const tools = new ToolConverter();
    const [wire] = tools.convertFromTools([pets, null]);
    expect(wire).toEqual(tools.convertFrom(pets));
    expect(tools.convertFromTool(pets)).toEqual(wire);
    expect(tools.convertToTools([wire, undefined]).map(({ name }) => name)).toEqual(['list_pets']);
    expect(tools.convertToTool(wire!)?.name).toBe('list_pets');
    const groups = new GroupConverter();
    const group = new Group({ name: 'g', title: 'G', description: 'd', meta: { a: 1 }, icons: [icon] }).addTool(pets);
    const outline = groups.convertFromGroup(group)!;
    expect(outline).toEqual({
      name: 'g',
      title: 'G',
      description: 'd',
      _meta: { a: 1 },
      icons: [icon],
      tools: [wire],
    });
    const [again] = groups.convertToGroups([outline]);
    expect(again).toMatchObject({ name: 'g', meta: { a: 1 }, icons: [icon] });
    expect(groups.convertFromGroups([again])).toEqual([outline]);
    expect(groups.convertToGroup(outline)?.childTools[0]?.meta).toEqual(pets.meta);
  });

  test('exist for prompts, resources and annotations as well', () => {
    const prompt = new Prompt({ name: 'p', arguments: [new PromptArgument({ name: 'a', required: true })] });
    const prompts = new PromptConverter();
    expect(prompts.convertToPrompts(prompts.convertFromPrompts([prompt])).map(({ name }) => name)).toEqual(['p']);
    expect(prompts.convertToPrompt(prompts.convertFromPrompt(prompt)!)?.arguments[0]?.required).toBe(true);
    const list = new PromptArgumentConverter();
    expect(list.convertToPromptArguments(list.convertFromPromptArguments(prompt.arguments))).toHaveLength(1);
    const resource = new Resource({ name: 'r', uri: 'r://r' });
    const resources = new ResourceConverter();
    expect(resources.convertToResources(resources.convertFromResources([resource]))[0]?.uri).toBe('r://r');
    expect(resources.convertToResource(resources.convertFromResource(resource)!)?.uri).toBe('r://r');
    const hints = new ToolAnnotationsConverter();
    const wire = hints.convertFromToolAnnotations(new ToolAnnotations({ readOnlyHint: true }))!;
    expect(hints.convertToToolAnnotations(wire)?.readOnlyHint).toBe(true);
  });
});

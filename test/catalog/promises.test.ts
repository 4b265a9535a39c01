// What instructions, descriptions and schemas promise of `fields`, `dry_run` and `confirmation_token` is taken by the call
// they promise it for, and nothing else is: every tool, every action, every operation, as a client sees them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { defineTool } from '../../src/catalog/native/define-tool.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { legacy, modern, type Rpc } from '../support/mcp.ts';

type Node = Record<string, unknown>;
type Fields = Record<string, Node>;
interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties: Fields; readonly required?: readonly string[] };
}

/** One way to call something: with all it needs, and what is promised of it. */
interface Way {
  readonly label: string;
  /** The call with one more argument, or with none. */
  readonly call: (more: Node) => Promise<Verdict>;
  /** Names that some text or schema says it takes. */
  readonly promised: ReadonlySet<string>;
  /** Promised by a schema it shares with others: `fields` is taken then, even where there is nothing to choose from. */
  readonly shared: ReadonlySet<string>;
  /** The name `dry_run` goes by. */
  readonly dryRun: string | undefined;
}

interface Verdict {
  readonly text: string;
  readonly refused: readonly string[];
}

const WORDS = ['fields', 'dry_run', 'confirmation_token'] as const;
const NAMES = WORDS.flatMap((word) => [word, `landbridge_${word}`, `landbridge_landbridge_${word}`]);
const VALUES: Readonly<Record<string, unknown>> = { fields: 'id', dry_run: true, confirmation_token: 'abc' };
const wordFor = (name: string) => VALUES[name.replaceAll('landbridge_', '')];
const LOOKING = ['search_operations', 'describe_operation'];

const ask = async (gateway: Gateway, message: Rpc): Promise<Node> =>
  JSON.parse((await gateway.handle(JSON.stringify(message)))!.body).result;
const callTool = async (gateway: Gateway, name: string, args: Node): Promise<Verdict> => {
  const result = (await ask(gateway, modern(1, 'tools/call', { name, arguments: args }))) as {
    content: [{ text: string }];
    structuredContent?: { errors?: { path: string }[] };
  };
  return {
    text: result.content[0].text,
    refused: result.structuredContent?.errors?.map(({ path }) => path) ?? [],
  };
};

/** Arguments of the bundled domains whose form only the enforced schema knows. */
const FORMS: Readonly<Record<string, unknown>> = {
  email: 'ann@example.com',
  mbid: '123e4567-e89b-12d3-a456-426614174000',
};

/** Something the schema takes. */
function sample({ type, enum: choices, default: usual, minimum, pattern, items }: Node): unknown {
  if (Array.isArray(choices)) return choices[0];
  if (usual !== undefined) return usual;
  const [first] = [type].flat();
  if (first === 'integer' || first === 'number') return minimum ?? 1;
  if (first === 'boolean') return true;
  if (first === 'array') return [sample((items ?? {}) as Node)];
  if (first === 'object') return {};
  return pattern === undefined ? 'a' : '2026-01-01';
}

const samplesOf = (properties: Fields, required: readonly string[] = []) =>
  Object.fromEntries(required.map((name) => [name, FORMS[name] ?? sample(properties[name]!)]));

/** Whether a field of a grouped tool is there for an action: by its note, or for all where there is none. */
function isFor(field: Node, action: unknown): boolean {
  const notes = [...String(field.description ?? '').matchAll(/\b(?:Required for|For): ([^.]*)/g)];
  if (notes.length === 0 || action === undefined) return true;
  return notes.some(([, list = '']) =>
    list.startsWith('all but ')
      ? !list.slice(8).split(', ').includes(String(action))
      : list.split(', ').includes(String(action)),
  );
}

const dryRunOf = (properties: Fields) =>
  Object.keys(properties)
    .filter((name) => /^(?:landbridge_)*dry_run$/.test(name))
    .sort((a, b) => b.length - a.length)[0];

async function waysOf(gateway: Gateway): Promise<Way[]> {
  const { tools } = (await ask(gateway, modern(1, 'tools/list'))) as unknown as { tools: Listed[] };
  const hasDescribe = tools.some(({ name }) => name === 'describe_operation');
  const describeIn = async (operation: string): Promise<Listed['inputSchema'] | undefined> => {
    const { text } = await callTool(gateway, 'describe_operation', { operation });
    const json = /^Arguments: (\{.*\})$/m.exec(text)?.[1];
    return json === undefined ? undefined : JSON.parse(json);
  };
  const ways: Way[] = [];
  for (const { name, inputSchema } of tools.filter((tool) => !LOOKING.includes(tool.name))) {
    const { properties, required } = inputSchema;
    const add = (label: string, pick: Node, own: Listed['inputSchema'], wrap: (args: Node) => Node) =>
      ways.push({
        label,
        call: (more) =>
          callTool(gateway, name, { ...pick, ...wrap({ ...samplesOf(own.properties, own.required), ...more }) }),
        promised: new Set(Object.keys(own.properties)),
        shared: new Set(
          Object.keys(properties).filter((key) => key === 'fields' || isFor(properties[key]!, pick.action)),
        ),
        dryRun: dryRunOf(own.properties),
      });
    const actions = properties.action?.enum as string[] | undefined;
    if (name === 'call_operation') {
      const entry = gateway.registry.tools.get(name)!;
      for (const operation of entry.operations) {
        const pick = entry.pickOf!(operation) as { operation: string };
        const own = (await describeIn(pick.operation))!;
        add(`${name} ${pick.operation}`, pick, own, (args) => ({ arguments: args }));
        // Beside `arguments` they have the names that call_operation lists, whatever the API calls its own.
        const { controlKeys } = operation;
        const needed = samplesOf(own.properties, own.required);
        ways.push({
          label: `${name} ${pick.operation}, beside`,
          call: (more) => callTool(gateway, name, { operation: pick.operation, arguments: needed, ...more }),
          promised: new Set(Object.keys(properties).filter((key) => Object.hasOwn(controlKeys, key))),
          shared: new Set(Object.keys(properties)),
          dryRun: 'dry_run',
        });
      }
    } else if (actions) {
      for (const action of actions) {
        const told = hasDescribe ? await describeIn(`${name}.${action}`) : undefined;
        const some = Object.fromEntries(
          Object.entries(properties).filter(([key, field]) => key !== 'action' && isFor(field, action)),
        );
        const needed = (required ?? []).filter((key) => key !== 'action');
        add(`${name} ${action}`, { action }, told ?? { properties: some, required: needed }, (args) => args);
      }
    } else add(name, {}, inputSchema, (args) => args);
  }
  return ways;
}

/** How many calls were complete. Every name is tried; with `dry_run` beside it wherever that is promised, so that nothing is ever sent. */
async function checkWay({ label, call, promised, shared, dryRun }: Way): Promise<number> {
  const dry = dryRun === undefined ? {} : { [dryRun]: true };
  const isDone = (text: string) =>
    dryRun === undefined ? text === 'done' : text.includes(': nothing was sent. The request');
  const alone = await call(dry);
  // Where the schema says less than it takes to call (a form, exactly one of several), the refusal is about that alone.
  const isComplete = isDone(alone.text);
  if (dryRun !== undefined) expect(alone.refused, label).not.toContain(dryRun);
  for (const name of NAMES) {
    const verdict = await call({ ...dry, [name]: wordFor(name) });
    const where = `${label}: ${name}`;
    if (promised.has(name) || (shared.has(name) && name.endsWith('fields'))) {
      expect(verdict.refused, where).not.toContain(name);
      if (isComplete) expect(verdict.text, where).toSatisfy(isDone);
    } else {
      expect(verdict.refused, where).toContain(name);
      if (shared.has(name) && name.endsWith('token')) expect(verdict.text, where).toContain('left out');
    }
  }
  return isComplete ? 1 : 0;
}

async function checkInstructions(gateway: Gateway): Promise<void> {
  const { tools } = (await ask(gateway, modern(1, 'tools/list'))) as unknown as { tools: Listed[] };
  const { instructions } = (await ask(
    gateway,
    legacy(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }),
  )) as { instructions: string };
  const callers = tools.filter(({ name }) => !LOOKING.includes(name));
  const ways = await waysOf(gateway);
  for (const word of ['fields', 'dry_run'] as const) {
    const line = instructions.split('\n').find((one) => one.includes(`\`${word}`)) ?? '';
    const isControl = new RegExp(`^(?:landbridge_)*${word}$`);
    // An argument of the API's own is no promise of ours: those of the fixture step aside.
    const takes = ({ inputSchema: { properties } }: Listed) =>
      Object.keys(properties).some((key) => isControl.test(key));
    const takers = callers.filter(takes);
    expect(line !== '', `${word}: promised where there is any`).toBe(takers.length > 0);
    if (takers.length > 0)
      expect(line.startsWith('Where a tool lists it, '), `${word}: promised to all`).toBe(
        takers.length < callers.length,
      );
    const isRenamed = callers.some(({ inputSchema: { properties } }) =>
      Object.hasOwn(properties, `landbridge_${word}`),
    );
    expect(instructions.includes(`landbridge_${word}`), `${word}: its other name`).toBe(isRenamed);
  }
  const mayToken = ways.some(({ shared }) =>
    [...shared].some((name) => /^(?:landbridge_)*confirmation_token$/.test(name)),
  );
  expect(instructions.includes('confirmation_token')).toBe(mayToken && gateway.policy.confirm !== 'ask');
}

const roll = defineTool({ name: 'roll', description: 'Rolls a die.', run: () => 'done' });
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  annotations: { readOnlyHint: true },
  run: () => 'done',
});
const wipe = defineTool({
  name: 'wipe',
  description: 'Wipes.',
  annotations: { destructiveHint: true },
  args: z.object({ dry_run: z.boolean().optional() }),
  run: () => 'done',
});
const hand = new GroupedToolBuilder('hand')
  .description('By hand')
  .action({ name: 'wave', handler: () => 'done' })
  .action({ name: 'drop', destructive: true, handler: () => 'done' })
  .toEntry();
const tools = [roll, look, wipe, hand];

const MODES = ['tools', 'grouped', 'search'] as const;
let bundled: Domain[];
let clashes: Domain;
const open: Gateway[] = [];
const start = (options: GatewayOptions) => {
  const gateway = createGateway(options);
  open.push(gateway);
  return gateway;
};
beforeAll(async () => {
  bundled = await loadDomains({ paths: ['domains'], env: {}, embedded: () => 'http://127.0.0.1:9' });
  clashes = await importDocument('test/catalog/clashes.yaml', { env: {}, name: 'clashes' });
});
afterAll(() => Promise.all(open.map((gateway) => gateway.close())));

const gateways: Record<string, () => GatewayOptions> = {
  // Each exposure takes the gateway's own arguments in its own way; what else differs is independent of it.
  ...Object.fromEntries(
    MODES.map((exposure) => [`an API with names like ours as ${exposure}`, () => ({ domains: [clashes], exposure })]),
  ),
  "an API where only a person's answer confirms calls": () => ({
    domains: [clashes],
    exposure: 'search',
    policy: { readOnly: false, confirm: 'ask' },
  }),
  'grouped tools that say as little as possible': () => ({ domains: [clashes], exposure: 'grouped', tokenBudget: 1 }),
  'domains in several modes beside native tools': () => ({
    domains: [
      { ...clashes, exposure: 'grouped' },
      ...bundled.map((domain, index): Domain => ({ ...domain, exposure: MODES[index % 3]! })),
    ],
    native: { tools },
  }),
  'native tools alone': () => ({ domains: [], native: { tools } }),
  'native tools without annotations': () => ({ domains: [], native: { tools: [roll] } }),
};

describe.each(Object.entries(gateways))('%s', (_name, options) => {
  test('every call takes the arguments that are promised for it, and no others', async () => {
    const ways = await waysOf(start(options()));
    expect(ways.length).toBeGreaterThan(0);
    let complete = 0;
    for (const way of ways) complete += await checkWay(way);
    expect(complete / ways.length).toBeGreaterThan(0.8);
  });

  test('instructions promise exactly the arguments that tools take', async () => {
    await checkInstructions(start(options()));
  });
});

test('a refusal in a grouped tool names the argument that was renamed because of `action`', async () => {
  const gateway = start({ domains: [clashes], exposure: 'grouped' });
  const { text } = await callTool(gateway, 'clashes_read', { action: 'list_reports' });
  expect(text).toContain('1. missing `action` (string)');
  expect(text.split('\n').at(-1)).toBe('In this tool the argument `action` is called `action_`.');
});

test('an invalid control is refused in one line, without the schema', async () => {
  const gateway = start({ domains: [clashes], exposure: 'search' });
  const { text } = await callTool(gateway, 'call_operation', {
    operation: 'get_report',
    arguments: { id: 7 },
    dry_run: 'maybe',
  });
  expect(text.split('\n').slice(1)).toEqual(['1. `dry_run` must be true or false.']);
});

test.each([
  ['nothing listens', 'get_report', {}],
  ['a token that does not fit', 'delete_parts', { confirmation_token: 'abc' }],
])('a failure of call_operation names the operation once: %s', async (_name, operation, more) => {
  const gateway = start({ domains: [clashes], exposure: 'search' });
  const { text } = await callTool(gateway, 'call_operation', { operation, arguments: { id: 7 }, ...more });
  expect(text.split(`call_operation/${operation}`)).toHaveLength(2);
});

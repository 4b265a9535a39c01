// Every message that src/ throws, read out of its source: the code, the place, and the text with `…` for what is filled in.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { ERRORS } from '../src/errors.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Thrown {
  readonly code: string;
  /** `src/config/env-files.ts:33` */
  readonly place: string;
  /** With `…` for what is filled in. */
  readonly message: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a node of a syntax tree
type Node = any;

/** Classes and functions that make an error: which argument is its code (or the code itself), and which is its message. */
const MAKERS: Readonly<Record<string, { readonly code: number | string; readonly message: number }>> = {
  GatewayError: { code: 0, message: 1 },
  ToolError: { code: 0, message: 2 },
  NoTokenError: { code: 0, message: 2 },
  UnansweredError: { code: 'NOT_CONFIRMED', message: 0 },
  usageError: { code: 'BAD_CONFIG', message: 0 },
  buildFailure: { code: 1, message: 2 },
};
/** Their constructors pass on their arguments. */
const FRAMES = new Set(Object.keys(MAKERS));
const MAX_TEXTS = 48;
const MAX_DEPTH = 6;

interface Source {
  readonly file: string;
  readonly text: string;
  readonly root: Node;
}

/** What a parameter stands for at one place where its function is called. */
type Bindings = ReadonlyMap<Node, Node>;

const parents = new WeakMap<object, Node>();
const sources = new WeakMap<object, Source>();

export function listThrown(): Thrown[] {
  const all = readSources();
  const calls = all.flatMap(({ root }) => findAll(root, isCall));
  const made = calls.flatMap((call): Thrown[] => {
    const maker = MAKERS[calleeOf(call)] ?? superMaker(call);
    if (maker === undefined || FRAMES.has(functionName(enclosingFunction(call)))) return [];
    const code = typeof maker.code === 'string' ? maker.code : call.arguments[maker.code];
    const message = call.arguments[maker.message];
    return code && message ? expand(code, message, call, new Map(), 0) : [];
  });
  const refused = all
    .flatMap(({ root }) => findAll(root, isRefusal))
    .flatMap((object): Thrown[] => {
      const [status, message] = ['status', 'message'].map((key) => propertyOf(object, key));
      const gap = { value: { cooked: '' } };
      const line = {
        type: 'TemplateLiteral',
        quasis: [gap, { value: { cooked: ' ' } }, gap],
        expressions: [status, message],
      };
      return expand('HTTP', line, object, new Map(), 0).filter((one) => /^[45]\d\d /.test(one.message));
    });
  const unique = new Map([...made, ...refused].map((one) => [`${one.code} ${one.message} ${one.place}`, one]));
  return [...unique.values()].filter(({ code }) => code in ERRORS || code === 'HTTP');

  /** One message; or, if the function only passes it on, the messages of all who call it. */
  function expand(code: Node | string, message: Node, at: Node, bindings: Bindings, depth: number): Thrown[] {
    const owner = depth < MAX_DEPTH ? ownerToAsk(code, message, bindings) : undefined;
    const callers = owner ? callsOf(owner) : [];
    if (callers.length > 0)
      return callers.flatMap((call) => {
        const bound = new Map(bindings);
        owner.params.forEach((param: Node, index: number) => {
          if (call.arguments[index]) bound.set(param, call.arguments[index]);
        });
        return expand(code, message, call, bound, depth + 1);
      });
    const codes = typeof code === 'string' ? [code] : textsOf(code, bindings, 0);
    const { file, text } = sources.get(at)!;
    const place = `${file}:${text.slice(0, at.start).split('\n').length}`;
    return codes.flatMap((one) =>
      // buildFailure() is given the failure_mode.
      textsOf(message, bindings, 0).map((message) => ({ code: one.toUpperCase(), place, message })),
    );
  }

  /** Calls of a function by its name: in its own file, and where it is exported everywhere. */
  function callsOf(owner: Node): Node[] {
    const name = functionName(owner);
    if (name === '') return [];
    const declared = parents.get(owner)?.kind === 'constructor' ? ancestor(owner, isClass) : owner;
    const isExported = /^Export/.test(parents.get(declared)?.type ?? '');
    const own = sources.get(owner);
    return calls.filter((call) => calleeOf(call) === name && (isExported || sources.get(call) === own));
  }
}

function readSources(): Source[] {
  const files = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[]).filter((file) => /\.ts$/.test(file));
  return files.sort().map((name) => {
    const file = `src/${name}`;
    const text = readFileSync(join(ROOT, file), 'utf8');
    const source = { file, text, root: parseAst(text, { lang: 'ts' }) };
    link(source.root, undefined, source);
    return source;
  });
}

function link(node: Node, parent: Node, source: Source): void {
  if (parent) parents.set(node, parent);
  sources.set(node, source);
  for (const child of childrenOf(node)) link(child, node, source);
}

const children = new WeakMap<object, Node[]>();

/** Cached: every search walks the same trees. */
function childrenOf(node: Node): Node[] {
  const known = children.get(node);
  if (known) return known;
  const found: Node[] = [];
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) found.push(...value.filter((one) => typeof one?.type === 'string'));
    else if (typeof value?.type === 'string') found.push(value);
  }
  children.set(node, found);
  return found;
}

function findAll(node: Node, test: (node: Node) => boolean, found: Node[] = []): Node[] {
  if (test(node)) found.push(node);
  for (const child of childrenOf(node)) findAll(child, test, found);
  return found;
}

const isCall = ({ type }: Node) => type === 'NewExpression' || type === 'CallExpression';
const isClass = ({ type }: Node) => type === 'ClassDeclaration';
const isFunction = ({ type }: Node) =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type);

/** An HTTP answer before any message is read: `{ status, message, … }`. */
function isRefusal(node: Node): boolean {
  return node.type === 'ObjectExpression' && ['status', 'message'].every((key) => propertyOf(node, key) !== undefined);
}

function propertyOf(object: Node, key: string): Node | undefined {
  return object.properties.find((one: Node) => one.key?.name === key)?.value;
}

function calleeOf({ callee }: Node): string {
  return callee.name ?? callee.property?.name ?? '';
}

/** `super(code, message)` of a class that is an error. */
function superMaker({ callee }: Node) {
  return callee.type === 'Super' ? MAKERS[ancestor(callee, isClass)?.superClass?.name] : undefined;
}

function ancestor(node: Node, test: (node: Node) => boolean): Node | undefined {
  for (let at = parents.get(node); at !== undefined; at = parents.get(at)) if (test(at)) return at;
  return undefined;
}

const enclosingFunction = (node: Node): Node | undefined => ancestor(node, isFunction);

/** A constructor has the name of its class. */
function functionName(owner: Node | undefined): string {
  const parent = owner && parents.get(owner);
  if (parent?.kind === 'constructor') return ancestor(parent, isClass).id.name;
  return owner?.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? '';
}

/** The function whose callers say what the code or the message is, where it is not said here. */
function ownerToAsk(code: Node | string, message: Node, bindings: Bindings): Node | undefined {
  const isSaid = textsOf(message, bindings, 0).every((text) => text.replace(/…/g, '').trim().length > 11);
  const unsaid = [...(typeof code === 'string' ? [] : [code]), ...(isSaid ? [] : [message])];
  const names = unsaid.flatMap((node) => findAll(node, ({ type }) => type === 'Identifier'));
  const params = names.flatMap((name) => {
    const { param, node } = follow(name, bindings);
    return param ? [param] : node && node !== name ? paramsOf(node, bindings) : [];
  });
  return params.map((param) => parents.get(param)).find((owner) => owner && functionName(owner) !== '');
}

function paramsOf(node: Node, bindings: Bindings): Node[] {
  return findAll(node, ({ type }) => type === 'Identifier').flatMap((name) => follow(name, bindings).param ?? []);
}

/** What a name stands for: the value of a constant, what a caller gives for a parameter, or an unbound parameter. */
function follow(name: Node, bindings: Bindings): { node?: Node; param?: Node } {
  for (let scope = ancestor(name, isScope); scope !== undefined; scope = ancestor(scope, isScope)) {
    const param = scope.params?.find((one: Node) => one.name === name.name);
    if (param) {
      const bound = bindings.get(param);
      return bound ? { node: bound } : { param };
    }
    const declared = (scope.body?.body ?? scope.body ?? []) as Node[];
    if (!Array.isArray(declared)) continue;
    for (const statement of declared.map((one) => one.declaration ?? one)) {
      if (statement.type === 'FunctionDeclaration' && statement.id?.name === name.name) return { node: statement };
      const found = statement.declarations?.find(({ id }: Node) => id.name === name.name);
      if (found?.init) return { node: found.init };
    }
  }
  return {};
}

const isScope = (node: Node) => isFunction(node) || node.type === 'BlockStatement' || node.type === 'Program';

/** The texts that an expression may have, as far as the source says them. */
function textsOf(node: Node, bindings: Bindings, depth: number): string[] {
  const inner = (one: Node) => textsOf(one, bindings, depth + 1);
  if (node === undefined || depth > 12) return ['…'];
  switch (node.type) {
    case 'Literal':
      return [String(node.value)];
    case 'TemplateLiteral':
      return node.quasis.reduce(
        (texts: string[], { value }: Node, index: number) =>
          product(texts, [value.cooked], index === 0 ? [''] : inner(node.expressions[index - 1])),
        [''],
      );
    case 'BinaryExpression':
      return node.operator === '+' && typeof node.right.value !== 'number'
        ? product([''], inner(node.right), inner(node.left))
        : ['…'];
    case 'ConditionalExpression': {
      const { test } = node;
      const [left, right] = test.operator === '===' ? [inner(test.left), inner(test.right)] : [];
      if (left?.length === 1 && right?.length === 1 && !`${left}${right}`.includes('…'))
        return inner(left[0] === right[0] ? node.consequent : node.alternate);
      return unique([...inner(node.consequent), ...inner(node.alternate)]);
    }
    case 'LogicalExpression':
      return unique([...inner(node.left), ...inner(node.right)]);
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
    case 'AwaitExpression':
    case 'ChainExpression':
      return inner(node.expression ?? node.argument);
    case 'ObjectExpression':
      return unique(node.properties.flatMap(({ value }: Node) => (value ? inner(value) : ['…'])));
    case 'MemberExpression': {
      const texts = node.object.type === 'Identifier' && node.computed ? inner(node.object) : ['…'];
      return texts;
    }
    case 'Identifier': {
      const value = follow(node, bindings).node;
      return value && !isFunction(value) ? inner(value) : ['…'];
    }
    case 'CallExpression':
      return callTexts(node, bindings, depth);
    default:
      return ['…'];
  }
}

/** What a function of the same file returns; `[a, b].join(' ')`. */
function callTexts(call: Node, bindings: Bindings, depth: number): string[] {
  if (call.callee.property?.name === 'join') {
    const { object } = call.callee;
    const list = object.type === 'Identifier' ? follow(object, bindings).node : object;
    if (list?.type !== 'ArrayExpression') return ['…'];
    const [separator = ','] = call.arguments.length > 0 ? textsOf(call.arguments[0], bindings, depth + 1) : [];
    return list.elements.reduce(
      (texts: string[], element: Node, index: number) =>
        product(texts, textsOf(element, bindings, depth + 1), [index === 0 ? '' : separator]),
      [''],
    );
  }
  if (['replace', 'trim'].includes(call.callee.property?.name)) return textsOf(call.callee.object, bindings, depth + 1);
  if (call.callee.type !== 'Identifier') return ['…'];
  const made = follow(call.callee, bindings).node;
  if (!made || !isFunction(made) || depth > 6) return ['…'];
  const bound = new Map(bindings);
  made.params.forEach((param: Node, index: number) => {
    if (call.arguments[index]) bound.set(param, call.arguments[index]);
  });
  const returned = made.expression
    ? [made.body]
    : findAll(made.body, ({ type }) => type === 'ReturnStatement').flatMap((one) => one.argument ?? []);
  return returned.length === 0 ? ['…'] : unique(returned.flatMap((one) => textsOf(one, bound, depth + 2)));
}

/** Every text of the first, followed by one of the third and one of the second. */
function product(before: string[], after: string[], between: string[]): string[] {
  return unique(before.flatMap((a) => between.flatMap((b) => after.map((c) => `${a}${b}${c}`)))).slice(0, MAX_TEXTS);
}

const unique = (texts: string[]) => [...new Set(texts.map((text) => text.replace(/…(?:\s*…)*/g, '…')))];

// landbridge explain: where everything about one tool came from.

import type { CatalogOperation } from '../catalog/tree.ts';
import { type Flags, readConfig } from '../config/read-config.ts';
import { explainKind, formatOf, isKeyParameter, secretsIn } from '../credentials/secrets.ts';
import type { Credential, Secret } from '../endpoint/credential.ts';
import type { Target } from '../endpoint/model.ts';
import { suggestion } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { decidePolicy, decideWay, type WayDecision } from '../orchestration/policy.ts';
import { describeType } from '../schema/explain/show.ts';
import type { SchemaObject } from '../schema/references.ts';
import { readWords } from './command-words.ts';
import type { Io } from './io.ts';
import { withGateway } from './open-gateway.ts';
import { type RemoteFlags, withRemote } from './remote/with-remote.ts';
import { colours as pc } from './terminal/palette.ts';
import { colourEffect, renderTable, shown } from './terminal/terminal.ts';

export async function runExplain(io: Io, words: readonly string[], flags: Flags & RemoteFlags): Promise<number> {
  const { tool, files } = readWords('explain', words);
  if (flags.url !== undefined) {
    const { printRemoteTool } = await import('./remote/remote-tools.ts');
    return withRemote(io, files, flags, (request) => printRemoteTool(io, request, tool, flags.json ?? false));
  }
  const config = readConfig({ ...flags, paths: files }, io.env);
  const show = async (gateway: Gateway) => {
    const facts = explain(gateway, findOperation(gateway, tool));
    io.stdout.write(flags.json ? `${JSON.stringify(facts)}\n` : render(facts));
    return 0;
  };
  return withGateway(io, config, show, { exposure: 'tools' });
}

type ToolFacts = ReturnType<typeof explain>;

/** By its public name, its id, its operationId, its method and path, or a fully-qualified name. */
function findOperation({ registry, domains }: Gateway, tool: string): CatalogOperation {
  const operation = registry.operations.find(({ name, qualifiedNames, endpoint }) =>
    [name, endpoint.id, `${endpoint.method} ${endpoint.path}`, endpoint.source.operationId, ...qualifiedNames].includes(
      tool,
    ),
  );
  if (operation) return operation;
  const leftOut = domains
    .flatMap(({ quarantined }) => quarantined)
    .find(({ method, path }) => `${method} ${path}` === tool);
  if (leftOut)
    throw new GatewayError(
      'BAD_CONFIG',
      `${tool} was left out of the document: ${leftOut.reason} (${leftOut.pointer}).`,
    );
  const names = registry.operations.map(({ name }) => name);
  const near = suggestion(tool, tool.includes('.') ? registry.operations.flatMap((one) => one.qualifiedNames) : names);
  throw new GatewayError(
    'BAD_CONFIG',
    `There is no tool "${tool}".${near} "landbridge tools --exposure tools" lists them.`,
  );
}

function explain(gateway: Gateway, { name: tool, qualifiedNames, endpoint }: CatalogOperation) {
  const domain = gateway.domains.find(({ name }) => name === endpoint.domain)!;
  const { policy, because } = decidePolicy(endpoint, domain, gateway.policy);
  const { inputSchema } = endpoint;
  const { properties = {} } = inputSchema as { properties?: Readonly<Record<string, SchemaObject>> };
  return {
    tool,
    qualifiedNames,
    operation: `${endpoint.method} ${endpoint.path}`,
    baseUrl: endpoint.baseUrl,
    effect: endpoint.effect,
    effectReason: endpoint.effectReason ?? '',
    guard: { policy, because },
    confirm: decideWay(endpoint, domain, gateway.policy),
    source: `${endpoint.source.file}${endpoint.source.pointer ? `#${endpoint.source.pointer}` : ''}`,
    summary: endpoint.summary,
    arguments: endpoint.args.map((arg) => ({
      name: arg.key,
      type: describeType(inputSchema, properties[arg.key] ?? true),
      ...(properties[arg.key]?.readOnly === true && { hidden: 'readOnly: accepted, but hidden from models' }),
      required: arg.required,
      goesTo: arg.to.map(describeTarget).join(', '),
      ...(properties[arg.key]?.default !== undefined && { default: properties[arg.key]?.default }),
    })),
    fixed: endpoint.fixed.map(({ value, to }) => ({ value, goesTo: describeTarget(to) })),
    credentials: endpoint.security.map((together) => together.map(describeCredential)),
    callerHeaders: (endpoint.callerHeaders ?? []).map((header) => ({
      name: header.name,
      value: header.from === 'principal' ? header.text.shown : "the same header of the caller's request",
    })),
    limits: { timeoutMs: endpoint.limits.timeoutMs, maxResponseBytes: endpoint.limits.maxResponseBytes },
    response: endpoint.response,
    leftOut: endpoint.leftOut?.() ?? [],
    quarantined: domain.quarantined.map(({ method, path, reason }) => ({ what: `${method} ${path}`, why: reason })),
    provenance: endpoint.provenance ?? {},
  };
}

function describeTarget(target: Target): string {
  if (target.in === 'body') return `body property ${target.at.join('.')}`;
  if (target.in === 'body-root') return 'the body';
  if (target.in === 'querystring') return 'the query string';
  const plain = target.in === 'path' || target.in === 'header' ? 'simple' : 'form';
  const style = target.style === plain ? '' : `, ${target.style}`;
  return `${target.in} ${target.name}${style}${target.explode || target.in === 'path' || target.in === 'header' ? '' : ', joined'}`;
}

function describeCredential(credential: Credential) {
  const describeSecret = ({ variable, value }: Secret) => `${variable} (${value === undefined ? 'not set' : 'set'})`;
  const variables = secretsIn(credential).map(describeSecret);
  const scheme = isKeyParameter(credential) ? `parameter ${credential.name}` : credential.name;
  return { scheme, kind: explainKind(credential), format: formatOf(credential), variables };
}

function render(facts: ToolFacts): string {
  const { arguments: args, fixed, credentials, provenance } = facts;
  const rows: [string, string][] = [
    ['request', `${shown(facts.operation)}  ${pc.dim(shown(facts.baseUrl))}`],
    ['full name', shown(facts.qualifiedNames.join(', '))],
    ['effect', `${colourEffect(facts.effect)}: ${shown(facts.effectReason)}`],
    ['guard', `${facts.guard.policy}: ${shown(facts.guard.because)}`],
    ...(facts.guard.policy === 'confirm' ? [['confirm', describeWay(facts.confirm)] satisfies [string, string]] : []),
    ['defined in', shown(facts.source)],
    ['summary', shown(facts.summary)],
    ['time limit', `${facts.limits.timeoutMs / 1000} s`],
    [
      'answer',
      `at most ${facts.response.maxChars} characters${facts.response.pick ? `, only ${shown(facts.response.pick.join(', '))}` : ''}`,
    ],
    ['credentials', credentials.map(renderTogether).join('; or ') || 'none'],
    ...facts.callerHeaders.map(({ name, value }): [string, string] => ['caller', shown(`${name}: ${value}`)]),
  ];
  const section = (head: readonly string[], lines: readonly (readonly string[])[]) =>
    lines.length === 0 ? [] : [renderTable(head, lines)];
  const parts = [
    `${pc.bold(facts.tool)}\n${rows.map(([key, value]) => `  ${pc.dim(key.padEnd(12))}${value}`).join('\n')}`,
    ...section(
      ['  argument', 'type', '', 'goes to', ''],
      args.map((arg) => [
        `  ${arg.name}`,
        shown(arg.type),
        arg.required ? 'required' : '',
        shown(arg.goesTo),
        [arg.default === undefined ? '' : `default ${shown(JSON.stringify(arg.default))}`, arg.hidden ?? '']
          .filter((words) => words !== '')
          .join(', '),
      ]),
    ),
    ...section(
      ['  always sent', 'goes to'],
      fixed.map(({ value, goesTo }) => [`  ${shown(JSON.stringify(value))}`, shown(goesTo)]),
    ),
    ...section(
      ['  left out or not shown', 'because'],
      [
        ...facts.leftOut.map(({ what, why }) => [`  ${shown(what)}`, shown(why)]),
        ...(facts.quarantined.length === 0
          ? []
          : [
              [
                `  ${facts.quarantined.length === 1 ? '1 other operation' : `${facts.quarantined.length} other operations`}`,
                'left out as a whole ("landbridge tools" lists them)',
              ],
            ]),
      ],
    ),
    ...section(
      ['  what', 'came from'],
      Object.entries(provenance).map(([what, from]) => [`  ${shown(what)}`, shown(from)]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What counts as a confirmation, and where that was decided. */
function describeWay({ way, because }: WayDecision): string {
  const yes = {
    ask: "only the user's own answer",
    token: 'a token that the client sends back; the user is not asked',
    either: "the user's answer, or a token if the user cannot be asked",
  }[way];
  return `${way} (${yes}): ${shown(because)}`;
}

function renderTogether(set: ToolFacts['credentials'][number]): string {
  const each = set.map(({ scheme, format, variables }) =>
    shown([`${scheme}:`, ...(variables.length > 0 ? [`${variables.join(', ')},`] : []), `sent as ${format}`].join(' ')),
  );
  return each.join(' and ') || 'none';
}

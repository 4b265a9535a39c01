// landbridge tools: what would be served, what could not be imported and why, and what tools/list costs.

import { costOf } from '../catalog/tokens.ts';
import { type Flags, readConfig } from '../config/read-config.ts';
import { EFFECTS } from '../endpoint/model.ts';
import type { Gateway } from '../gateway.ts';
import { costOfList, type ModeCosts, measureModes, renderModes } from './exposure-cost.ts';
import type { Io } from './io.ts';
import { withGateway } from './open-gateway.ts';
import { type RemoteFlags, withRemote } from './remote/with-remote.ts';
import { digestWarnings, listWarnings } from './terminal/digest-lines.ts';
import { colours as pc } from './terminal/palette.ts';
import { colourEffect, count, renderTable, shown, withCommas } from './terminal/terminal.ts';

export async function runTools(
  io: Io,
  files: readonly string[],
  flags: Flags & RemoteFlags & { limits?: boolean },
): Promise<number> {
  if (flags.url !== undefined) {
    const { printRemoteTools } = await import('./remote/remote-tools.ts');
    return withRemote(io, files, flags, (request) => printRemoteTools(io, request, flags.json ?? false));
  }
  const config = readConfig({ ...flags, paths: files }, io.env);
  return withGateway(io, config, async (gateway) => {
    if (flags.limits) {
      const { buildLimitsReport, renderLimitsReport } = await import('./limits-report.ts');
      const limits = buildLimitsReport(gateway, config);
      io.stdout.write(flags.json ? `${JSON.stringify(limits)}\n` : renderLimitsReport(limits));
      return 0;
    }
    const report = buildReport(gateway);
    // Scripts ask for one mode and get it; the comparison is for people.
    io.stdout.write(
      flags.json
        ? `${JSON.stringify(report)}\n`
        : renderReport(report, await measureModes(gateway, gateway.domains), gateway),
    );
    return 0;
  });
}

function buildReport(gateway: Gateway) {
  const { registry, domains } = gateway;
  const tools = [...registry.tools.values()].map(({ tool, domain, operations }) => {
    const only = operations.length === 1 ? operations[0]!.endpoint : undefined;
    // A tool over several operations is as dangerous as the worst of them.
    const worst = Math.max(0, ...operations.map(({ endpoint }) => EFFECTS.indexOf(endpoint.effect)));
    return {
      name: tool.name,
      domain,
      method: only?.method ?? '',
      path: only?.path ?? '',
      effect: EFFECTS[worst]!,
      tokens: costOf(tool),
      // The number of operations, for a tool that has more than one.
      ...(operations.length > 1 && { operations: operations.length }),
    };
  });
  return {
    exposure: registry.exposure,
    tools,
    quarantined: domains.flatMap(({ quarantined }) => quarantined),
    tokens: costOfList(gateway),
    warnings: listWarnings(domains),
  };
}

function renderReport(
  { tools, quarantined, tokens, exposure }: ReturnType<typeof buildReport>,
  modes: ModeCosts,
  { domains }: Gateway,
): string {
  const rows = tools.map((row) => [
    row.domain,
    row.name,
    row.method || pc.dim(row.operations ? `${row.operations} operations` : '-'),
    shown(row.path) || pc.dim('-'),
    colourEffect(row.effect),
    String(row.tokens),
  ]);
  const parts = [
    renderTable(['domain', 'tool', 'method', 'path', 'effect', 'tokens'], rows),
    `${pc.bold(count(tools.length, 'tool'))}, exposure ${exposure}: tools/list costs ${pc.bold(withCommas(tokens))} tokens. ${renderModes(modes)}`,
  ];
  if (quarantined.length > 0) {
    const reasons = quarantined.map(
      ({ document, method, path, pointer, reason }) =>
        `  ${method.toUpperCase()} ${shown(path)}\n    ${pc.dim(shown(`${document}#${pointer}`))}\n    ${shown(reason)}`,
    );
    parts.push(
      `${pc.yellow(`${quarantined.length} in quarantine`)}: these operations cannot work as the document describes them.\n${reasons.join('\n')}`,
    );
  }
  parts.push(...digestWarnings(domains, true));
  return `${parts.join('\n\n')}\n`;
}

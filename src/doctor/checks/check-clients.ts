// What clients and model providers would refuse or cut.
import { toDefinition } from '../../catalog/tool-entry.ts';
import { CLIENTS, checkTool, checkToolCount } from '../client-rules.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';

export function* checkClients({ registry, clients }: DiagnoseInput): Generator<Finding> {
  const about = { check: 'client', severity: 'error' } as const;
  const definitions = [...registry.tools.values()].map(({ tool }) => toDefinition(tool));
  for (const client of clients) {
    const { title } = CLIENTS[client];
    for (const definition of definitions) {
      for (const problem of checkTool(definition, client)) {
        const fix = 'rename or rewrite it in the domain file; the client refuses or cuts it as it is';
        yield { ...about, where: definition.name, message: `${title}: ${problem}`, fix };
      }
    }
    for (const problem of checkToolCount(registry.tools.size, client)) {
      const fix =
        'use --exposure grouped or search, or exclude operations; the model cannot use the tools above the limit';
      yield { ...about, where: 'tools/list', message: `${title}: ${problem}`, fix };
    }
  }
}

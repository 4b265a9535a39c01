// What tools/list would cost in each exposure mode.
import { buildRegistry } from '../catalog/registry.ts';
import { listCost } from '../catalog/tokens.ts';
import type { Gateway } from '../gateway.ts';

export type ModeCosts = Readonly<Record<'tools' | 'grouped' | 'search', number>>;

export function measureModes({ domains, registry, name }: Gateway): ModeCosts {
  const costIn = (exposure: 'tools' | 'grouped' | 'search') => {
    // Forced on every domain: the question is what the mode as such would cost.
    const { tools } = buildRegistry({
      domains: domains.map((domain) => ({ ...domain, exposure, pinned: [] })),
      operations: registry.operations,
      exposure,
      tokenBudget: Number.MAX_SAFE_INTEGER,
      serverName: name,
    });
    return listCost([...tools.values()].map(({ definition }) => definition));
  };
  return { tools: costIn('tools'), grouped: costIn('grouped'), search: costIn('search') };
}

export function renderModes(modes: ModeCosts): string {
  return `Each mode: ${Object.entries(modes)
    .map(([mode, tokens]) => `${mode} ${tokens.toLocaleString('en-US')}`)
    .join(', ')}.`;
}

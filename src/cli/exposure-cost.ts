// What tools/list would cost in each exposure mode.
import { setImmediate as breathe } from 'node:timers/promises';
import { buildRegistry } from '../catalog/registry.ts';
import { estimateListCost, listCost } from '../catalog/tokens.ts';
import type { Domain } from '../endpoint/model.ts';
import type { Service } from '../gateway.ts';
import { withCommas } from './terminal/terminal.ts';

export type ModeCosts = Readonly<Record<'tools' | 'grouped' | 'search', number>>;

export function costOfList({ registry }: Service): number {
  return listCost([...registry.tools.values()].map(({ tool }) => tool));
}

/** Rounded to two digits, without loading the tokenizer. */
export function estimateCost({ registry }: Pick<Service, 'registry'>): number {
  return estimateListCost([...registry.tools.values()].map(({ tool }) => tool));
}

/** `about 1,200 tokens`: for a start that should not wait for the exact number. */
export function describeCost({ registry }: Pick<Service, 'registry'>): string {
  const tokens = estimateCost({ registry });
  return `about ${withCommas(tokens)} tokens`;
}

/** Takes a second or two for thousands of operations, and lets requests pass in between. */
export async function measureModes(service: Service, domains: readonly Domain[]): Promise<ModeCosts> {
  const costIn = async (exposure: keyof ModeCosts) => {
    // Forced on every domain: the question is what the mode as such would cost.
    const { tools } = buildRegistry({
      domains: domains.map((domain) => ({ ...domain, exposure, pinned: [] })),
      operations: service.registry.operations,
      exposure,
      tokenBudget: service.registry.tokenBudget,
    });
    await breathe();
    return listCost([...tools.values()].map(({ tool }) => tool));
  };
  return { tools: await costIn('tools'), grouped: await costIn('grouped'), search: await costIn('search') };
}

export function renderModes(modes: ModeCosts): string {
  const each = Object.entries(modes).map(([mode, tokens]) => `${mode} ${withCommas(tokens)}`);
  return `Each mode would cost: ${each.join(', ')}.`;
}

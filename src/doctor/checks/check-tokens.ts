// What tools/list costs a model, all of it and tool by tool.
import { costOf, listCost } from '../../catalog/tokens.ts';
import type { DiagnoseInput, Finding } from '../finding.ts';

/** A larger tool takes up too much of the context (ChatGPT refuses tools above 5,000). */
const LARGE_TOOL = 1_500;

export function* checkTokens({ registry, tokenBudget }: DiagnoseInput): Generator<Finding> {
  const tools = [...registry.tools.values()].map(({ tool }) => tool);
  const total = listCost(tools);
  const check = 'tokens';
  if (total > tokenBudget) {
    const message = `costs ${total.toLocaleString('en-US')} tokens, the budget is ${tokenBudget.toLocaleString('en-US')}`;
    const fix =
      'choose another --exposure, exclude operations, or raise --token-budget; the model reads the whole list in every conversation';
    yield { check, severity: 'error', where: 'tools/list', message, fix };
  }
  for (const tool of tools) {
    const tokens = costOf(tool);
    if (tokens <= LARGE_TOOL) continue;
    const message = `costs ${tokens.toLocaleString('en-US')} tokens by itself`;
    const fix =
      'hide arguments that no caller needs, or shorten descriptions in the domain file; large tools leave less room for the conversation';
    yield { check, severity: 'warning', where: tool.name, message, fix };
  }
}

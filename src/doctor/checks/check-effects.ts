// Effects that follow from words and not from the method: a person should have seen each of them once. Written into the
// domain file an effect is a decision, and the words of the next version of the document no longer matter. So `read`, the
// laxest, is a line to choose and never one that --fix writes: a stricter word of the next version would not count.
import { type DiagnoseInput, type Finding, repairOperation } from '../finding.ts';

/** How `effectOf()` writes a reason that is not the method alone. */
const BY_MEANING = /^[A-Z]+, but /;

export function* checkEffects({ registry }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoint } of registry.operations) {
    const { effect, effectReason = '' } = endpoint;
    if (!BY_MEANING.test(effectReason)) continue;
    yield {
      check: 'effect',
      severity: 'note',
      where: name,
      message: `counts as ${effect}: ${effectReason}`,
      fix: 'say what it does in the domain file (operations.<name>.effect), so that it no longer depends on words',
      repairs: [repairOperation(endpoint, ['effect'], effect)],
      ...(effect === 'read' && { isChoice: true as const }),
    };
  }
}

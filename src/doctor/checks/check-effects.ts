// Effects that were derived from words and not from the HTTP method, for a person to review. Once an effect is written into
// the domain file, the wording of the next version of the document no longer matters. So --fix never writes `read`, the
// least strict effect: a stricter word in the next version would be ignored.
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
      fix: 'set the effect in the domain file (operations.<name>.effect), so that new words in the document cannot change which calls need a confirmation',
      repairs: [repairOperation(endpoint, ['effect'], effect)],
      ...(effect === 'read' && { isChoice: true as const }),
    };
  }
}

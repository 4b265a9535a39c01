// Arguments that a domain file clamps. Before validation, a number beyond its bounds is replaced by the nearest bound. The last
// line of the answer says so.
import type { Outcome } from '../call/outcome.ts';
import type { Args, ClampedArgument, Endpoint } from '../endpoint/model.ts';

export type Clamp = (args: Args) => { readonly args: Args; readonly notes: readonly string[] };

/** Undefined if the operation clamps nothing. */
export function createClamp({ clamp = [] }: Endpoint): Clamp | undefined {
  if (clamp.length === 0) return undefined;
  return (args) => {
    const notes: string[] = [];
    const clampedArgs: Record<string, unknown> = { ...args };
    for (const bounds of clamp) {
      const value = Object.hasOwn(args, bounds.key) ? toNumber(args[bounds.key]) : undefined;
      const [bound, word] = value === undefined ? [] : exceededBound(value, bounds);
      if (bound === undefined) continue;
      clampedArgs[bounds.key] = bound;
      notes.push(`${bounds.key} was ${value}; ${bound} is the ${word}, so ${bound} was used`);
    }
    return { args: clampedArgs, notes };
  };
}

/** Models also write numbers as strings, which validation accepts. */
function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : undefined;
}

function exceededBound(value: number, { minimum, maximum }: ClampedArgument): [number, string] | [] {
  if (maximum !== undefined && value > maximum) return [maximum, 'most'];
  return minimum !== undefined && value < minimum ? [minimum, 'least'] : [];
}

/** Adds the notes as the last line of the text. */
export function withLastLine(outcome: Outcome, notes: readonly string[]): Outcome {
  const last = outcome.content.at(-1);
  if (notes.length === 0 || outcome.inputRequired !== undefined) return outcome;
  const line = notes.join('; ');
  const content =
    last?.type === 'text'
      ? [...outcome.content.slice(0, -1), { type: 'text' as const, text: `${last.text}\n${line}` }]
      : [...outcome.content, { type: 'text' as const, text: line }];
  return { ...outcome, content };
}

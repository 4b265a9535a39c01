// A line of the log as a person reads it on a terminal.
import type { Colours } from './colours.ts';
import { visible } from './endpoint/hidden.ts';

type Facts = Readonly<Record<string, unknown>>;

const NAME: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** Milliseconds of the day are for machines; a person reads when, how bad, what, by whom and why. */
export function createPrettifier(pc: Colours): (line: string) => string {
  const colours: Record<number, (text: string) => string> = {
    10: pc.dim,
    20: pc.dim,
    30: pc.green,
    40: pc.yellow,
    50: pc.red,
    60: pc.red,
  };

  /** Lines that come often, each by its message. */
  const texts: Readonly<Record<string, (facts: Facts) => string>> = {
    call: ({ tool, action, status, durationMs, failureMode, outcome, reason, client, revision }) => {
      const what = action === undefined || action === tool ? oneLine(tool) : `${oneLine(tool)}/${oneLine(action)}`;
      const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
      const how = outcome === 'ok' ? '' : ` ${oneLine(failureMode ?? outcome)}${why}`;
      const who = `  ${oneLine(client ?? 'a client')} (${oneLine(revision)})`;
      return `${what} ${pc.dim(`${status ?? '-'} ${durationMs} ms`)}${how}${pc.dim(who)}`;
    },
    client: ({ client, version, transport }) => {
      const { name = 'without a name', version: release = '' } = (client ?? {}) as { name?: string; version?: string };
      return `client ${oneLine(`${name} ${release}`.trim())} ${pc.dim(`${oneLine(version)}, ${oneLine(transport)}`)}`;
    },
    stopping: ({ why }) => `stopping: ${oneLine(why)}`,
  };

  return (line) => {
    const { level, time, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>;
    const colour = colours[level as number] ?? String;
    const head = `${pc.dim(String(time).slice(11, 19))} ${colour((NAME[level as number] ?? 'log').padEnd(5))}`;
    const { message, stack } = (err ?? {}) as { message?: string; stack?: string };
    const text = texts[String(msg)]?.(facts) ?? `${oneLine(msg ?? message ?? '')}${pc.dim(listFacts(facts))}`;
    return `${head} ${text}${stack ? `\n${pc.dim(visible(stack))}` : ''}\n`;
  };
}

function listFacts(facts: Facts): string {
  return Object.entries(facts)
    .map(([key, value]) => ` ${key}: ${oneLine(typeof value === 'object' ? JSON.stringify(value) : value)}`)
    .join(',');
}

/** A client can call a tool by any name: it must not move the cursor, nor start a line that looks like ours. */
function oneLine(value: unknown): string {
  return visible(String(value)).replace(/\s+/g, ' ').slice(0, 1_000);
}

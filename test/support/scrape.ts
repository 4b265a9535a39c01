// What is said at /metrics, read back.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  readonly series: readonly Series[];
  /** By the name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  readonly help: ReadonlyMap<string, string>;
  /** The sum of the series that have these labels; 0 where there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

export function parseScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const help = new Map<string, string>();
  const series: Series[] = [];
  for (const line of text.split('\n')) {
    const comment = /^# (TYPE|HELP) (\S+) (.*)$/.exec(line);
    if (comment) (comment[1] === 'TYPE' ? types : help).set(comment[2]!, comment[3]!);
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (!match) continue;
    const labels = [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      (one) => [one[1]!, one[2]!] as const,
    );
    series.push({ name: match[1]!, labels: Object.fromEntries(labels), value: Number(match[3]) });
  }
  return {
    series,
    types,
    help,
    sum: (name, labels = {}) =>
      series
        .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

export async function scrape(admin: string, headers: Record<string, string> = {}): Promise<Scrape> {
  const answer = await fetch(`${admin}/metrics`, { headers });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return parseScrape(await answer.text());
}

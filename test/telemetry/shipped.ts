// The alerts and the dashboard of the package, and the expressions in them.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const RULES = readFileSync('deploy/prometheus/alerts.yml', 'utf8');
const DASHBOARD = JSON.parse(readFileSync('deploy/grafana/landbridge.json', 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
};

export interface Expression {
  readonly expression: string;
  /** Of an alert, the compared value: it exists even if the alert does not fire. */
  readonly judged: string;
}

/** Every expression of every alert and panel. */
export function listExpressions(): readonly Expression[] {
  const { groups } = parse(RULES) as { groups: { rules: { expr: string }[] }[] };
  return [
    ...groups
      .flatMap(({ rules }) => rules)
      .map(({ expr }) => ({ expression: expr, judged: expr.split(COMPARISON, 1)[0]! })),
    ...DASHBOARD.panels.flatMap(({ targets = [] }) => targets).map(({ expr }) => ({ expression: expr, judged: expr })),
  ];
}

const COMPARISON = / (?:==|>|<) /;

/** The metrics in an expression. */
export function namesIn(expression: string): string[] {
  return [...expression.replace(/\{[^}]*\}/g, '').matchAll(/\b(?:landbridge|process|nodejs)_[a-z0-9_]+\b/g)].map(
    ([name]) => name,
  );
}

// Operations without a base URL.
import { counted, type DiagnoseInput, type Finding } from '../finding.ts';

export function* checkBaseUrls({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoints } of domains) {
    const count = endpoints.filter(({ baseUrl }) => baseUrl === '').length;
    if (count === 0) continue;
    const message = `${counted(count, 'operation has', 'operations have')} no base URL`;
    const fix = 'give one with --base-url, or baseUrl in the domain file; without it they cannot be called';
    yield { check: 'base_url', severity: 'error', where: name, message, fix };
  }
}

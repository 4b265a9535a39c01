// Operations that have nowhere to go.
import { counted, type DiagnoseInput, type Finding } from '../finding.ts';

export function* checkBaseUrls({ domains }: DiagnoseInput): Generator<Finding> {
  for (const { name, endpoints } of domains) {
    const homeless = endpoints.filter(({ baseUrl }) => baseUrl === '').length;
    if (homeless === 0) continue;
    const message = `${counted(homeless, 'operation has', 'operations have')} no base URL`;
    const fix = 'give one with --base-url, or baseUrl in the domain file; without it they cannot be called';
    yield { check: 'base_url', severity: 'error', where: name, message, fix };
  }
}

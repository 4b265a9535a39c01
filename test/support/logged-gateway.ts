// A gateway of pets whose log can be read.
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { createLog } from '../../src/log.ts';
import { modern, type Rpc } from './mcp.ts';
import { petsDomain } from './pets.ts';

export type Line = Readonly<Record<string, unknown>>;

export function openLogged(apiUrl: string, options: Partial<GatewayOptions> = {}) {
  const lines: Line[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line) as Line) } });
  const gateway = createGateway({ domains: [petsDomain(apiUrl)], exposure: 'tools', log, ...options });
  const request = async (method: string, params: Record<string, unknown>) =>
    JSON.parse((await gateway.handle(modern(1, method, params)))!.body) as Rpc;
  const calls = () => lines.filter(({ msg }) => msg === 'call');
  return { gateway, request, lines, calls };
}

// A folder of domain files for one test file, and a gateway that serves one of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type LoadOptions, loadDomains } from '../../src/domain/load.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

export interface Workshop {
  readonly folder: string;
  /** Writes a file of the folder and gives its path. */
  write(name: string, text: string, mode?: number): string;
  /** A gateway with this domain file, closed when the tests of the file are over. */
  open(
    yaml: string,
    env?: Record<string, string>,
    options?: Partial<GatewayOptions> & { readonly load?: Partial<LoadOptions> },
  ): Promise<Gateway>;
}

export function createWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-workshop-'));
  const gateways: Gateway[] = [];
  let files = 0;
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (name: string, text: string, mode?: number) => {
    const path = join(folder, name);
    writeFileSync(path, text, mode === undefined ? {} : { mode });
    return path;
  };
  return {
    folder,
    write,
    async open(yaml, env = {}, { load, ...options } = {}) {
      const file = write(`domain-${files++}.yaml`, yaml);
      const gateway = createGateway({ ...options, domains: await loadDomains({ paths: [file], env, ...load }) });
      gateways.push(gateway);
      return gateway;
    },
  };
}

export async function callTool(
  gateway: Pick<Gateway, 'handle'>,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = JSON.parse((await gateway.handle(message))!.body!) as {
    result?: { content: { text?: string }[]; isError?: boolean };
    error?: { message: string };
  };
  const text = reply.result?.content.map((block) => block.text ?? '').join('\n') ?? reply.error!.message;
  return { isError: reply.error !== undefined || reply.result?.isError === true, text };
}

// How a client reaches an operation in each exposure, found out from nothing but what it is shown.
import type { Answer, Connection } from './clients.ts';

export type Exposure = 'tools' | 'grouped' | 'search';
export const EXPOSURES: readonly Exposure[] = ['tools', 'grouped', 'search'];

export type Caller = (operation: string, args?: Record<string, unknown>) => Promise<Answer>;

export function createCaller(connection: Connection, exposure: Exposure): Caller {
  if (exposure === 'tools') {
    const names = new Set(connection.tools.map(({ name }) => name));
    return async (operation, args = {}) => {
      if (!names.has(operation)) throw new Error(`there is no tool ${operation}, only ${[...names].join(', ')}`);
      return connection.call(operation, args);
    };
  }
  if (exposure === 'search') return (operation, args = {}) => callBySearch(connection, operation, args);
  return async (operation, args = {}) => {
    const tools = connection.tools.filter(({ inputSchema }) => actionsOf(inputSchema).includes(operation));
    if (tools.length !== 1) throw new Error(`${operation} is an action of ${tools.length} tools`);
    return connection.call(tools[0]!.name, { action: operation, ...args });
  };
}

/** Looks for the operation by the words of its name, as one who knows what to do and not what it is called. */
async function callBySearch(connection: Connection, operation: string, args: Record<string, unknown>): Promise<Answer> {
  const hits = await connection.call('search_operations', { query: operation.replaceAll('_', ' ') });
  if (!new RegExp(`\\b${operation}\\b`).test(hits.text)) {
    throw new Error(`search_operations does not find ${operation}:\n${hits.text}`);
  }
  return connection.call('call_operation', { operation, arguments: args });
}

export function actionsOf(inputSchema: unknown): readonly string[] {
  const { properties } = inputSchema as { properties?: Record<string, { enum?: string[] }> };
  return properties?.action?.enum ?? [];
}

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
    const { tool, action } = findAction(connection.tools, operation);
    return connection.call(tool, action === undefined ? args : { action, ...args });
  };
}

/** Inside `orders_write` the action of `update_order` is `update`: what the tool's name says, the action need not repeat. */
export function findAction(tools: Connection['tools'], operation: string): { tool: string; action?: string } {
  const words = toStems(operation);
  const places = tools.flatMap(({ name, inputSchema }): { tool: string; action?: string }[] => {
    const stems = toStems(name);
    const actions = actionsOf(inputSchema);
    // A group of one has no actions: the tool is the operation.
    if (actions.length === 0) return words.every((word) => stems.includes(word)) ? [{ tool: name }] : [];
    return actions
      .filter((action) => {
        const own = toStems(action);
        const isPart = own.every((word) => words.includes(word));
        return isPart && words.every((word) => own.includes(word) || stems.includes(word));
      })
      .map((action) => ({ tool: name, action }));
  });
  const exact = places.filter(({ action }) => action === operation);
  const found = exact.length > 0 ? exact : places;
  if (found.length !== 1) throw new Error(`${operation} is an action of ${JSON.stringify(found)}`);
  return found[0]!;
}

function toStems(name: string): string[] {
  return name.split('_').map((word) => word.replace(/s$/, ''));
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

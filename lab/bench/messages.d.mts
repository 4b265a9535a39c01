// What messages.mjs takes and gives.
export interface ListedTool {
  readonly name: string;
  readonly inputSchema?: { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
}
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
export function findTool(names: readonly string[], operationId: string): string;
export function toCall(
  tools: readonly ListedTool[],
  exposure: 'tools' | 'grouped' | 'search',
  operationId: string,
  args: Readonly<Record<string, unknown>>,
): Call;

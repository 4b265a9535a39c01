// What capacity-simulation.mjs takes and gives.
export interface Price {
  readonly callUs: number;
  readonly turnUs: number;
  readonly wakeUs: number;
  readonly heldUs: number;
}
export interface Closed {
  readonly price: Price;
  readonly workers: number;
  readonly callers: number;
  readonly latencyMs: number;
  readonly upstreamUs: number;
  readonly loadUs: number;
}
export interface Simulated {
  readonly callsPerSecond: number;
  readonly meanMs: number;
  readonly gatewayUs: number;
  readonly gatewayCores: number;
}
export function simulateClosed(closed: Closed, calls?: number): Simulated;
export function simulateOpen(
  open: { readonly price: Price; readonly callsPerSecond: number; readonly latencyMs: number },
  calls?: number,
): Simulated;
export function fitPrice(points: readonly (Omit<Closed, 'price'> & { readonly gatewayUs: number })[]): Price;

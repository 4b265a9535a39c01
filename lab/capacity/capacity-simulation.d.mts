// What capacity-simulation.mjs takes and gives.
export interface Price {
  readonly callUs: number;
  readonly turnUs: number;
  readonly wakeUs: number;
  readonly heldUs: number;
  /** How much more all of it costs where more processes run than there are cores; absent: nothing. */
  readonly crowdShare?: number;
}
export interface Closed {
  readonly price: Price;
  readonly workers: number;
  readonly callers: number;
  readonly latencyMs: number;
  readonly upstreamUs: number;
  readonly loadUs: number;
  readonly unevenness?: number;
}
export interface Simulated {
  readonly callsPerSecond: number;
  readonly meanMs: number;
  readonly gatewayUs: number;
  readonly gatewayCores: number;
}
export function simulateClosed(closed: Closed, calls?: number): Simulated;
export function simulateOpen(
  open: {
    readonly price: Price;
    readonly callsPerSecond: number;
    readonly latencyMs: number;
    readonly unevenness?: number;
  },
  calls?: number,
): Simulated;
export function fitPrice(points: readonly (Omit<Closed, 'price'> & { readonly gatewayUs: number })[]): Price;

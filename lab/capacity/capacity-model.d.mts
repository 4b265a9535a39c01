// What capacity-model.mjs takes and gives.
import type { Price } from './capacity-simulation.mjs';

export interface Figures {
  readonly price: Price;
  readonly calls: Record<string, { label?: string; cpuUs: number; logBytes: number; networkBytes: number }>;
  readonly features: Record<string, { callUs: number; writeUs?: number }>;
  readonly audit: { readBytes: number; writeBytes: number };
  readonly redis?: { opsPerCall: number; cpuUs: number };
  readonly memory: {
    baseMb: number;
    perThousandOperationsMb: Record<string, number>;
    perIdleConnectionKb: number;
    perStreamKb: number;
  };
}
export type Mix = Readonly<Record<string, number>>;
export interface Asked {
  readonly mix: Mix;
  readonly features: readonly string[];
  readonly latencyMs: number;
}
export interface Sized {
  readonly cpuUs: number;
  readonly cores: number;
  readonly workers: number;
  readonly logBytes: number;
  readonly auditBytes: number;
  readonly networkBytes: number;
  readonly redisOps: number;
  readonly underWay: number;
  readonly uses: Record<'core' | 'Redis' | 'network' | 'log disk' | 'sockets', { use: number; needed: number }>;
}
export interface Point {
  readonly series: string;
  readonly workers: number;
  readonly latencyMs: number;
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly gatewayUs: number;
  readonly upstreamUs: number;
  readonly loadUs: number;
  readonly foreign: number;
  readonly spread: number;
}
export interface Prediction extends Point {
  readonly measuredMs: number;
  readonly measuredCores: number;
  readonly predicted: number;
  readonly predictedMs: number;
  readonly predictedCores: number;
  readonly error: number;
}
type Whole = Figures & { readonly points: readonly Point[] };
export const TARGET: number;
export const UNEVENNESS: number;
export const MIX: Mix;
export const PRODUCTION: readonly string[];
export const SERIES: Readonly<
  Record<
    string,
    {
      readonly workers: number;
      readonly latencyMs: number;
      readonly callers: readonly number[];
      readonly isProduction?: boolean;
    }
  >
>;
export function withPrice<Some extends Omit<Whole, 'price'>>(figures: Some): Some & { readonly price: Price };
export function callCpuUs(figures: Omit<Figures, 'price'>, mix: Mix, features?: readonly string[]): number;
export function priceOf(figures: Whole, mix: Mix, features: readonly string[]): Price;
export function sizeDeployment(figures: Figures, asked: Asked & { callsPerSecond: number }): Sized;
export function findBottlenecks(figures: Figures, asked: Asked): { part: string; callsPerSecond: number }[];
export function memoryMb(
  figures: Pick<Figures, 'memory'>,
  asked: { exposure?: string; operations?: number; idleConnections?: number; streams?: number },
): number;
export function findNoisy(points: readonly Point[]): string[];
export function predictPoints(figures: Whole): Prediction[];

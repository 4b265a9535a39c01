// What capacity-model.mjs takes and gives.
export interface Figures {
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
export const TARGET: number;
export function callCpuUs(figures: Figures, mix: Mix, features?: readonly string[]): number;
export function sizeDeployment(figures: Figures, asked: Asked & { callsPerSecond: number }): Sized;
export function findBottlenecks(figures: Figures, asked: Asked): { part: string; callsPerSecond: number }[];
export function memoryMb(
  figures: Figures,
  asked: { exposure?: string; operations?: number; idleConnections?: number; streams?: number },
): number;
export function solveClosed(
  stations: readonly { demandUs: number; servers?: number }[],
  callers: number,
  delayUs?: number,
): { callsPerSecond: number; meanMs: number };
export function waitUs(callsPerSecond: number, serviceUs: number, servers: number): number;

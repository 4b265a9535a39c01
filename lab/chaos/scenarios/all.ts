// The order of a run.
import type { Scenario } from '../scenario.ts';
import { clockJump } from './clock-jump.ts';
import { fullAuditDisk, fullLogDisk } from './full-disk.ts';
import { hangingApi } from './hanging-api.ts';
import { killPrimary, killReplica, killWorker } from './kills.ts';
import { redisAway } from './redis-away.ts';
import { rollingRestart } from './rolling-restart.ts';
import { slowCrowd } from './slow-crowd.ts';
import { steadyLoad } from './steady-load.ts';

export const SCENARIOS: readonly Scenario[] = [
  rollingRestart,
  killWorker,
  killReplica,
  killPrimary,
  redisAway,
  hangingApi,
  fullLogDisk,
  fullAuditDisk,
  clockJump,
  slowCrowd,
  steadyLoad,
];

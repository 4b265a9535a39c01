// Every case, in the order of the table.
import type { Case } from '../case.ts';
import { ANSWER_CASES } from './answers.ts';
import { LIMIT_CASES } from './at-limits.ts';
import { BYTE_CASES } from './bytes.ts';
import { DOCUMENT_CASES } from './documents.ts';
import { DOOR_CASES } from './doors.ts';
import { FILE_CASES } from './files.ts';
import { FIRST_CALL_CASES } from './first-calls.ts';
import { GUARD_CASES } from './guards.ts';
import { HOSTILE_FILE_CASES } from './hostile-files.ts';
import { INPUT_CASES } from './inputs.ts';
import { KEY_LINE_CASES } from './key-lines.ts';
import { OVERRIDE_CASES } from './overrides.ts';
import { PERMISSION_CASES } from './permissions.ts';
import { PIPELINE_CASES } from './pipelines.ts';
import { PROFILE_CASES } from './profiles.ts';
import { RATE_CASES } from './rates.ts';
import { RED_TEAM_CASES } from './red-team.ts';
import { TOKEN_CASES } from './tokens.ts';
import { VARIABLE_CASES } from './variables.ts';

export const CASES: readonly Case[] = [
  ...INPUT_CASES,
  ...LIMIT_CASES,
  ...BYTE_CASES,
  ...PIPELINE_CASES,
  ...ANSWER_CASES,
  ...FIRST_CALL_CASES,
  ...RED_TEAM_CASES,
  ...DOCUMENT_CASES,
  ...HOSTILE_FILE_CASES,
  ...GUARD_CASES,
  ...VARIABLE_CASES,
  ...OVERRIDE_CASES,
  ...PROFILE_CASES,
  ...FILE_CASES,
  ...DOOR_CASES,
  ...PERMISSION_CASES,
  ...TOKEN_CASES,
  ...KEY_LINE_CASES,
  ...RATE_CASES,
];

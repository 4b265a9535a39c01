// Every case, in the order of the table.
import type { Case } from '../case.ts';
import { ANSWER_CASES } from './answers.ts';
import { BYTE_CASES } from './bytes.ts';
import { DOOR_CASES } from './doors.ts';
import { INPUT_CASES } from './inputs.ts';
import { DOCUMENT_CASES, OPERATOR_CASES } from './operator.ts';

export const CASES: readonly Case[] = [
  ...INPUT_CASES,
  ...BYTE_CASES,
  ...ANSWER_CASES,
  ...DOCUMENT_CASES,
  ...OPERATOR_CASES,
  ...DOOR_CASES,
];

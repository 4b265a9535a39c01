// Every case, in the order of the table.
import type { Case } from '../case.ts';
import { INPUT_CASES } from './inputs.ts';

export const CASES: readonly Case[] = [...INPUT_CASES];

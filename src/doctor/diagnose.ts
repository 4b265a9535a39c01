// Checks whether a catalog is fit for models. Every check examines what would be served. Every finding names a place and a fix.
import { checkArguments } from './checks/check-arguments.ts';
import { checkBaseUrls } from './checks/check-base-urls.ts';
import { checkClients } from './checks/check-clients.ts';
import { checkCredentials } from './checks/check-credentials.ts';
import { checkDescriptions } from './checks/check-descriptions.ts';
import { checkEffects } from './checks/check-effects.ts';
import { checkExamples } from './checks/check-examples.ts';
import { checkGuards } from './checks/check-guards.ts';
import { checkQuarantine } from './checks/check-quarantine.ts';
import { checkTexts } from './checks/check-texts.ts';
import { checkTokens } from './checks/check-tokens.ts';
import type { DiagnoseInput, DoctorCheck, Finding } from './finding.ts';

const CHECKS: readonly DoctorCheck[] = [
  checkTokens,
  checkClients,
  checkDescriptions,
  checkGuards,
  checkEffects,
  checkArguments,
  checkExamples,
  checkCredentials,
  checkBaseUrls,
  checkTexts,
  checkQuarantine,
];

export function diagnose(input: DiagnoseInput): Finding[] {
  return CHECKS.flatMap((check) => [...check(input)]);
}

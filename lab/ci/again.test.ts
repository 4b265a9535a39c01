// Steps of .ci/run that are repeated, in a run of three lines: which are named at its end, and when it fails for them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const AGAIN = fileURLToPath(new URL('../../.ci/again', import.meta.url));
const HAS_BASH = spawnSync('bash', ['--version']).status === 0;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-again-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `flaky a` fails the first time, and passes when it is repeated. */
function runSteps(...steps: string[]): { code: number | null; lines: string[] } {
  const script = `set -euo pipefail
. "${AGAIN}"
trap 'close $?' EXIT
flaky() { if [ -e "$1" ]; then return 0; fi; : >"$1"; return 1; }
${steps.join('\n')}
echo end`;
  const { status, stdout } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  return { code: status, lines: stdout.trimEnd().split('\n') };
}

describe.skipIf(!HAS_BASH)('a run of CI', () => {
  test('says nothing of steps that pass', () => {
    expect(runSteps('again true', 'again true')).toEqual({ code: 0, lines: ['end'] });
  });

  test('names at its end the steps that passed only when repeated, and passes with two', () => {
    expect(runSteps('again flaky a', 'again true', 'again flaky b -- --quick')).toEqual({
      code: 0,
      lines: [
        'REPEATED: flaky a',
        'REPEATED: flaky b -- --quick',
        'end',
        'Steps that passed only when repeated: 2',
        '  flaky a',
        '  flaky b -- --quick',
      ],
    });
  });

  test('fails with three', () => {
    const { code, lines } = runSteps('again flaky a', 'again flaky b', 'again flaky c');
    expect({ code, closing: lines.slice(lines.indexOf('end') + 1) }).toEqual({
      code: 1,
      closing: [
        'Steps that passed only when repeated: 3',
        '  flaky a',
        '  flaky b',
        '  flaky c',
        'More than 2 steps needed a second try: the run fails. Repair them.',
      ],
    });
  });

  test('ends with a step that fails twice, and names those before it', () => {
    expect(runSteps('again flaky a', 'again false', 'again true')).toEqual({
      code: 1,
      lines: ['REPEATED: flaky a', 'REPEATED: false', 'Steps that passed only when repeated: 1', '  flaky a'],
    });
  });

  test('ends with the status of what failed', () => {
    expect(runSteps('(exit 7)')).toEqual({ code: 7, lines: [''] });
  });
});

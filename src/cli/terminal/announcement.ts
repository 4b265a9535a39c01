// Says what there is to say once a gateway is up. Whoever looks after workers does it for them, and needs no gateway for that.
import type { Logger } from '../../log.ts';
import type { Announcement } from '../../workers/worker-messages.ts';

export function writeAnnouncement({ stdout, stderr, lines }: Announcement, log: Logger): void {
  for (const { level, facts, message } of lines) log[level](facts, message);
  say(process.stdout, stdout);
  say(process.stderr, stderr);
}

/**
 * Whoever is up serves all the same where nobody reads, or where a disk is full: a file throws, even for no text at all, and a
 * stream has an error, which would end any other command.
 */
function say(out: NodeJS.WriteStream, text: string): void {
  if (text === '') return;
  out.removeAllListeners('error').on('error', () => {});
  try {
    out.write(text);
  } catch {
    // There is nobody to tell.
  }
}

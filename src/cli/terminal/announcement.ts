// Prints what a gateway has to say once it is up. With workers, the primary prints it for them.
import type { Logger } from '../../log.ts';
import type { Announcement } from '../../workers/worker-messages.ts';

export function writeAnnouncement({ stdout, stderr, lines }: Announcement, log: Logger): void {
  for (const { level, facts, message } of lines) log[level](facts, message);
  say(process.stdout, stdout);
  say(process.stderr, stderr);
}

/**
 * The gateway keeps serving if the output is closed or the disk is full: writing to a file throws then, even an empty text, and
 * a stream emits an error, which would end any other command.
 */
function say(out: NodeJS.WriteStream, text: string): void {
  if (text === '') return;
  out.removeAllListeners('error').on('error', () => {});
  try {
    out.write(text);
  } catch {
    // The output cannot be written, so this cannot be reported either.
  }
}

// Deeds that are said in several words: `get rid of` deletes, `take … off` removes, `who can` asks for people.
import { stem } from './search-words.ts';
import type { Verb } from './verbs.ts';

export interface Phrase {
  readonly words: readonly (readonly string[])[];
  readonly verbs: readonly Verb[];
  /** What documents may call it. */
  readonly meaning: readonly string[];
}

/**
 * `words = verbs: meaning`. `*` stands for up to five words, `|` for a choice. Of those that begin with the same word the
 * first that fits is meant.
 */
const PHRASES = `
get rid of = delete / do away with = delete / get * back = act get: restore retrieve / get hold of = get / get into = act: join
get out of = act delete: leave / get back to = act create: reply / get in touch with = act create: send message
make * a|an admin|administrator|owner|member|moderator|manager = update act create: role membership admin / make * out of = update create: add
make * public|private|visible|hidden = update: visibility / make * available = act: publish enable / make * copy = act create: copy duplicate clone
set * up = create / spin * up = create act: start / stand * up = create / bring up = act: start / fire * up = act: start / boot * up = act: start
power * on|up = act: start power / power * off|down = act: stop shutdown power / start over = act: restart reset
kick off = act: start trigger run dispatch / kick * out|off|from = delete: kick / throw * away|out|off = delete / toss * out|away = delete
take over = act: transfer / take a look at = get / take a snapshot = create: snapshot / take * back = delete: undo
take * off|away|out|down = delete / tear * down|up = delete: void / blow away = delete / cross * off = delete / strip * from|of = delete
clean * up|out = delete: prune purge cleanup / clear * out = delete: clear purge / empty * out = delete: empty clear / wipe * out|clean = delete
free up = delete: prune clean / cut * off = act delete: disable revoke block / shut * out = act: block ban / lock * out = act: block lock suspend
keep * out|from = act create: block deny / stop * from = act update: block prevent disable / no longer = delete act: disable / don t = act update delete: disable mute block
turn * off = act update delete: disable stop shutdown / turn * on = act update create: enable start / turn * into = act create: convert
switch * off = act update delete: disable stop shutdown / switch * on = act update create: enable start / turn * down = act: reject decline deny
shut * down = act: stop shutdown terminate deactivate / call * off = act delete: cancel / call * up = act: call / ring * up = act create: call
hang up = act update: end / back out of = act delete: cancel leave / sign * up = create: register subscribe signup
sign * out|off = act delete: logout session / sign in|on = act create: login session authenticate / log * out|off = act delete: logout session
log in|into|on = act create: login session authenticate / hand me = get list / hand * over|off = act: transfer assign / pass * on|over|to = act: transfer assign
give * away = act: transfer / give * back = act create: return refund / give up = act: cancel / give me a new|fresh|another = create act: regenerate new
give * access|permission|rights = create update act: access permission grant collaborator collaboration share member / give me = get list
give * different|new|another|other name = update act: rename / let me see|know = get list / let * know = act create: notify notification
let * in|into|join = act create: allow accept invite / let * back = act delete: restore unban unblock / let go of = delete: release
let * push|write|edit|read|see|use|access = create update act: access permission grant collaborator collaboration share
accidentally|accident = act: restore recover undelete
bring * back = act: restore undelete / bring * into|in = create act: add invite / roll * back = act: rollback revert restore
go back to = act: rollback revert restore / go through = list / go over = list: review / put * back = act: restore / put together = create
put * off = update act: reschedule postpone / put * on hold = act: pause suspend hold / put * on|onto|in|into|to|up = create update act: add
hold off = act: pause / hook * up = create act: connect add / stick * to|on|onto|in = create act: add pin / drop * in|into|on|off = create act: upload add
look * up = get list: lookup search / look for = list: search / look at|into|through|like = get list / look over = act: review
find out = get list / figure out = get list / pull * up = get list / dig up = get list: search / dig into = get / read through|out = get
keep an eye on = create act: watch monitor / keep track of = get list: track / check on|up = get: status / check out = get
check if|whether = get: check / check * off = act: mark complete / tick * off = act: mark complete / write to = act create: send message
write off = act delete: void / write down|up = create / note down = create: note / jot down = create: note / mark down = create: note / fill in|out = update: submit
come up with = create: generate / think of = create: generate / work out = get: calculate / add up = get: sum total
move * over = act update: move transfer / swap * out|for = update: replace / point * to|at = update create / back * up = create act: backup
split * up = act: split / break up = act: split / scale up|down|out = update act: scale resize / send * out|off|over = act create: send
reach out to = act create: send message / speak|talk to = act create: message / say * to|in = act create: send message / say = act create: send message
tell me = get list / tell * about = get / tell = act create: send message / ask * to|for = act create: request
thumbs up = act create update: reaction like rate vote / cash out = create: payout / pay * back = create act: refund / pay out = create: payout
money back = create act: refund / save * for later = create act: save / hang|hold on to = update create: keep retain / hide * from = update act: hide
copy * out|from = get act: download export archive / how many = list get: count total statistics / how often = get list: count statistics
how much = get list: usage amount total balance / how long = get: duration time / what in|inside = list get: item content child
what is in|inside = list get: item content child / what did * do = list get: event activity audit log history
what happened = list get: event history log activity / what new = list get: latest recent notification / what going on = list get: event status activity
what went wrong = get list: error log failure / who am = get: authenticated user me current / who did = list get: audit log event activity
who has access|permission = list get: collaborator collaboration permission access member user
who can = list get: collaborator collaboration permission access member user / who in|inside|on = list get: member participant user
who has|is|are|was|were = list get: user member`;

const GAP = '*';
const MAX_GAP = 5;

const BY_FIRST = new Map<string, Phrase[]>();
for (const row of PHRASES.trim().split(/ \/ |\n/)) {
  const [words, verbs, meaning = ''] = row.split(/ =|:/);
  const parts = words!.split(' ').map((part) => part.split('|').map(stem));
  const phrase = { words: parts, verbs: verbs!.trim().split(' ') as Verb[], meaning: toWords(meaning).map(stem) };
  for (const first of parts[0]!) BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), phrase]);
}

function toWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** The phrase that begins at a word, and the places of its own words. */
export function findPhrase(stems: readonly string[], start: number): { phrase: Phrase; places: number[] } | undefined {
  for (const phrase of BY_FIRST.get(stems[start]!) ?? []) {
    const places = matchPhrase(phrase, stems, start);
    if (places) return { phrase, places };
  }
  return undefined;
}

function matchPhrase({ words }: Phrase, stems: readonly string[], start: number): number[] | undefined {
  const places: number[] = [];
  let next = start;
  let gap = 0;
  for (const choices of words) {
    if (choices[0] === GAP) {
      gap = MAX_GAP;
      continue;
    }
    const place = stems.findIndex((one, at) => at >= next && at <= next + gap && choices.includes(one));
    if (place < 0) return undefined;
    places.push(place);
    next = place + 1;
    gap = 0;
  }
  return places;
}

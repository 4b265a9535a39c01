// What a verb or phrase of a request means (`get rid of` deletes, `take … off` removes, `who can` searches for people), and how well
// the effect of an operation answers it.
import { searchWords, type Verb } from '../../endpoint/conventions/lexicon.ts';
import { once } from '../../endpoint/untrusted.ts';
import { stem } from './search-words.ts';

const VERBS: readonly Verb[] = ['get', 'list', 'create', 'update', 'delete', 'act'];

/** Verbs that many operations have, so that they do not help to find the thing. Stemmed by the first search. */
const plainVerbs = once(() => stemVerbs((verb) => searchWords(verb)));

/** Verbs that few operations have, so that the word itself counts in the search. */
const specificVerbs = once(() => stemVerbs((verb) => searchWords(`${verb}+`)));

function stemVerbs(wordsOf: (verb: Verb) => ReadonlySet<string>): ReadonlyMap<string, Verb> {
  return new Map(VERBS.flatMap((verb) => [...wordsOf(verb)].map((word) => [stem(word), verb])));
}

/** What a word requests, if it is one of the verbs of APIs. */
export function verbOfWord(wordStem: string): Verb | undefined {
  return plainVerbs().get(wordStem) ?? specificVerbs().get(wordStem);
}

export function isPlainVerb(wordStem: string): boolean {
  return plainVerbs().has(wordStem);
}

/** How well each kind of operation answers each verb: a POST may set, a PUT may create, but a read never answers a command. */
const AGREEMENT: Readonly<Record<Verb, Readonly<Partial<Record<Verb, number>>>>> = {
  get: { get: 1, list: 0.9 },
  list: { list: 1, get: 0.85 },
  create: { create: 1, act: 0.5, update: 0.3 },
  update: { update: 1, act: 0.7, create: 0.3 },
  delete: { delete: 1, act: 0.4, update: 0.2 },
  act: { act: 1, update: 0.75, create: 0.6, delete: 0.5 },
};

/** How well an operation with some verbs answers a request for others, from 0 to 1. */
export function agreement(requestVerbs: readonly Verb[], operationVerbs: ReadonlySet<Verb>): number {
  let best = 0;
  for (const verb of requestVerbs)
    for (const other of operationVerbs) best = Math.max(best, AGREEMENT[verb][other] ?? 0);
  return best;
}

export interface Phrase {
  readonly words: readonly (readonly string[])[];
  readonly verbs: readonly Verb[];
  /** Words of documents for it. */
  readonly meaning: readonly string[];
}

/**
 * `words = verbs: meaning`. `*` stands for up to six words, `|` for a choice. Of several phrases with the same first word, the
 * first that fits counts.
 */
const PHRASES = `
get rid of = delete / get|pull|blow * off|away|down = delete / pull the plug = delete act: stop shutdown terminate / do away with = delete
dump|bin|trash|scrap the|my|our|this|that|these|those|all|every = delete: trash / get * back = act get: restore retrieve refund / get hold of = get
get|hop|jump|step|log into = act create: join exec attach session login / get out of = act delete: leave / get me|us out = act delete: leave unsubscribe
cut a|the new|next = create: release version / hear when|about|if = create act: subscribe notify watch / get back to = act create: reply / get in touch with = act create: send message
get * out there = act: publish / get * signed off|approved = act create: approval review request / get * up to date = update act: sync refresh
make * a|an|the admin|administrator|owner|member|moderator|manager|boss|lead = update act create: role membership admin / make * out of = update create: add
make * public|private|visible|hidden = update: visibility / make * available|live = act: publish enable / make * copy = act create: copy duplicate clone fork
make * stop = act delete: stop cancel / make sure nobody|no = act create update: block lock protect / make * permanent = update / set|spin|stand|whip|rig|cook|draw * up = create
put|throw|stitch|piece * together = create: merge / bring|fire|boot|start|power|wake * up = act: start / power|flip * on = act update: start power enable
power|spin|flip * off|down = act: stop shutdown power disable / start over = act: restart reset / kick|set off = act: start trigger run dispatch
kick|boot|throw|chuck|toss * out|off|from = delete: kick remove / throw|toss|chuck * away = delete / take over = act: transfer / take a look|peek at = get
take a snapshot = create: snapshot / take * back = delete: undo / take * live = act: publish
take|knock|pull|yank|scratch|rip|peel|cross|strike|strip|whisk * off|away|out|down|from = delete / tear * down|up = delete: void
clean|clear|empty|sweep|tidy|mop * up|out = delete: prune purge cleanup clear empty / wipe * out|clean|off = delete / free|clear up = delete: prune clean
cut * off = act delete: disable revoke block / shut|lock|keep|freeze * out = act create: block ban deny lock suspend / lock * down|up = act update: lock protect restrict
stop|keep * from seeing|reading|accessing|using|editing = delete act update: access permission collaborator collaboration share block
stop|prevent|keep * from = act update create: block prevent disable protect protection restrict / no longer = delete act: disable / don t need|want = delete
don t = act update delete: disable mute block / have|had enough of = delete act: leave unsubscribe mute block / wants|want out = delete act: cancel leave
sick|tired of = delete act: mute unsubscribe block / turn|switch * off = act update delete: disable stop shutdown / turn|switch * on = act update create: enable start
turn|change|convert|make * into = act create: convert transform / left off = get list: resume continue progress / one go = act: bulk batch
turn|knock|bounce * down|back = act: reject decline deny request / shut * down = act delete: stop shutdown terminate deactivate archive close / shut|quiet|pipe * up|down = act: mute silence
call * off = act delete: cancel / call|ring|phone * up = act create: call / hang up = act update: end / back|pull|bail|drop out of|on|from = act delete: cancel leave
sign|put * up for = create: register subscribe signup / sign * up = create: register subscribe signup / sign off on = act: approve / give * go ahead = act: approve accept
give * green light|ok|okay|blessing = act: approve accept / sign|log * out|off = act delete: logout session / sign|log in|into|on = act create: login session authenticate
hand me = get list / hand|dish|give * out = create act: send / hand|pass|sign|turn * over|off|on|along|to = act: transfer assign forward / give * away = act: transfer
give * back = act create: return refund / give * another shot|try|go|chance = act: retry rerun restart / give up = act: cancel / give me a new|fresh|another = create act: regenerate new
give|grant * access|permission|rights = create update act: access permission grant collaborator collaboration share member / give me = get list
give|call * different|new|another|other name = update act: rename / give * ring|call|buzz = act create: call / give * heads up = act create: notify send
give * boost|bump = update: resize scale / let me see|know|hear|have|read = get list / let * know = act create: notify notification / let * back = act delete: restore unban unblock
let * in|into|join = act create: allow accept invite / let go of = delete: release
let * push|write|edit|read|see|use|access|view = create update act: access permission grant collaborator collaboration share / accidentally|accident|mistake = act: restore recover undelete
bring|call * back = act: restore undelete / bring|carry|take * over = act create: import migrate transfer move / bring|loop|rope|pull * into|in = create act: add invite
roll|wind|go * back = act: rollback revert restore / go through|over = list: review / put * back = act: restore rollback revert / put * away = act: archive
put|push|move * off|later = update act: reschedule postpone / put * on hold|ice = act: pause suspend hold / put * online|live = act create: publish upload
put|throw|toss|chuck|drop|stick * bin|trash|rubbish = delete: trash / fish|pull|dig|get|take * out of * trash|bin|archive = act: restore recover
tack|stick|pin|nail * top = act create update: pin / put|stick|slap|pop|slip|tack|drop|throw * on|onto|in|into|to|up|over|with|among|under = create update act: add
put * end|stop to = act delete: end stop cancel / drop * line|note|message = act create: send message / hold off = act: pause / hook|wire * up = create act: connect add
drop * off = create act: upload add / shoot|fire|send|blast * over|off|out = act create: send / push|roll|ship * out|live = act create: deploy publish / look * up = get list: lookup search
look|hunt|search for = list: search find / look at|into|through|like = get list / look over = act: review / find|figure|make|work out = get list: calculate / pull|bring|call * up = get list
dig|hunt|track * up|down = get list: search find / dig into = get / read * aloud|loud|voice = act create: speech voice / read through|out = get / run|walk|take me through = get list
catch * up = get list: latest recent / keep an eye on = create act: watch monitor subscribe / keep tabs on = create act: watch monitor subscribe
keep * loop|posted|informed = create act: notify subscribe watch / keep track of = get list: track / keep|stay = update act: retain
ping|notify|alert|tell|warn|message|email me|us when|whenever|if|once|as = create act: subscribe notify alert webhook watch / check in|on|up = get: status / check out = get
check if|whether = get: check / did * go through|work|succeed|arrive|land = get list: status / is * done|ready|finished|up|down|working|alive = get list: status health ping
check|tick * off = act: mark complete / wrap|close|finish * up|out|off = act: close complete finish
text|email|message|dm a|an|the|my|our|your|him|her|them|everyone|everybody|someone|somebody|all = act create: send message email
phone|ring|dial a|the|my|our|him|her|them|someone|somebody = act create: call / write to = act create: send message / write off = act delete: void uncollectible
write|note|jot|mark|scribble down|up = create: note / touch|spruce|polish|freshen * up = update act: edit / run|runs|ran out = get list: expire end / fill in|out = update: submit
come up with = create: generate / think of = create: generate / add up = get: sum total / beef|ramp|crank|scale * up|down|out = update act: scale resize
move * over = act update: move transfer / swap|trade * out|for|with = update: replace / point * to|at = update create: record redirect target
page the|our|my|him|her|someone|somebody|everyone|whoever = create act: incident alert notify page / back * up = create act: backup / top up = create act: fund credit balance
split|break|carve * up|off|apart = act: split / try * again = act: retry rerun restart / do * again|over = act: retry rerun restart / reach out to = act create: send message
speak|talk to = act create: message / say * to|in = act create: send message / say * aloud|voice|loud = act create: speech voice / say = act create: send message / tell me = get list
tell * about = get / tell = act create: send message / ask * to|for = act create: request / chase|nudge|hurry|prod = act create: remind resend
thumbs up = act create update: reaction like rate vote / cash out = create: payout / pay * back = create act: refund / pay out = create: payout / settle up = act: pay
we|i owe = get list: balance invoice payable due / money back = create act: refund / save * for later = create act: save / hang|hold on to = update create: keep retain
hide * from = update act: hide / copy|get * out|from = get act: download export archive / copy|get|move * into|onto = update create act: upload import
how many = list get: count total statistics / how big|large|heavy|old = get: size detail information / who made|created|wrote|opened|started = get list: author creator detail
mark|call|flag * solved|done|fixed|closed|resolved|finished|complete = update act: close resolve complete / how often|popular = get list: count statistics
how far|done = get: status progress / how fast|slow|well = get: performance statistics metric / how much = get list: usage amount total balance / how long = get: duration time
how come = get list: error log / how * doing|going = get list: status report statistic / how healthy = get: health status / what in|inside = list get: item content child
what is in|inside = list get: item content child / what * look|looks like = get list: preview detail / what did * do = list get: event activity audit log history
what * spitting|printing|printed|logged = get list: log output / what * doing|done = list get: event activity audit log history / what * up to = list get: event activity log history
what eating|hogging|using|taking = get list: usage statistic / set me|us back = get list: cost price amount usage / what * cost = get list: price cost amount usage
what happened = list get: event history log activity / what new = list get: latest recent notification / any * over to = act update: move transfer / any * out of|from = delete
any * out|off|away|apart = delete / any * back = act: restore revert / any * up|together = create act / any * into|onto = create update act / what going on = list get: event status activity
what * left = get list: balance remaining quota limit / what * wrong = get list: error log failure event / out of step|sync = get list: sync diff status
why = get list: error log status failure event / am i|we allowed|able = get list create: permission access authorize / who am = get: authenticated user me current
who * did|changed|touched|deleted|moved|broke = list get: audit log event activity history change / who * around|online|about|awake = list get: presence online active status session
who has|have seen|read|viewed = list get: receipt view viewer read / who * logged|signed in = list get: login session event log audit / who been = list get: event activity audit log history
who has access|permission = list get: collaborator collaboration permission access member user / who can|may|could = list get: collaborator collaboration permission access member user
who * shared with = list get: collaborator collaboration permission share / who in|inside|on = list get: member participant user assignee / who has|is|are|was|were = list get: user member`;

const GAP = '*';
/** Stands for a verb that is in no phrase and not in the lexicon. */
const ANY = 'any';
const MAX_GAP = 6;

/** By first word. Built by the first search: that takes 4 ms, which a start without a search saves. */
let phrasesByFirst: ReadonlyMap<string, readonly Phrase[]> | undefined;

function readPhrases(): ReadonlyMap<string, readonly Phrase[]> {
  const phrases = new Map<string, Phrase[]>();
  for (const row of PHRASES.trim().split(/ \/ |\n/)) {
    const [words, verbs, meaning = ''] = row.split(/ =|:/);
    const parts = words!.split(' ').map((part) => part.split('|').map(stem));
    const phrase = { words: parts, verbs: verbs!.trim().split(' ') as Verb[], meaning: toWords(meaning).map(stem) };
    for (const first of parts[0]!) phrases.set(first, [...(phrases.get(first) ?? []), phrase]);
  }
  return phrases;
}

function toWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** The phrase that begins at this word, and the places of its words. */
export function findPhrase(
  stems: readonly string[],
  start: number,
  isVerb = false,
): { phrase: Phrase; places: number[] } | undefined {
  // `is it ready` at the beginning is a question; `that it is ready` is not.
  if (start > 0 && /^(?:is|did|am)$/.test(stems[start]!)) return undefined;
  phrasesByFirst ??= readPhrases();
  for (const phrase of phrasesByFirst.get(stems[start]!) ?? (isVerb ? phrasesByFirst.get(ANY)! : [])) {
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
    if (choices[0] === ANY) {
      next = start + 1;
      continue;
    }
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

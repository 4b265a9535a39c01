// What verbs ask for, and how well what an operation does answers it.
import { stem } from './search-words.ts';

/** What a call does, as far as its method, path and first word tell. `act` is whatever is none of the others. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'act';

/** Verbs that say what is done and nothing about the thing. */
const PLAIN = readTable({
  get: 'get retrieve read fetch show view check see display return know inspect describe peek tell grab hear',
  list: 'list search find browse enumerate',
  create: 'create add post new make insert put give',
  update:
    'update set edit patch replace modify change alter adjust tweak correct fix swap bump tune flip amend revise refresh retitle reword',
  delete:
    'delete remove destroy erase drop discard wipe eliminate retire decommission dispose undo ditch nuke axe zap chuck shred obliterate',
});

/** Verbs that name what few operations do, so that the word itself counts. */
const TELLING = readTable({
  get: 'preview download compare count export monitor listen render',
  list: 'query lookup',
  create:
    'register open generate build write compose draft provision upload import book buy order purchase install draw ' +
    'reserve allocate define claim hire rent record spawn',
  update: 'rename upgrade downgrade configure customize switch',
  delete:
    'clear revoke purge prune uninstall unassign detach cancel trash scrap kick ban unpin unfollow unsubscribe evict expel',
  act:
    'accept acknowledge activate approve archive assign attach authorize block call capture charge clone close comment ' +
    'commit complete confirm connect copy deactivate decline deny deploy disable disconnect dismiss duplicate enable end ' +
    'escalate execute finalize finish follow fork freeze halt invite join kill launch leave like link lock log login ' +
    'logout mark merge migrate move mute notify pause pay pin play promote protect publish pull push react reboot refund ' +
    'refresh reject release remind reopen reply report request rerun reset resize resolve restart restore resume retry ' +
    'revert rollback rotate run save schedule send share shutdown sign snooze star start stop submit subscribe suspend ' +
    'sync test terminate track train transfer translate trigger unarchive unblock unlock unmute validate verify void ' +
    'vote wait watch',
});

function readTable(table: Readonly<Partial<Record<Verb, string>>>): ReadonlyMap<string, Verb> {
  const rows = Object.entries(table) as [Verb, string][];
  return new Map(rows.flatMap(([verb, words]) => words.split(' ').map((word) => [stem(word), verb])));
}

/** What a word asks for, where it is a verb APIs have. */
export function verbOfWord(stemmed: string): Verb | undefined {
  return PLAIN.get(stemmed) ?? TELLING.get(stemmed);
}

export function isPlainVerb(stemmed: string): boolean {
  return PLAIN.has(stemmed);
}

/** A POST may set, a PUT may create; a read is never the answer to a command. */
const AGREEMENT: Readonly<Record<Verb, Readonly<Partial<Record<Verb, number>>>>> = {
  get: { get: 1, list: 0.9 },
  list: { list: 1, get: 0.85 },
  create: { create: 1, act: 0.5, update: 0.3 },
  update: { update: 1, act: 0.7, create: 0.3 },
  delete: { delete: 1, act: 0.4, update: 0.2 },
  act: { act: 1, update: 0.75, create: 0.6, delete: 0.5 },
};

/** How well an operation that does the one answers a request for the other, from 0 to 1. */
export function agreement(asked: readonly Verb[], done: ReadonlySet<Verb>): number {
  let best = 0;
  for (const verb of asked) for (const other of done) best = Math.max(best, AGREEMENT[verb][other] ?? 0);
  return best;
}

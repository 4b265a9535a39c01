// What people call things and what APIs call them: verbs by what they do, other words for the same thing, abbreviations.
import { splitWords, stem } from './search-words.ts';

/** What a call does, as far as its method, path and first word tell. `act` is whatever is none of the others. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'act';

const VERB_WORDS: Readonly<Record<Verb, string>> = {
  get: 'get retrieve read fetch show view check see preview download compare count',
  list: 'list search find browse',
  create: 'create add post new make insert register open',
  update: 'update set edit patch put replace modify rename change upgrade downgrade',
  delete: 'delete remove destroy clear revoke erase',
  act:
    'accept approve archive assign attach block cancel capture charge close comment confirm decline deploy disable ' +
    'dismiss enable execute finalize follow fork invite join leave lock mark merge move mute notify pause pay pin ' +
    'protect publish react refund reject reopen reply request rerun reset restart restore resume revert run save ' +
    'schedule send share star start stop submit subscribe suspend sync transfer trigger unlock upload verify void vote',
};

const VERBS: ReadonlyMap<string, Verb> = new Map(
  Object.entries(VERB_WORDS).flatMap(([verb, words]) => words.split(' ').map((word) => [stem(word), verb as Verb])),
);

/** What a word asks for, where it is a verb APIs have. */
export function verbOfWord(stemmed: string): Verb | undefined {
  return VERBS.get(stemmed);
}

/** Words that mean the same to somebody who asks. One word may stand in several groups. */
const SAME = `
search find query lookup filter match / cancel stop abort terminate end / close end finish complete resolve update
start begin launch trigger run execute dispatch / send deliver notify email / upload attach import send add
download export / enable activate allow / disable deactivate suspend / approve accept confirm review / reject decline deny
move transfer migrate / copy clone duplicate fork / assign assignee owner add / invite invitation / follow subscribe watch
rerun retry restart / like favorite star / like react reaction emoji thumb / grant permission access role
repository project / organization company / customer client contact / user member account people person profile
team group / member collaborator participant / authenticated current self / issue ticket bug task / task todo job
comment reply note message / message chat / channel room conversation thread stream / label tag category
folder directory content path tree / file document content attachment / image picture photo avatar icon
branch ref reference / commit revision change / release version deploy publish / workflow pipeline action build job run
log history event activity audit / webhook hook callback / secret credential password token key / notification alert inbox
configuration setting preference / alert warning vulnerability / status state health / online presence active status
payment charge pay transaction / refund return reversal / invoice bill billing / price cost rate amount / balance fund money
subscription plan membership recurring / coupon discount voucher / dispute chargeback / order purchase / mail email
server host machine instance node / database db / disk volume storage / latest newest last recent`;

const related = new Map<string, Set<string>>();
for (const group of SAME.split(/[/\n]/)) {
  const stems = splitWords(group).map(stem);
  for (const one of stems) {
    related.set(one, new Set([...(related.get(one) ?? []), ...stems.filter((other) => other !== one)]));
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Stems that may stand for this one. */
export function relatedTo(stemmed: string): ReadonlySet<string> {
  return related.get(stemmed) ?? NONE;
}

/** Abbreviations and everyday words, and what they stand for. */
const SHORT_FORMS = new Map(
  `pr=pull request/prs=pull request/mr=merge request/repo=repository/repos=repository/org=organization/orgs=organization/
config=configuration/env=environment/docs=document/msg=message/dm=direct message/dms=direct message/auth=authentication/
2fa=two factor/ci=workflow/whoami=get authenticated user/am=get authenticated user/my=authenticated user/mine=authenticated user`
    .split(/[/\n]+/)
    .map((row) => row.split('=') as [string, string]),
);

export function spellOut(words: readonly string[]): string[] {
  return words.flatMap((word) => SHORT_FORMS.get(word)?.split(' ') ?? [word]);
}

// Other words for the same thing. What a person calls it and what an API calls it differ most in verbs and abbreviations.
import { stem } from './search-words.ts';

/** Words that mean the same to somebody who asks. One word may stand in several groups. */
const SAME = `
get read retrieve fetch show view see lookup details info / list browse / search find query lookup filter match
create add new make open post insert register start / update edit change modify set patch replace adjust upgrade
delete remove destroy drop erase clear revoke / cancel stop abort terminate end / close end finish complete resolve update
start begin launch trigger run execute dispatch / send deliver dispatch notify email / upload attach import send add
download export fetch get / enable activate turn allow / disable deactivate turn suspend / rename update name title
approve accept confirm review allow / reject decline deny dismiss / move transfer migrate / copy clone duplicate fork
assign assignee owner add / invite invitation add / follow subscribe watch join / leave unfollow unsubscribe
rerun retry restart again / check verify validate test get status / compare diff / count number total statistics
protect protection lock rule / grant permission access role / like favorite star / like react reaction emoji thumb
repository repo project / organization org company / user member account people person profile / customer client contact
team group / member collaborator participant / authenticated current self me / issue ticket bug task / task todo job
comment reply note message / message chat post / channel room conversation thread stream / label tag category
folder directory content path tree / file document content attachment / image picture photo avatar icon
branch ref reference / commit revision change / release version deploy publish / workflow pipeline ci action build job run
log history event activity audit / webhook hook callback / secret credential password token key / variable environment
configuration setting config preference / notification alert inbox / alert warning vulnerability / status state health
online presence active status / payment charge pay transaction / refund return reversal / invoice bill billing
price cost plan rate amount / subscription plan membership recurring / coupon discount promotion voucher
dispute chargeback / payout withdraw transfer / balance fund money / card source payment / bank account
product item good / order purchase checkout / date time day schedule / mail email / server host machine instance node
database db / disk volume storage / usage consumption quota record / latest newest last recent / archive export backup
view visit traffic`
  .split(/[/\n]/)
  .map((line) => line.trim().split(' '));

/** Abbreviations and everyday words that stand for several words at once. */
const PHRASES: Readonly<Record<string, string>> = {
  pr: 'pull request',
  prs: 'pull request',
  mr: 'merge request',
  repo: 'repository',
  repos: 'repository',
  org: 'organization',
  orgs: 'organization',
  config: 'configuration',
  env: 'environment',
  docs: 'document',
  msg: 'message',
  dm: 'direct message',
  dms: 'direct message',
  auth: 'authentication',
  '2fa': 'two factor',
  whoami: 'get authenticated user',
  me: 'authenticated user',
  my: 'authenticated user',
  mine: 'authenticated user',
  ci: 'workflow',
};

const related = new Map<string, Set<string>>();
for (const words of SAME) {
  const stems = words.map(stem);
  for (const one of stems) {
    const others = related.get(one) ?? new Set<string>();
    for (const other of stems) if (other !== one) others.add(other);
    related.set(one, others);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Stems that may stand for this one. */
export function relatedTo(stemmed: string): ReadonlySet<string> {
  return related.get(stemmed) ?? NONE;
}

const ADDRESSING = new Set(['show', 'give', 'tell', 'get', 'let', 'help']);

/** Abbreviations written out. */
export function spellOut(words: readonly string[]): string[] {
  if (words.join(' ').startsWith('who am i')) return ['get', 'authenticated', 'user'];
  return words.flatMap((word, place) => {
    // "Show me" asks nothing about me.
    if (word === 'me' && ADDRESSING.has(words[place - 1] ?? '')) return [];
    return Object.hasOwn(PHRASES, word) ? PHRASES[word]!.split(' ') : [word];
  });
}

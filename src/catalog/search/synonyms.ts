// Other words for the same thing. What a person calls it and what an API calls it differ most in verbs and abbreviations.
import { stem } from './search-words.ts';

/** Words that mean the same to somebody who asks. One word may stand in several lines. */
const SAME: readonly string[] = [
  'get read retrieve fetch show view see lookup details info',
  'list enumerate browse',
  'create add new make open post insert register start',
  'update edit change modify set patch replace alter adjust upgrade downgrade',
  'delete remove destroy drop erase clear revoke unset',
  'search find query lookup filter match',
  'cancel stop abort terminate end',
  'start begin launch trigger run execute dispatch invoke',
  'send deliver dispatch notify email',
  'upload attach import send add',
  'download export fetch get',
  'enable activate turn allow',
  'disable deactivate turn suspend',
  'approve accept confirm review allow',
  'reject decline deny dismiss refuse',
  'close end finish complete resolve update',
  'reopen open update',
  'rename update name title',
  'move transfer migrate relocate',
  'copy clone duplicate fork',
  'assign assignee owner add',
  'invite invitation add',
  'join follow subscribe',
  'leave unfollow unsubscribe',
  'follow follower following watch subscribe',
  'like favorite favourite star bookmark',
  'like react reaction emoji thumb upvote',
  'online presence active status available',
  'visit view traffic visitor',
  'rerun retry restart redeliver again repeat',
  'check verify validate test get status',
  'count number total statistics stats metric',
  'compare diff difference',
  'protect protection lock restrict rule',
  'grant permission access allow add',
  'branch ref reference',
  'repository repo project codebase',
  'organization org organisation company',
  'pullrequest pr mr mergerequest pull',
  'user member account people person profile',
  'member collaborator participant contributor user',
  'team group',
  'authenticated current self me my mine',
  'issue ticket bug task',
  'task todo issue item job',
  'comment reply note remark message',
  'message chat post comment dm',
  'channel room conversation stream thread',
  'label tag category',
  'folder directory content path tree',
  'file document content attachment blob asset',
  'content file text body',
  'image picture photo avatar thumbnail icon',
  'video movie film clip',
  'commit revision change changeset',
  'release version deploy publish',
  'deploy deployment release rollout',
  'workflow pipeline ci action build automation',
  'job run build task',
  'log output trace history audit',
  'history event activity timeline log audit',
  'event activity webhook',
  'webhook hook callback',
  'secret credential password token key',
  'token key credential pat',
  'variable env environment config',
  'configuration setting config preference option',
  'permission role access scope right',
  'notification alert inbox',
  'alert warning vulnerability notification',
  'customer client buyer user',
  'payment charge pay transaction intent',
  'charge bill pay payment',
  'refund reimburse return reversal payback',
  'invoice bill billing',
  'price cost plan rate amount',
  'plan subscription price',
  'subscription plan membership recurring',
  'coupon discount promotion voucher promo',
  'dispute chargeback',
  'payout withdraw withdrawal transfer',
  'transfer payout move send money',
  'balance fund money',
  'card creditcard debit payment source',
  'bank iban account',
  'product item sku good',
  'order purchase checkout',
  'tax vat',
  'contact person customer',
  'date time day calendar schedule',
  'schedule cron timer appointment calendar',
  'mail email',
  'picture image',
  'node server host machine instance',
  'container pod instance',
  'server host machine instance',
  'database db',
  'network net',
  'disk volume storage',
  'health status ping ready',
  'status state health',
  'version release info',
  'usage consumption quota record metered',
  'limit quota rate',
  'language locale translation',
  'license licence',
  'draft unpublished',
  'latest newest last recent',
  'archive export backup',
  'pin star',
  'song track recording music audio',
  'artist band musician',
  'playlist queue list',
  'weather forecast',
  'place location city address geo',
  'map location',
  'form survey',
  'vote poll',
  'page document',
  'article post page',
  'report statistics summary analytics',
];

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
  doc: 'document',
  msg: 'message',
  msgs: 'message',
  dm: 'direct message',
  dms: 'direct message',
  info: 'information',
  auth: 'authentication',
  '2fa': 'two factor',
  whoami: 'get authenticated user',
  me: 'authenticated user',
  my: 'authenticated user',
  mine: 'authenticated user',
  readme: 'readme',
  db: 'database',
  k8s: 'kubernetes',
  perms: 'permission',
  admin: 'admin',
  ci: 'workflow',
  pfp: 'profile picture',
};

const related = new Map<string, Set<string>>();
for (const line of SAME) {
  const stems = line.split(' ').map(stem);
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
  // "Show me" asks nothing about me.
  const addressed = (word: string, place: number) => word === 'me' && ADDRESSING.has(words[place - 1] ?? '');
  return words.flatMap((word, place) =>
    addressed(word, place) ? [] : Object.hasOwn(PHRASES, word) ? PHRASES[word]!.split(' ') : [word],
  );
}

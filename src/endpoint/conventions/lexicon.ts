// The verbs and nouns by which names, paths, summaries and requests describe what an operation does. One row per word: each column is one
// use of it, and an empty cell means that this use ignores the word. To add a word or a use, add a row or fill a cell.
import { once } from '../untrusted.ts';

/** What a word means for the effect of an operation (effect-words.ts). */
type EffectRole =
  /** A verb that removes something for good, wherever it is in a name. */
  | 'deletes'
  /** A verb that ends something for good, but is a noun or an adjective elsewhere: it counts at the beginning or end of a name only. */
  | 'ends'
  /** A noun for a deletion: `POST /account/deletion`, `schedule_key_deletion`. */
  | 'deletion'
  /** After this verb, a deletion is only an object: `get_delete_request`, `approve_removal`. */
  | 'governs'
  /** The same, but only for a deletion as a noun: `disable_deletion`. A verb still counts: `disable_remove_user` removes. */
  | 'switches'
  /** A verb that starts a deletion: `create_deletion_request`, `submit_bulk_delete`. */
  | 'starts'
  /** A noun for a deletion that was started: `create_delete_job`. A `delete_policy` is something else. */
  | 'started'
  /** A noun before which a deletion is an adjective: `get_delete_request`, `delete_jobs_list`, `disable_delete_protection`. */
  | 'head'
  /** A verb that may also be a noun: `list_remove_member` and `blog_post_delete` do delete. */
  | 'noun'
  /** The same, except as the first word of a name that continues after the deletion: `data_set_delete` does delete. */
  | 'noun-later'
  /** The last word of names that begin with the resource: `empty_rooms_create` does not empty anything. */
  | 'final'
  /** A verb of reads, in names and sentences. */
  | 'reads'
  /** A verb of reads in sentences only. */
  | 'tells-read'
  /** A verb that changes something: the name of a read has none of them. */
  | 'changes'
  /** The same; and a GET that begins with it changes something, contrary to HTTP (AWS: `GET /?Action=CreateVolume`). */
  | 'changes-surely'
  /** In a description, a verb about data. Others are too general: descriptions use `enables` and `runs` for many things. */
  | 'changes-data'
  /** A verb that is hardly ever a noun: a path that ends with it is an action, not the address of data. */
  | 'acts'
  /** A verb that replaces a value. */
  | 'updates'
  /** What a POST creates although its name begins with `get`: `get_token`, `get_upload_url`. */
  | 'issued';

/** What a word means in a name that is shortened (short-name.ts). */
type NameRole =
  /** A verb that may be a noun as well: `test_runs` are things. */
  | 'verb'
  /** A verb that is no noun: `terminate_sessions` is an action. */
  | 'only-verb'
  /** A noun before which a verb is an adjective: `delete_requests` are things. In the plural only. */
  | 'head';

/** What a call does, judged by its method, path and first word. `act` stands for everything else. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete' | 'act';

/** What an argument of this name does for paging. `_` stands for itself or nothing: `page_size` is `pageSize`, too. */
export type PagingRole = 'page' | 'offset' | 'cursor' | 'size';

/**
 * Columns: the word; its effect roles; its roles in names; the verb it stands for in a search request; its paging role. In the column
 * for search, `+` marks verbs that few operations have, so that the word itself counts in the search as well.
 */
const TABLE = `
  abort              | ends governs acts                                      | verb
  accept             | changes                                                | only-verb | act+
  ack                | changes
  acknowledge        | changes changes-data                                   | only-verb | act+
  acquire            | changes
  action             |                                                        | head
  activate           | changes acts                                           | only-verb | act+
  add                | governs starts changes-surely                          | only-verb | create
  adjust             |                                                        |           | update
  after              |                                                        |           |         | cursor
  after_cursor       |                                                        |           |         | cursor
  after_id           |                                                        |           |         | cursor
  allocate           | changes-surely                                         |           | create+
  alter              | changes changes-data                                   |           | update
  amend              |                                                        |           | update
  and                | issued
  anonymise          | ends
  anonymize          | ends
  append             | changes
  apply              | changes
  approve            | governs changes acts                                   | only-verb | act+
  archive            |                                                        | verb      | act+
  assign             | changes-surely                                         | only-verb | act+
  associate          | changes-surely
  attach             | changes-surely                                         | only-verb | act+
  authorize          |                                                        | only-verb | act+
  auto               | switches
  axe                |                                                        |           | delete
  ban                |                                                        |           | delete+
  batch              | started
  begin              | starts                                                 | verb
  block              |                                                        | verb      | act+
  book               |                                                        |           | create+
  browse             |                                                        |           | list
  build              |                                                        |           | create+
  bulk               |                                                        | verb
  bump               |                                                        |           | update
  buy                |                                                        |           | create+
  calculate          | tells-read
  call               |                                                        | verb      | act+
  can                | governs
  cancel             | ends governs acts                                      | only-verb | delete+
  capture            |                                                        | verb      | act+
  change             | changes changes-data updates                           | verb      | update
  charge             |                                                        |           | act+
  check              | governs noun-later tells-read                          | verb      | get
  checkout           | changes
  chuck              |                                                        |           | delete
  claim              | changes                                                |           | create+
  cleanup            | ends
  clear              | ends                                                   | verb      | delete+
  clone              |                                                        | verb      | act+
  close              |                                                        | verb      | act+
  code               | issued
  comment            |                                                        |           | act+
  commit             |                                                        | verb      | act+
  compare            |                                                        |           | get+
  complete           |                                                        | verb      | act+
  compose            |                                                        |           | create+
  compute            | tells-read
  configure          | governs                                                |           | update+
  confirm            |                                                        | only-verb | act+
  connect            |                                                        | verb      | act+
  consume            | changes changes-data
  continuation_token |                                                        |           |         | cursor
  continue           |                                                        |           |         | cursor
  convert            |                                                        | only-verb
  copy               | changes                                                | verb      | act+
  correct            |                                                        |           | update
  count              | governs noun reads                                     | verb      | get+    | size
  craft              |                                                        |           | create
  create             | governs starts final changes-surely changes-data       | only-verb | create
  credential         | issued
  credentials        | issued
  current_page       |                                                        |           |         | page
  cursor             |                                                        |           |         | cursor
  customize          |                                                        |           | update+
  deactivate         | changes-surely acts                                    | only-verb | act+
  deauthorise        | deletes
  deauthorize        | deletes
  decline            |                                                        | only-verb | act+
  decommission       | deletes                                                |           | delete
  decrement          | changes changes-data
  define             |                                                        |           | create+
  del                | deletes
  delete             | deletes deletion                                       | only-verb | delete
  deletion           | deletion
  deny               |                                                        | only-verb | act+
  deploy             | acts                                                   | verb      | act+
  deprovision        | deletes
  dequeue            | changes changes-data
  deregister         | deletes
  describe           | governs reads                                          |           | get
  destroy            | deletes                                                | only-verb | delete
  destruction        | deletion
  detach             | changes-surely                                         | only-verb | delete+
  disable            | switches changes-surely acts                           | only-verb | act+
  disassociate       | changes-surely
  discard            | ends                                                   |           | delete
  disconnect         |                                                        | only-verb | act+
  dismiss            |                                                        | only-verb | act+
  dispatch           |                                                        | verb
  display            | tells-read                                             |           | get
  dispose            |                                                        |           | delete
  ditch              |                                                        |           | delete
  downgrade          |                                                        |           | update+
  download           | tells-read                                             | verb      | get+
  draft              |                                                        |           | create+
  draw               |                                                        |           | create+
  drop               | deletes                                                |           | delete
  duplicate          |                                                        | verb      | act+
  edit               | governs changes-surely updates                         | verb      | update
  eliminate          |                                                        |           | delete
  empty              | ends
  enable             | switches changes-surely acts                           | only-verb | act+
  end                |                                                        | verb      | act+
  enqueue            | starts
  enumerate          |                                                        |           | list
  eradicate          | deletes
  erase              | deletes                                                |           | delete
  erasure            | deletion
  escalate           |                                                        |           | act+
  estimate           | tells-read
  event              | head                                                   | head
  evict              | ends                                                   |           | delete+
  execute            | starts changes acts                                    | only-verb | act+
  expel              |                                                        |           | delete+
  expire             | ends                                                   | verb
  export             | tells-read                                             | verb      | get+
  expunge            | deletes
  fetch              | governs tells-read                                     | only-verb | get
  finalize           |                                                        |           | act+
  find               | governs reads                                          | verb      | list
  finish             |                                                        | verb      | act+
  first_result       |                                                        |           |         | offset
  fix                |                                                        |           | update
  flip               |                                                        |           | update
  flush              | ends acts                                              | verb
  follow             |                                                        | verb      | act+
  fork               |                                                        |           | act+
  freeze             |                                                        |           | act+
  generate           | changes                                                | only-verb | create+
  get                | governs reads                                          | only-verb | get
  give               |                                                        |           | create
  grab               |                                                        |           | get
  grant              | changes                                                | verb
  halt               |                                                        |           | act+
  has                | governs
  head               |                                                        | verb
  hear               |                                                        |           | get
  hire               |                                                        |           | create+
  history            | head
  hook               |                                                        | head
  import             | changes                                                | verb      | create+
  increment          | changes changes-data
  index              |                                                        | verb
  initiate           | starts
  insert             | changes-surely changes-data                            | verb      | create
  inspect            |                                                        |           | get
  install            |                                                        | verb      | create+
  invalidate         | ends acts
  invite             |                                                        | only-verb | act+
  invoke             | acts                                                   | only-verb
  is                 | governs
  issue              | changes
  items_per_page     |                                                        |           |         | size
  job                | started head                                           | head
  join               |                                                        | verb      | act+
  key                | issued
  kick               |                                                        |           | delete+
  kill               | ends acts                                              | verb      | act+
  know               |                                                        |           | get
  last_key           |                                                        |           |         | cursor
  launch             | acts                                                   |           | act+
  leave              |                                                        | verb      | act+
  like               |                                                        |           | act+
  limit              |                                                        |           |         | size
  link               | issued                                                 | verb      | act+
  list               | governs noun reads                                     | verb      | list
  listen             |                                                        |           | get+
  lock               | changes                                                | verb      | act+
  log                | head                                                   | head      | act+
  login              |                                                        | verb      | act+
  logoff             | acts
  logout             | acts                                                   | verb      | act+
  look               | tells-read
  lookup             | governs reads                                          |           | list+
  make               |                                                        |           | create
  mark               | changes changes-data                                   | verb      | act+
  marker             | head                                                   |           |         | cursor
  max_items          |                                                        |           |         | size
  max_keys           |                                                        |           |         | size
  max_records        |                                                        |           |         | size
  max_results        |                                                        |           |         | size
  merge              | changes updates                                        | verb      | act+
  migrate            |                                                        | only-verb | act+
  modify             | changes-surely changes-data updates                    | only-verb | update
  monitor            |                                                        |           | get+
  move               | changes updates                                        | verb      | act+
  mute               |                                                        | verb      | act+
  new                |                                                        |           | create
  next_cursor        |                                                        |           |         | cursor
  next_page_token    |                                                        |           |         | cursor
  next_token         |                                                        |           |         | cursor
  no                 | governs
  nonce              | issued
  not                | governs
  notify             |                                                        | only-verb | act+
  nuke               | ends                                                   |           | delete
  obliterate         | deletes                                                |           | delete
  obtain             | tells-read
  offset             |                                                        |           |         | offset
  open               |                                                        | verb      | create+
  operation          | started head                                           | head
  or                 | issued
  order              |                                                        |           | create+
  otp                | issued
  overwrite          | changes-data updates
  page               |                                                        |           |         | page
  page_cursor        |                                                        |           |         | cursor
  page_index         |                                                        |           |         | page
  page_limit         |                                                        |           |         | size
  page_no            |                                                        |           |         | page
  page_num           |                                                        |           |         | page
  page_number        |                                                        |           |         | page
  page_size          |                                                        |           |         | size
  page_token         |                                                        |           |         | cursor
  patch              | changes updates                                        | verb      | update
  pause              | acts                                                   | verb      | act+
  pay                |                                                        |           | act+
  peek               |                                                        |           | get
  per_page           |                                                        |           |         | size
  perform            | starts
  pin                |                                                        | verb      | act+
  play               |                                                        |           | act+
  pn                 |                                                        |           |         | page
  policy             | head                                                   | head
  poll               |                                                        | verb
  pop                | changes
  post               |                                                        | verb      | create
  poweroff           | acts
  prevent            | governs
  preview            | governs tells-read                                     | verb      | get+
  process            |                                                        | verb
  promote            |                                                        |           | act+
  protect            |                                                        |           | act+
  protection         | head
  provision          |                                                        |           | create+
  prune              | ends                                                   |           | delete+
  publish            | changes                                                | only-verb | act+
  pull               |                                                        | verb      | act+
  purchase           |                                                        |           | create+
  purge              | deletes deletion                                       | verb      | delete+
  push               |                                                        | verb      | act+
  put                | changes-surely                                         | verb      | create
  query              | governs noun reads                                     | verb      | list+
  queue              | starts
  react              |                                                        |           | act+
  read               | governs tells-read                                     | verb      | get
  reason             | head
  reboot             | changes-surely acts                                    | verb      | act+
  record             |                                                        |           | create+
  recover            | governs                                                | only-verb
  redact             | ends
  redeem             |                                                        | verb
  refresh            | changes                                                | verb      | update
  refund             |                                                        | verb      | act+
  regenerate         | acts
  register           | changes-surely                                         | only-verb | create+
  reject             | governs changes acts                                   | only-verb | act+
  release            | changes                                                | verb      | act+
  reload             | acts                                                   | verb
  remind             |                                                        |           | act+
  removal            | deletion
  remove             | deletes                                                | only-verb | delete
  rename             | changes-surely updates                                 | only-verb | update+
  render             |                                                        |           | get+
  renew              |                                                        | only-verb
  rent               |                                                        |           | create+
  reopen             |                                                        | only-verb | act+
  reorder            |                                                        | only-verb
  replace            | governs changes-surely changes-data updates            | only-verb | update
  reply              |                                                        | verb      | act+
  report             |                                                        | verb      | act+
  request            | starts started head                                    | verb head | act+
  requeue            | changes changes-data
  rerun              |                                                        |           | act+
  resend             | acts
  reserve            |                                                        |           | create+
  reset              | ends                                                   | verb      | act+
  resize             |                                                        |           | act+
  resolve            |                                                        | only-verb | act+
  restart            | changes-surely acts                                    | only-verb | act+
  restore            | governs changes updates                                | verb      | act+
  results_per_page   |                                                        |           |         | size
  resume             | acts                                                   | only-verb | act+
  retire             |                                                        |           | delete
  retitle            |                                                        |           | update
  retrieve           | governs final reads                                    | only-verb | get
  retry              | acts                                                   | verb      | act+
  return             | tells-read                                             |           | get
  reverse            | governs
  revert             |                                                        | only-verb | act+
  revise             |                                                        |           | update
  revocation         | deletion
  revoke             | deletes                                                | only-verb | delete+
  reword             |                                                        |           | update
  rm                 | deletes
  rollback           |                                                        |           | act+
  rotate             | acts                                                   | only-verb | act+
  rows               |                                                        |           |         | size
  rule               | head                                                   | head
  run                | starts started changes                                 | verb head | act+
  save               | governs changes updates                                | verb      | act+
  schedule           | starts                                                 | verb      | act+
  scrap              |                                                        |           | delete+
  search             | governs noun reads                                     | verb      | list
  secret             | issued
  see                |                                                        |           | get
  select             |                                                        | verb
  send               | changes-surely acts                                    | only-verb | act+
  session            | issued
  set                | governs noun-later changes updates                     | verb      | update
  share              |                                                        | verb      | act+
  show               | governs tells-read                                     | verb      | get
  shred              | ends                                                   |           | delete
  shutdown           | acts                                                   |           | act+
  sign               |                                                        | verb      | act+
  signout            | acts
  since_id           |                                                        |           |         | cursor
  size               |                                                        |           |         | size
  skip               |                                                        | verb      |         | offset
  snooze             |                                                        |           | act+
  spawn              |                                                        |           | create+
  star               |                                                        |           | act+
  start              | starts changes                                         | verb      | act+
  start_at           |                                                        |           |         | offset
  start_cursor       |                                                        |           |         | cursor
  start_index        |                                                        |           |         | offset
  start_record       |                                                        |           |         | offset
  start_token        |                                                        |           |         | cursor
  starting_after     |                                                        |           |         | cursor
  stash              |                                                        |           | create
  status             | head
  statuse            | head
  stop               | switches changes                                       | verb      | act+
  store              |                                                        | verb      | create
  submit             | starts changes                                         | only-verb | act+
  subscribe          | changes                                                | only-verb | act+
  suspend            |                                                        | only-verb | act+
  swap               |                                                        |           | update
  switch             |                                                        | verb      | update+
  sync               | changes                                                | verb      | act+
  tag                | changes
  take               |                                                        |           |         | size
  task               | started head                                           | head
  teardown           | ends
  tell               |                                                        |           | get
  terminate          | deletes                                                | only-verb | act+
  termination        | deletion
  test               | governs noun                                           | verb      | act+
  ticket             | issued
  toggle             |                                                        | verb
  token              | issued                                                 | head
  tokens             | issued
  top                |                                                        |           |         | size
  track              |                                                        |           | act+
  train              |                                                        |           | act+
  transfer           |                                                        | verb      | act+
  translate          |                                                        |           | act+
  trash              | ends                                                   |           | delete+
  trigger            | starts changes acts                                    | verb      | act+
  truncate           | deletes
  tune               |                                                        |           | update
  tweak              |                                                        |           | update
  un                 | governs
  unarchive          |                                                        | only-verb | act+
  unassign           |                                                        | only-verb | delete+
  unblock            |                                                        | only-verb | act+
  undelete           | governs                                                | only-verb
  undo               | governs                                                |           | delete
  unfollow           |                                                        | only-verb | delete+
  uninstall          | deletes                                                | only-verb | delete+
  unlink             |                                                        | only-verb
  unlock             | changes                                                | only-verb | act+
  unmute             |                                                        | only-verb | act+
  unpin              |                                                        | only-verb | delete+
  unpublish          |                                                        | only-verb
  unregister         | deletes
  unsubscribe        | changes acts                                           | only-verb | delete+
  untag              | changes
  update             | governs noun-later changes-surely changes-data updates | verb      | update
  upgrade            |                                                        |           | update+
  upload             | changes-surely                                         | verb      | create+
  upsert             | changes-surely changes-data updates                    | only-verb
  url                | issued
  validate           | governs                                                | only-verb | act+
  verify             |                                                        | only-verb | act+
  view               | governs noun tells-read                                | verb      | get
  void               | ends                                                   | verb      | act+
  vote               |                                                        | verb      | act+
  wait               |                                                        |           | act+
  watch              |                                                        | verb      | act+
  wipe               | deletes deletion                                       |           | delete
  withdraw           | switches                                               | only-verb
  write              | changes updates                                        | verb      | create+
  zap                |                                                        |           | delete
`;

const COLUMNS = ['effect', 'name', 'search', 'paging'] as const;
type Column = (typeof COLUMNS)[number];

/** The words of each role, by `column role`. Plain loops, because this runs once, before the code is optimized (0.6 ms instead of 2). */
const wordsByRole = once((): ReadonlyMap<string, string[]> => {
  const lists = new Map<string, string[]>();
  for (const row of TABLE.split('\n')) {
    const cells = row.split('|');
    const word = cells[0]!.trim();
    for (let index = 1; index < cells.length; index++) {
      const cell = cells[index]!.trim();
      if (cell === '') continue;
      for (const role of cell.split(' ')) {
        const key = `${COLUMNS[index - 1]} ${role}`;
        const list = lists.get(key);
        if (list) list.push(word);
        else lists.set(key, [word]);
      }
    }
  }
  return lists;
});

function wordsOf(column: Column, role: string): ReadonlySet<string> {
  return new Set(wordsByRole().get(`${column} ${role}`));
}

export function effectWords(role: EffectRole): ReadonlySet<string> {
  return wordsOf('effect', role);
}

export function nameWords(role: NameRole): ReadonlySet<string> {
  return wordsOf('name', role);
}

export function searchWords(role: Verb | `${Verb}+`): ReadonlySet<string> {
  return wordsOf('search', role);
}

export function pagingWords(role: PagingRole): ReadonlySet<string> {
  return wordsOf('paging', role);
}

/** `short=full`, for names and for search requests alike. */
const COMMON_ABBREVIATIONS = `app=application auth=authentication config=configuration db=database doc=document env=environment
  info=information org=organization repo=repository`;

/** Used in names only, which are shortened. */
const NAME_ABBREVIATIONS = `admin=administration admin=administrator admins=administrators apps=applications attr=attribute
  attrs=attributes cert=certificate certs=certificates configs=configurations cred=credential creds=credentials dbs=databases
  dev=development dir=directory docs=documentation docs=documents envs=environments id=identifier ids=identifiers mgmt=management
  max=maximum min=minimum orgs=organizations param=parameter params=parameters ref=reference refs=references repos=repositories
  spec=specification stats=statistics temp=temporary`;

/** Read in search requests only; a `-` stands for a blank. */
const SEARCH_ABBREVIATIONS = `pr=pull-request prs=pull-request mr=merge-request msg=message dm=direct-message dms=direct-message
  2fa=two-factor ci=workflow pic=picture vm=virtual-machine vms=virtual-machine whoami=authenticated-user stat=statistic
  fave=favorite convo=conversation vid=video pwd=password acct=account mic=microphone ad=advertisement tel=telephone addr=address`;

function readPairs(...lists: readonly string[]): (readonly [short: string, full: string])[] {
  return lists.flatMap((list) => list.split(/\s+/).map((pair) => pair.split('=') as [string, string]));
}

/** Full word → the short form that everybody uses. */
export const shortForms: () => ReadonlyMap<string, string> = once(
  () => new Map(readPairs(COMMON_ABBREVIATIONS, NAME_ABBREVIATIONS).map(([short, full]) => [full, short])),
);

/** Abbreviation → the words it stands for. */
export const fullForms: () => ReadonlyMap<string, readonly string[]> = once(
  () => new Map(readPairs(COMMON_ABBREVIATIONS, SEARCH_ABBREVIATIONS).map(([short, full]) => [short, full.split('-')])),
);

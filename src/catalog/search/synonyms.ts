// Synonyms, as people use them when they talk about any kind of software, and abbreviations.
import { fullForms } from '../../endpoint/conventions/lexicon.ts';
import { splitWords, stem } from './search-words.ts';

/** Groups of words that mean the same in a request. A word may be in several groups. */
const SYNONYMS = `
search find query lookup filter match seek / cancel stop abort terminate end withdraw / close end finish complete resolve shut / start begin launch trigger run execute dispatch boot initiate
send deliver notify email post write / upload attach import send add / download export save / enable activate allow unlock / disable deactivate suspend block
approve accept confirm review allow / reject decline deny refuse / move transfer migrate relocate / copy clone duplicate fork replicate / assign assignee delegate add
invite invitation join / follow subscribe watch subscription follower / leave quit exit unsubscribe unfollow / unfollow unsubscribe unwatch / rerun retry restart repeat redo again resend
like favorite star bookmark heart save / like react reaction emoji thumb rate rating / vote poll upvote downvote ballot rate / grant permission access role right privilege allow
pause freeze suspend hold snooze / stop halt kill terminate shutdown quit pause / restart reboot reload bounce / shutdown halt poweroff / purge clear flush empty invalidate prune clean
remove kick ban expel evict unassign detach / block ban mute ignore hide blacklist / unblock unban allow / rename name title / undo revert rollback restore reverse
restore recover undelete reactivate / trash bin recycle delete archive / reopen open / resize scale grow shrink size bigger larger smaller / rotate renew refresh regenerate reset
regenerate fresh new reset / sync synchronize refresh reconcile / convert transform change / rate review score rating / report flag abuse complain complaint
schedule plan later delay postpone / remind reminder nudge ping / charge bill pay / pay settle payment / reply answer respond response / ask question request query
generate create make produce draw / transcribe transcription caption subtitle transcript / speak speech voice audio sound / listen stream play audio
watch play stream view / hide private archive mute / show display publish / connect link attach join integrate / disconnect unlink detach / verify confirm validate check test
validate lint check verify / estimate predict forecast calculate / extend renew prolong / merge combine join / split divide / compare diff difference / protect secure lock guard
lock freeze protect / expire expiry ttl / encrypt encryption key / sign signature / draft unpublished / repository project repo codebase code
organization company enterprise workspace business firm tenant / tenant customer organization / customer client contact buyer shopper patron subscriber
supplier vendor seller merchant contact / employee staff worker personnel user / user member account people person profile someone / team group squad department crew
member collaborator participant user attendee guest / responder assignee owner / admin administrator moderator manager owner / guest visitor / lead prospect contact / deal opportunity sale
issue ticket bug incident case problem defect / incident outage alert problem / task todo job chore item / card task item / board project kanban / job run task execution
sprint iteration milestone / epic initiative / backlog queue / comment reply note remark message feedback annotation / message chat text sms mail / mail email letter
channel room conversation thread stream chat / thread conversation discussion topic / discussion conversation topic forum / label tag category keyword topic / folder directory collection
file document attachment content / image picture photo avatar icon thumbnail / photo picture image media asset / video movie film clip media / media asset file upload
song track music audio / album collection gallery / episode show series / recording record capture / playlist queue mix / artist musician band / program show broadcast guide epg
branch ref reference / commit revision change / release version publish / deploy deployment rollout release / workflow pipeline action build job / build compile workflow
pipeline flow automation workflow / log history event activity audit output journal / print output log / webhook hook callback / secret credential password variable
token key credential secret / password passcode pin / notification alert inbox / configuration setting preference option config / alert warning alarm vulnerability
vulnerability weakness cve advisory / status state health condition / health ping alive heartbeat status up / online presence active status session
login session authenticate auth signin token / signup register registration / factor mfa otp / payment charge pay transaction money / refund return reversal reimburse / invoice bill billing
price cost rate amount fee / bill payable / balance fund money credit / subscription plan membership recurring / coupon discount voucher promotion promo / dispute chargeback
order purchase buy / payout withdrawal earning bank / income revenue earning profit turnover sale / owe receivable due outstanding debt / debt payable due / cost spend expense usage spending
receipt expense bill / usage consumption statistic metric quota / statistic stat metric analytics insight report count / count total number sum / graph chart dashboard metric
report summary statement / email mail address / address location place / phone telephone mobile number / call phone ring dial / server host machine instance node droplet
virtual machine vm instance / container pod / database db datastore / disk volume storage space drive / latest newest last recent lately / memory ram / cpu processor core
domain zone site hostname dns / website site page domain web / subnet prefix network cidr / network lan subnet vpc / vlan lan / ip address / certificate ssl tls cert https
firewall rule policy waf / tunnel vpn connection connector / proxy gateway tunnel / balancer loadbalancer / cluster pool fleet / cache cached cdn edge / backup snapshot dump export
image template ami / region location datacenter zone / key ssh public / script worker function lambda / bucket storage container object / object blob file / index collection table
document record entry row point / field property attribute column parameter / switch router device / vector embedding point / schema structure mapping template / model engine / dataset data
error failure exception crash / rule policy condition / limit quota throttle cap / schedule calendar shift rota / oncall call schedule rotation
service application app / app application program integration / plugin extension addon package module / device machine hardware computer / calendar event meeting appointment
meeting call conference webinar / event occasion party / hour opening time schedule / reservation booking book / page article post / post article entry status toot / wiki page
link url shortcut / form survey questionnaire / answer response submission / product item good article / item thing entry element / cart basket / stock inventory warehouse
shipping delivery shipment parcel / tax vat / food meal dish menu / ride trip journey / weather forecast climate / station stop / route path road / location place position geo map
description summary detail info / info information detail about / title subject heading / version revision history / language locale translation / country region nation / time date
subscriber follower listener / friend contact follow / star stargazer starred / diff change patch / hidden private secret / public visible open / enabled active on
disabled inactive off / feature flag toggle / experiment variant / role permission group / visit view traffic hit visitor / say message comment talk / leak expose secret
copy version revision / older previous history past / sticker emoji / badge award achievement / game match / team club / quiz exam / room space place / seat license / license licence
namespace scope / contract agreement / retention keep hold / watermark stamp / deadline due milestone date / actor cast person / cover poster artwork art image / backup restore
wish suggestion idea feature request post / free available spare unused vacant idle / silence shush hush quiet mute snooze disturb / halfway unfinished resume progress continue
next upcoming pending future / overdue due late unpaid outstanding / sub subtitle subscription / snippet gist paste code / leak scan expose breach
offensive abusive hateful violent inappropriate moderation abuse / aloud loud speech voice audio / dictate transcribe transcription / shut close deactivate terminate / mod moderator admin
trace follow path track / paragraph text block content / spam junk abuse report / attack threat ddos security / spammer abuser blocked / traffic analytics visitor request
bandwidth transfer usage traffic / audience segment list subscriber / newsletter campaign broadcast / blacklist blocklist block deny / whitelist allowlist allow / redirect forward route
severity priority urgency / vacation holiday absence leave override / duty oncall shift / voicemail recording / wallet balance credit / trial plan subscription / logo brand theme image
appearance theme look brand / quality resolution transcode / nearby near closest radius geo / nearest similar closest neighbor / similar recommend suggestion related
slow latency performance / drain evacuate cordon / replica copy shard / alias nickname name / paperwork document file / laptop device computer / lost recover forget
newcomer member user invite / teach train finetune tuning / hot popular trending top / love like favorite / tape record recording / carrier provider supplier / staging environment
shot photo picture / homepage website site domain / pager alert incident / downtime maintenance outage window / attacker threat block firewall / stretch extend prolong / line queue
gear equipment device hardware / blurb description topic purpose about / dead exited stopped prune / fight contest dispute / tune song music track / kid child / peek view visit traffic
paint draw image generate / blow spend cost usage / earn income balance payout / stolen lost fraud / loyal discount / boss manager owner / spreadsheet table sheet workbook
heading title header / hire employee user / salary payroll pay / timesheet time hours / ping notify message health / busy active load / ready status available
outage incident status downtime / revenue income sale report / signup register user / freeze pause suspend lock / crawl scan index / wake start resume / broken failed error
gone deleted removed missing trash`;

/** Stemmed by the first search: that takes 9 ms, which a start without a search saves. */
let relatives: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function stemRelated(): ReadonlyMap<string, ReadonlySet<string>> {
  const sets = new Map<string, Set<string>>();
  for (const group of SYNONYMS.split(/[/\n]/)) {
    const stems = splitWords(group).map(stem);
    for (const one of stems) {
      sets.set(one, new Set([...(sets.get(one) ?? []), ...stems.filter((other) => other !== one)]));
    }
  }
  return sets;
}

const NONE: ReadonlySet<string> = new Set();

/** The stems of its synonyms. */
export function relatedTo(wordStem: string): ReadonlySet<string> {
  relatives ??= stemRelated();
  return relatives.get(wordStem) ?? NONE;
}

/** The words that an abbreviation stands for. */
export function spellOut(word: string): readonly string[] | undefined {
  return fullForms().get(word) ?? fullForms().get(word.replace(/s$/, ''));
}

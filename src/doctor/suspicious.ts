// Text that does not describe but steers: hidden characters, and sentences that talk to the model. Documents of APIs are
// full of "you must", "do not" and "ignore"; what makes a sentence an instruction to a model is what it speaks of: its
// instructions, its tools, the user it talks with, what it knows, and places where none of that belongs.
import { findCovert } from '../endpoint/hidden.ts';

/** Where an order begins: at the start of a sentence or clause. "The server does not tell the user" is none. */
const ORDER = String.raw`(?:^|[.!?;:,\n(>*"“]\s{0,4}|\b(?:and|but|please|then|also|so|must|should|always|important)[,:]?\s{1,4})`;
const NOT = String.raw`(?:do not|don['’]t|never|(?:you )?(?:must|should) not|avoid)\s(?:ever\s)?`;
const order = (source: string) => new RegExp(ORDER + source, 'im');

const STEERING: readonly RegExp[] = [
  // "Ignore all previous instructions"
  order(
    String.raw`(?:ignore|disregard|forget|override|bypass|discard)\s[^.\n]{0,40}\b(?:previous|prior|preceding|earlier|above|foregoing|other|all|any|every|your|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|directives?|guardrails?|safety (?:rules|guidelines)|system messages?|what you (?:were|have been) told)\b`,
  ),
  // "Do not tell the user", "never let the user know", "don't mention this to the user"
  order(String.raw`${NOT}(?:tell(?:ing)?|let)\s(?:the\s|any\s|your\s)?(?:user|human|person|operator|anyone|anybody)\b`),
  order(
    String.raw`${NOT}(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|show(?:ing)?|report(?:ing)?|explain(?:ing)?)\s(?:this|these|it|that|them|anything|any of this|the above)\b[^.\n]{0,40}\bto\s(?:the\s|any\s|your\s)?(?:user|human|person|operator|anyone|anybody)\b`,
  ),
  order(
    String.raw`${NOT}(?:inform|alert|warn|notify)\s(?:the\s|your\s)?(?:user|human|person)\s(?:about|of|that)\s(?:this|these|it|you|what you)\b`,
  ),
  /\bwithout (?:telling the (?:user|human)|the (?:user|human)(?:['’]s)? (?:knowing|noticing|knowledge))\b/i,
  /\bsecretly (?:call|send|use|invoke|copy|forward|read|include)\b/i,
  // "You must always call this tool first, before any other tool": operations of an API are not called tools
  /\b(?:must|always|be sure to)\b[^.\n]{0,30}\b(?:call|use|invoke|run|prefer)\b[^.\n]{0,40}\b(?:first|before|instead of)\b[^.\n]{0,30}\b(?:any|every|all|other)\b[^.\n]{0,20}\b(?:tools?|functions?)\b/i,
  /\b(?:before|instead of) (?:using |calling |invoking )?(?:any|every|all)(?: of the)?(?: other)? tools?\b/i,
  // What chat templates put around the words of a system
  /<\|\s?(?:im_start|start_header_id)\s?\|>\s?(?:system|user|assistant)\b|<\|\s?system\s?\|>|\[\/?INST\]|<<\/?SYS>>/i,
  // A tag that is closed holds something; one that is not may stand for a value: /v1/<system>/state
  /<\s{0,5}(important|system|instructions?|secret|hidden|assistant|admin)\s{0,5}>[\s\S]{0,2000}<\s{0,5}\/\s{0,5}\1\s{0,5}>/i,
  /(?:^|[\n.!?]\s{0,5})<\s{0,5}(?:important|system|instructions?)\s{0,5}>\s{0,5}\w+\s+\w+\s+\w+/i,
  // "Repeat your system prompt"
  order(
    String.raw`(?:reveal|print|output|repeat|show|leak|send|include|append|return)\s[^.\n]{0,20}\byour\s(?:system prompt|hidden instructions?|instructions|initial prompt|context window|conversation)\b`,
  ),
  // What the model knows of its user, taken elsewhere
  order(
    String.raw`(?:send|forward|copy|upload|post|exfiltrate|e-?mail|leak|include|append|pass)\s[^.\n]{0,40}\b(?:conversation|chat history|(?:previous|earlier) messages|environment variables|system prompt|ssh keys?|private keys? of|\.env\b|contents? of (?:~|\/etc\/|your))[^\n]{0,60}`,
  ),
  /\bread\s[^.\n]{0,20}(?:~\/\.(?:ssh|aws|config|netrc)|\/etc\/(?:passwd|shadow)|\.env\b)/i,
];

/** Things a caller has, ordered to be sent to an address. Where that is the API's own, this is what its documents are for. */
const DELIVERY = order(
  String.raw`(?:send|forward|copy|upload|post|exfiltrate|leak|report|transmit)\s[^.\n]{0,60}\b(?:results?|responses?|outputs?|answers?|arguments|everything|user data|data|information|credentials?|(?:api )?keys?|tokens?|secrets?|passwords?)\b[^.\n]{0,40}\bto:?\s{1,3}["'\`<(]{0,2}https?:\/\/([a-z0-9.-]{1,200})`,
);

/** A sentence about the first hidden character, or undefined. A mark at the very start of a file means nothing. */
export function findHiddenCharacters(text: string): string | undefined {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const match = findCovert(body);
  if (!match) return undefined;
  const code = match[0].startsWith('\\') ? match[0] : `U+${match[0].codePointAt(0)!.toString(16).toUpperCase()}`;
  const before = body.slice(Math.max(0, match.index - 30), match.index).replace(/\s+/g, ' ');
  return `holds a hidden character (${code}) after “${before}”`;
}

/** A sentence about text that instructs the model, or undefined. `host` is the API's own. */
export function findSuspiciousText(text: string, host = ''): string | undefined {
  const match =
    STEERING.map((pattern) => pattern.exec(text)).find((found) => found !== null) ?? findDelivery(text, host);
  return match ? `talks to the model instead of describing: “${match[0].trim().slice(0, 80)}”` : undefined;
}

function findDelivery(text: string, host: string): RegExpExecArray | null {
  const match = DELIVERY.exec(text);
  return match !== null && siteOf(match[1] ?? '') !== siteOf(host) ? match : null;
}

/** `api.example.com` and `auth.example.com` are one site. */
function siteOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');
}

// Advice for each HTTP status, derived from the status, the operation and the headers of the answer. It states that changing the arguments
// will not help only if that is certain, because a model that reads it stops trying.

/** Facts about a call that the API refused. */
export interface RefusedCall {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  /** The path of the base URL, in front of `path`: `/api/v1`, or empty. */
  readonly basePath: string;
  /** It changes nothing, so it can be repeated safely. */
  readonly isRead: boolean;
  readonly isIdempotent: boolean;
  /** Public arguments by where they go. */
  readonly arguments: {
    readonly path: readonly string[];
    readonly other: readonly string[];
    /** Those that are sent as If-Match and similar headers. */
    readonly condition: readonly string[];
  };
  /** The API did not explain what is wrong. */
  readonly isSilent: boolean;
  /** The media type of the request's body. */
  readonly mediaType?: string | undefined;
  readonly sendsFile: boolean;
  /** The Accept header sent. */
  readonly accept: string;
  /** Variables of the credential that was sent; empty: none was. */
  readonly sentVariables: readonly string[];
  /** Where the sent token came from, if a login issued it: `POST https://…/auth/login`. */
  readonly sentTokenFrom?: string | undefined;
  /** Variables that would have to be set for a credential, as alternatives. */
  readonly unsetVariables: readonly (readonly string[])[];
  /** Arguments with the secrets of a login, if the call is one. */
  readonly loginArguments: readonly string[];
  /** Methods the API's Allow header lists. */
  readonly allow?: string | undefined;
  /** WWW-Authenticate, without secrets. */
  readonly challenge?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The call was signed, and the clocks seem to differ. */
  readonly clock?: { readonly skewSeconds: number | undefined } | undefined;
}

export function adviseStatus(call: RefusedCall): string {
  const isRefused = call.status === 400 || call.status === 401 || call.status === 403;
  if (isRefused && call.clock !== undefined) return adviseClock(call.clock.skewSeconds);
  const advice = (ADVICE[call.status] ?? adviseClass)(call);
  return `${advice}${mentionsWait(call) ? '' : waitFirst(call)}`;
}

function adviseClock(skewSeconds: number | undefined): string {
  const minutes = skewSeconds === undefined ? undefined : Math.round(Math.abs(skewSeconds) / 60);
  const by =
    minutes === undefined ? '' : ` by ${minutes} minutes (the gateway is ${skewSeconds! > 0 ? 'ahead' : 'behind'})`;
  return `The clock of the gateway’s machine differs from the API’s${by}, and a signature is valid for a few minutes only: set the clock (NTP). ${NO_ARGUMENT} ${TELL}`;
}

type Advise = (call: RefusedCall) => string;

const TELL = 'Tell the user.';
const NO_ARGUMENT = 'Changing the arguments will not help.';

const ADVICE: Readonly<Record<number, Advise>> = {
  400: adviseBadRequest,
  401: adviseUnauthorized,
  402: () =>
    'The API wants a payment, or one was declined (balance, plan or quota). The same call will fail until that is settled; tell the user what the answer says.',
  403: adviseForbidden,
  404: (call) => {
    const { path: template, basePath } = call;
    const { path, other } = call.arguments;
    const sight = hasCredential(call) ? `, or is not visible to ${describeCredential(call)}` : '';
    if (path.length > 0)
      return `Check ${list(path)}: what ${path.length > 1 ? 'they name' : 'it names'} does not exist${sight}.`;
    const clause = other.length > 0 ? ', or something the arguments name does not exist' : '';
    // "something … does not exist, or is not visible", but "has nothing …, or it is not visible".
    const view = other.length > 0 ? sight : sight.replace(', or is', ', or it is');
    const prefix =
      basePath === ''
        ? ''
        : ` ${basePath} is the path of the base URL. A base URL without a path takes it from the document; one that ends in /. has none.`;
    return `The API has nothing at ${basePath}${template}${clause}${view}.${prefix} If the arguments are right, the base URL or the document is not this API’s: tell the user.`;
  },
  405: ({ method, allow }) =>
    `The API does not allow ${method} here${allow === undefined ? '' : `, only ${allow}`}: the document does not match this API. ${NO_ARGUMENT} ${TELL}`,
  406: ({ accept }) =>
    `The API cannot answer in a format the gateway asks for (${accept}). Unless an argument chooses the format, only the domain file can change it (response.accept). ${TELL}`,
  407: () => `A proxy between the gateway and the API requires a credential. ${NO_ARGUMENT} ${TELL}`,
  408: (call) => `The API did not get the whole request in time. ${again(call)}`,
  409: () =>
    'It conflicts with the current state: it exists already, or was changed meanwhile. Read it again, then decide.',
  410: ({ arguments: { path } }) =>
    `What ${path.length > 0 ? list(path) : 'this call'} names was there and has been removed for good. Do not repeat the call; look for another one.`,
  411: () => `The API does not accept the request in the form that the gateway sends. ${NO_ARGUMENT} ${TELL}`,
  412: ({ arguments: { condition } }) =>
    condition.length > 0
      ? `It is no longer in the state ${list(condition)} names. Read it again and pass its current version (ETag) in ${list(condition)}.`
      : 'A condition of the API is not met: it was changed meanwhile. Read it again, then decide.',
  413: ({ sendsFile }) =>
    `The request is larger than the API accepts. Send less at a time: ${sendsFile ? 'a smaller file' : 'fewer items, shorter texts'}.`,
  414: () => 'The URL becomes too long: pass fewer or shorter values, or use several calls.',
  415: ({ mediaType, sendsFile }) =>
    `The API does not take ${mediaType ?? 'a request without a body'} here. ${sendsFile ? 'Check the type of the file; if it is right, tell the user.' : `${NO_ARGUMENT} ${TELL}`}`,
  416: () => 'The requested range is outside the available data. Request an earlier part, or all of it.',
  417: () => `The API does not accept the request in the form that the gateway sends. ${NO_ARGUMENT} ${TELL}`,
  421: () => `This server does not answer for that host: the base URL is not right. ${NO_ARGUMENT} ${TELL}`,
  422: (call) =>
    call.isSilent || call.arguments.path.length + call.arguments.other.length === 0
      ? adviseBadRequest(call)
      : 'The arguments are well formed, but the API does not accept their values. Fix them as the answer says and call again.',
  423: () => 'It is locked by somebody. Try again later, or unlock it if you are allowed to.',
  424: () => 'Something this depends on failed before. Look at that first; then call again.',
  425: () => 'The API refused to process the request so early and has done nothing. Call again.',
  426: () =>
    `The API requires another protocol, mostly https:// or a newer version: the base URL is not right. ${NO_ARGUMENT} ${TELL}`,
  428: ({ arguments: { condition } }) =>
    condition.length > 0
      ? `The API acts only on a state you have seen: read it first, then pass its version (ETag) in ${list(condition)}.`
      : `The API acts only with a condition (If-Match), and this operation has no argument for one. ${TELL}`,
  429: (call) => `Too many requests: wait ${waitOf(call)}, then call again.`,
  431: () => 'The headers become too large: pass shorter values in arguments that are sent as headers or cookies.',
  451: () => 'It is withheld for legal reasons. Asking in another way will not help; tell the user.',
  501: () => `The API has not implemented this. ${NO_ARGUMENT} ${TELL}`,
  502: (call) => `A server in front of the API got no usable answer from it. ${again(call)}`,
  503: (call) => `The API is not available at the moment. ${again(call)}`,
  504: (call) =>
    `A server in front of the API got no answer from it in time. ${again(call)} A smaller question may be quicker.`,
  505: () => `The API does not support the gateway’s version of HTTP. ${NO_ARGUMENT} ${TELL}`,
  507: () => `The API has no room left to store this. Something has to be removed there first. ${TELL}`,
  508: () => `The API found an endless loop: what this refers to leads back to itself. ${TELL}`,
  511: () => `The network between the gateway and the API requires a login. ${NO_ARGUMENT} ${TELL}`,
};

function hasCredential({ sentVariables, sentTokenFrom }: RefusedCall): boolean {
  return sentVariables.length > 0 || sentTokenFrom !== undefined;
}

/** The credential or token that was sent, in words. */
function describeCredential({ sentVariables, sentTokenFrom }: RefusedCall): string {
  const variables = list(sentVariables);
  if (sentTokenFrom === undefined) return `the credential in ${variables}`;
  return `the token from ${sentTokenFrom}${variables === '' ? '' : ` (${variables})`}`;
}

/** Other arguments cannot help if the challenge is about the credential, or if the call has no arguments. */
function adviseUnauthorized(call: RefusedCall): string {
  const { challenge, unsetVariables, loginArguments } = call;
  if (loginArguments.length > 0) return adviseLogin(call);
  const why = challenge === undefined ? '' : ` (it says: ${challenge})`;
  const names = [...call.arguments.path, ...call.arguments.other];
  if (hasCredential(call)) {
    const refusal = `The API does not accept ${describeCredential(call)}${why}: it is wrong or has expired`;
    if (challenge !== undefined || names.length === 0) return `${refusal}. ${NO_ARGUMENT} ${TELL}`;
    return `${refusal}, or may not do this with ${list(names.slice(0, 4))}. If other calls to this API work, check the arguments; if none does, tell the user.`;
  }
  const alternatives = unsetVariables.map((set) => list(set)).filter((set) => set !== '');
  const fix =
    alternatives.length > 0
      ? `set ${[...new Set(alternatives)].join(', or ')} in the environment of the gateway and restart it`
      : 'the document names none for this operation; one can be given in its domain file (credentials) or with --header';
  return `The API requires a credential${why} and none was sent: ${fix}. ${NO_ARGUMENT} ${TELL}`;
}

/** If a login is refused, its arguments are wrong. */
function adviseLogin({ loginArguments, arguments: { other } }: RefusedCall): string {
  const names = other.filter((name) => !loginArguments.includes(name)).slice(0, 3);
  return `The API does not accept this login: check ${list([...names, ...loginArguments])}, or ask the user for them.`;
}

/** Many APIs answer 403 for things that do not exist, to keep that secret; others for a single field. */
function adviseForbidden(call: RefusedCall): string {
  if (call.retryAfterSeconds !== undefined)
    return `The API accepts no more requests for now: wait ${waitOf(call)}, then call again.`;
  if (call.loginArguments.length > 0) return adviseLogin(call);
  const { path, other } = call.arguments;
  const reasons = [
    ...(path.length + other.length > 0 ? [', or what the arguments name is not open to it'] : []),
    ...(path.length > 0 ? [` or does not exist (check ${list(path)})`] : []),
    ...(other.length > 0 && !call.isRead ? [', or a field is not allowed'] : []),
  ];
  const alternatives = hasCredential(call)
    ? []
    : call.unsetVariables.map((set) => list(set)).filter((set) => set !== '');
  const fix = alternatives.length > 0 ? ` A credential can be set: ${[...new Set(alternatives)].join(', or ')}.` : '';
  const who = hasCredential(call) ? describeCredential(call) : 'a call without a credential';
  return `The API does not allow this to ${who}: a permission, scope or role is missing${reasons.join('')}.${fix} The same call again will not help. ${TELL}`;
}

function adviseClass(call: RefusedCall): string {
  const { status } = call;
  if (status < 300) return 'The API did not answer with a result.';
  if (status < 400)
    return `The API redirects without an address, so nothing was followed. ${call.isRead ? '' : 'The call may have taken effect: look before you repeat it. '}${TELL}`;
  return status < 500 ? adviseBadRequest(call) : `The API has an internal problem. ${again(call)}`;
}

function adviseBadRequest({ isSilent, arguments: { path, other } }: RefusedCall): string {
  const names = [...path, ...other];
  if (names.length === 0) return 'The call has no arguments to fix; tell the user what the API answered.';
  if (!isSilent) return 'Fix the arguments as the answer says and call again.';
  return `The API does not say what is wrong. Compare ${list(names.slice(0, 8))} with their descriptions (formats, units, values that belong together) and change what does not fit; if all of it fits, tell the user.`;
}

/** Whether and when the same call may be made again. */
function again(call: RefusedCall): string {
  const when = call.retryAfterSeconds === undefined ? 'later' : `in ${waitOf(call)}`;
  if (call.isRead) return `It is safe to try again ${when}.`;
  if (call.isIdempotent) return `The call may have taken effect; repeating it ${when} leads to the same state.`;
  return `The call may have taken effect: look before you repeat it${call.retryAfterSeconds === undefined ? '' : `, and not before ${waitOf(call)} have passed`}.`;
}

const SAYS_WHEN: ReadonlySet<number> = new Set([403, 408, 429, 502, 503, 504]);

function mentionsWait({ status, retryAfterSeconds }: RefusedCall): boolean {
  return retryAfterSeconds === undefined || SAYS_WHEN.has(status) || (status >= 500 && ADVICE[status] === undefined);
}

function waitFirst(call: RefusedCall): string {
  return ` The API asks to wait ${waitOf(call)} before the next call.`;
}

const MINUTE = 60;
const HOUR = 3_600;

function waitOf({ retryAfterSeconds: seconds }: RefusedCall): string {
  if (seconds === undefined) return 'a few seconds';
  const plain = seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (seconds < 2 * MINUTE) return plain;
  return seconds < 2 * HOUR
    ? `${plain} (about ${Math.round(seconds / MINUTE)} minutes)`
    : `${plain} (about ${Math.round(seconds / HOUR)} hours)`;
}

function list(names: readonly string[], word = 'and'): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

// W3C trace context from `_meta`, checked before it is sent to an API as headers.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const MEMBER = /^[a-z0-9][_0-9a-z\-*/@]{0,255}=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
const BAGGAGE_ENTRY =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*(;[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)*$/;

export function parseTrace(
  meta: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, string>> | undefined {
  const parent = meta?.traceparent;
  const baggage = meta?.baggage;
  if (parent === undefined && baggage === undefined) return undefined;
  const trace: Record<string, string> = {};
  if (typeof parent === 'string' && TRACEPARENT.test(parent)) {
    trace.traceparent = parent;
    const state = meta?.tracestate;
    // W3C: tracestate means nothing without a valid traceparent; at most 32 members.
    if (typeof state === 'string' && isList(state, MEMBER, 32, 512)) trace.tracestate = state;
  }
  if (typeof baggage === 'string' && isList(baggage, BAGGAGE_ENTRY, 64, 8192)) trace.baggage = baggage;
  return Object.keys(trace).length > 0 ? trace : undefined;
}

function isList(text: string, member: RegExp, most: number, maxChars: number): boolean {
  if (text.length > maxChars) return false;
  // Optional whitespace is removed for the check only, so that no pattern has to backtrack over it.
  if (!/^[\x20-\x7e]*$/.test(text)) return false;
  const members = text.split(',').map((part) => part.replaceAll(' ', ''));
  return members.length <= most && members.every((part) => member.test(part));
}

// How long the end of a transport waits for whom.

/** Who sends one thing after the other sends the next one within this time: whoever was quiet for as long may be closed. */
export const QUIET_MS = 250;
/** The same where a proxy keeps connections for whoever comes next. */
export const POOLED_QUIET_MS = 1_000;
/** From connecting to the first byte: a handshake and a way there and back. */
export const FIRST_BYTE_MS = 1_000;
/** How often connections are looked at meanwhile. */
export const LOOK_MS = 50;
/** What was answered a moment ago must still reach its client; one that does not read cannot keep us from ending. */
export const FLUSH_MS = 500;

// How long the end of a transport waits, and for what.

/**
 * A client that sends one request after another sends the next within this time: after that, a quiet connection may be closed.
 */
export const QUIET_MS = 250;
/** The same for connections that a proxy keeps for its next client. */
export const POOLED_QUIET_MS = 1_000;
/** From connecting to the first byte: a handshake and a way there and back. */
export const FIRST_BYTE_MS = 1_000;
/** How often connections are looked at meanwhile. */
export const LOOK_MS = 50;
/** The last answer must still reach its client, but one that does not read must not delay the end. */
export const FLUSH_MS = 500;

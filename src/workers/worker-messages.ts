// Messages between the primary and its workers over cluster's channel. Both are of the same build, so nothing is parsed.

/** What a worker is told when it begins. */
export interface Begin {
  /** 1, 2, 3 …: the replacement of a worker that died gets the same number. */
  readonly slot: number;
  /** How many there are. */
  readonly workers: number;
  /** No worker has served yet: this one makes the announcement. */
  readonly isFirst: boolean;
  /** What seals confirmations and sessions in all workers, where no other secret is configured. */
  readonly secret: string;
  /** Ports to ask for in place of those that the settings leave open. */
  readonly ports: Ports;
  /** Of the admin listener, which the primary has. */
  readonly adminPort?: number | undefined;
}

export interface Ports {
  readonly http?: number | undefined;
  readonly tcp?: number | undefined;
}

/** What is said once everything is up. */
export interface Announcement {
  readonly stdout: string;
  /** Where a person reads it on a terminal. */
  readonly stderr: string;
  /** Where a program does: lines of the log. */
  readonly lines: readonly AnnouncedLine[];
}

export interface AnnouncedLine {
  readonly level: 'info' | 'warn';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What a worker says when it listens. */
export interface Ready {
  readonly ports: Ports;
  /** Of the tools it serves: workers whose digests differ have read different files. */
  readonly catalogDigest: string;
  /** Of the first worker. */
  readonly announcement?: Announcement | undefined;
}

/** Why a worker could not start, as a GatewayError has it. */
export interface StartFailure {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type ToWorker =
  | { readonly kind: 'begin'; readonly begin: Begin }
  /** Finish what is under way, and end. */
  | { readonly kind: 'stop'; readonly why: string }
  /** End now. */
  | { readonly kind: 'end' }
  /** What SIGHUP means to a process alone. */
  | { readonly kind: 'hangup' }
  | { readonly kind: 'ping' }
  /** No new connections will come, and those on their way have arrived. */
  | { readonly kind: 'left' }
  | Note;

export type ToPrimary =
  /** It listens for messages from now on; cluster drops earlier ones. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  | { readonly kind: 'pong' }
  /** Connections should go to other workers. */
  | { readonly kind: 'leaving' }
  | Note;

/** A message between two parts of the program that know each other by a topic. */
export interface Note {
  readonly kind: 'note';
  readonly topic: string;
  readonly body: unknown;
}

/** One topic of the way between two processes. Messages are JSON values. */
export interface Channel {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** State shared by all workers, if there is no Redis. */
export const STATE_TOPIC = 'state';

/** Tells a process that it is a worker, and of which slot. It is taken out of the environment at once. */
export const SLOT_VARIABLE = 'LANDBRIDGE_WORKER_SLOT';

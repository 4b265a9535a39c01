// Messages between the primary and its workers over cluster's channel. Both run the same build, so nothing is parsed.

/** The start message for a worker. */
export interface WorkerStart {
  /** 1, 2, 3 …: the replacement of a worker that died gets the same number. */
  readonly slot: number;
  /** How many workers there are. */
  readonly workers: number;
  /** No worker has served yet: this one writes the announcement. */
  readonly isFirst: boolean;
  /** Signs confirmations and sessions in all workers, if no other secret is configured. */
  readonly secret: string;
  /** Ports to use in place of those that the settings leave open. */
  readonly ports: Ports;
  /** The port of the admin listener, which belongs to the primary. */
  readonly adminPort?: number | undefined;
}

export interface Ports {
  readonly http?: number | undefined;
  readonly tcp?: number | undefined;
}

/** Printed once everything is up. */
export interface Announcement {
  readonly stdout: string;
  /** For a person at a terminal. */
  readonly stderr: string;
  /** For programs: lines of the log. */
  readonly lines: readonly AnnouncedLine[];
}

export interface AnnouncedLine {
  readonly level: 'info' | 'warn';
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** The report of a worker that listens. */
export interface WorkerReady {
  readonly ports: Ports;
  /** A digest of the tools it serves: workers whose digests differ have read different files. */
  readonly catalogDigest: string;
  /** From the first worker only. */
  readonly announcement?: Announcement | undefined;
}

/** Why a worker could not start: the fields of a GatewayError. */
export interface StartFailure {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type ToWorker =
  | { readonly kind: 'begin'; readonly begin: WorkerStart }
  /** Finish the calls in progress, and end. */
  | { readonly kind: 'stop'; readonly why: string }
  /** End now. */
  | { readonly kind: 'end' }
  /** Do what a single process does on SIGHUP. */
  | { readonly kind: 'hangup' }
  | { readonly kind: 'ping' }
  /** No new connections will come, and those on their way have arrived: the answer to `leaving`. */
  | { readonly kind: 'left' }
  | TopicMessage;

export type ToPrimary =
  /** It listens for messages from now on; cluster drops earlier ones. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly ready: WorkerReady }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  | { readonly kind: 'pong' }
  /** New connections should go to other workers. */
  | { readonly kind: 'leaving' }
  | TopicMessage;

/** A message of one topic, between two modules that agree on the topic. */
export interface TopicMessage {
  readonly kind: 'note';
  readonly topic: string;
  readonly body: unknown;
}

/** The messages of one topic between two processes. They are JSON values. */
export interface WorkerChannel {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** State shared by all workers, if there is no Redis. */
export const STATE_TOPIC = 'state';

/** Marks a process as the worker of a slot. It is removed from the environment at once. */
export const SLOT_VARIABLE = 'LANDBRIDGE_WORKER_SLOT';

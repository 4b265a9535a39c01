// How a message of a legacy HTTP client reaches the process that runs its call: answers and cancellations are separate requests, which
// any replica or worker may receive.

export interface MessageBus {
  /** The address of this process: sixteen hexadecimal digits. */
  readonly address: string;
  /** False while no message would arrive. */
  readonly isUsable: boolean;
  /** Never rejects. */
  send(to: string, text: string): Promise<Delivery>;
  /** Sends to all other processes; delivery is not confirmed. */
  sendAll(text: string): void;
  /** Calls `listener` with every message to this process. */
  receive(listener: (text: string) => void): void;
}

/** `nobody`: no process has that address now. `away`: it is unknown whether one has it. */
export type Delivery = 'delivered' | 'nobody' | 'away';

// How a message of a legacy HTTP client finds the process where its call runs: its answers and cancellations come in requests
// of their own, and any replica or worker may get them.

export interface Letters {
  /** Of this process: sixteen hexadecimal digits. */
  readonly address: string;
  /** False while none would arrive. */
  readonly isUsable: boolean;
  /** Never rejects. */
  send(to: string, text: string): Promise<Delivery>;
  /** To all others; nobody says whether it arrived. */
  sendAll(text: string): void;
  /** Told every letter to this process. */
  receive(listener: (text: string) => void): void;
}

/** `nobody`: no process has that address now. `away`: nobody can tell. */
export type Delivery = 'delivered' | 'nobody' | 'away';

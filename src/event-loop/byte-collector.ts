// Collects bytes that arrive in pieces in one growing buffer. A list of pieces would cost about a hundred bytes for each of them,
// however small: a megabyte sent byte by byte would take a hundred megabytes.
const FIRST_BYTES = 16 * 1024;
const EMPTY = Buffer.alloc(0);

export class ByteCollector {
  #buffer = EMPTY;
  #length = 0;

  constructor(first?: Buffer) {
    if (first !== undefined) this.add(first);
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

// Bytes that come in pieces, kept in one growing block. A list of pieces costs about a hundred bytes for each of them,
// however small: a megabyte sent byte by byte would take a hundred.
const FIRST_BYTES = 16 * 1024;
const EMPTY = Buffer.alloc(0);

export class ByteCollector {
  #block = EMPTY;
  #length = 0;

  constructor(first?: Buffer) {
    if (first !== undefined) this.add(first);
  }

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#block.length) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, length * 2));
      this.#block.copy(larger, 0, 0, this.#length);
      this.#block = larger;
    }
    piece.copy(this.#block, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.#length);
  }
}

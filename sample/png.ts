// Writes a real PNG: the board as three bars. Small enough to read, and enough to show image answers end to end.
import { deflateSync } from 'node:zlib';

type Rgb = readonly [number, number, number];

/** Bars side by side, `heights` between 0 and 1, one colour each, on white. */
export function drawBars(heights: readonly number[], colours: readonly Rgb[], width = 240, height = 120): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3), 0xff);
  const slot = Math.floor(width / Math.max(1, heights.length));
  for (let y = 0; y < height; y++) {
    const row = y * (1 + width * 3);
    rows[row] = 0; // filter type of this row: none
    for (let x = 0; x < width; x++) {
      const bar = Math.floor(x / slot);
      const inside = x % slot > slot / 8 && x % slot < slot - slot / 8;
      if (!inside || y < height - Math.round((heights[bar] ?? 0) * (height - 8)) - 4 || y >= height - 4) continue;
      const [r, g, b] = colours[bar % colours.length]!;
      rows.set([r, g, b], row + 1 + x * 3);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB, deflate, no filter set, not interlaced
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** PNG specification, annex D. Node 20's zlib has no crc32 before 20.15. */
function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

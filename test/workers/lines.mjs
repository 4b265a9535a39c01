// Writes lines of many lengths to stdout, as fast as they are taken: node lines.mjs <who> <how many>
import { LineWriter } from '../../dist/log-writer.js';

const [who, count] = process.argv.slice(2);
const writer = new LineWriter(1, true);
for (let line = 0; line < Number(count); line++) {
  writer.write(`${JSON.stringify({ who, line, text: 'x'.repeat((line * 37) % 1_500) })}\n`);
  if (line % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await new Promise((resolve) => writer.flush(resolve));

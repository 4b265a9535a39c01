// Stands in for answer-worker: does what the tool's name says.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ input }) => {
  if (input.tool === 'dies') process.exit(1);
  if (input.tool === 'throws') throw new Error('broken');
  if (input.tool === 'hangs') for (;;);
  const reply = () =>
    parentPort.postMessage({ answer: { status: 200, ok: true, content: [{ type: 'text', text: input.tool }] } });
  setTimeout(reply, input.tool === 'is slow' ? 200 : 0);
});

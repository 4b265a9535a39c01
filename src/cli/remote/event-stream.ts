// Server-sent events that carry JSON: the answers of an MCP server while a call is in progress.
import { parseJson } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';

/** More than any answer of a gateway; a stream that never ends a line must not fill the memory. */
const MAX_EVENT_CHARS = 256 * 1024 * 1024;

/** The data of each event, parsed. Events that are not JSON are left out. */
export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let line: string[] = [];
  let data: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const pieces = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
    for (const [index, piece] of pieces.entries()) {
      line.push(piece);
      size += piece.length;
      if (size > MAX_EVENT_CHARS) throw new GatewayError('BAD_CONFIG', 'The answer is too long to be read.');
      if (index === pieces.length - 1) continue;
      const text = line.join('').replace(/\r$/, '');
      line = [];
      if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5));
      if (text !== '' || data.length === 0) continue;
      const event = parseJson(data.join('\n'));
      data = [];
      size = 0;
      if (event !== undefined) yield event;
    }
  }
}

// Answers that come piece by piece: JSON lines and server-sent events → lists.
import { parseJson } from '../lossless.ts';

const MAX_EVENTS = 10_000;
const MAX_LINES = 50_000;

/** One JSON document per line; a line that is none stays as text. */
export function parseLines(text: string): unknown[] {
  const lines = text.split(/[\n\u001e]/).filter((line) => line.trim() !== '');
  const values = lines.slice(0, MAX_LINES).map((line) => parseOr(line.trim()));
  return lines.length > MAX_LINES ? [...values, `… +${lines.length - MAX_LINES} lines`] : values;
}

function parseOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The events of a stream: their data, with the event's name where it has one. */
export function parseEvents(text: string): unknown[] {
  const events: unknown[] = [];
  let data: string[] = [];
  let name = '';
  const flush = () => {
    const payload = data.join('\n');
    if (data.length > 0 && payload !== '[DONE]') {
      events.push(name === '' || name === 'message' ? parseOr(payload) : { event: name, data: parseOr(payload) });
    }
    data = [];
    name = '';
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (events.length >= MAX_EVENTS) return [...events, `… more than ${MAX_EVENTS} events`];
    if (line === '') flush();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  }
  flush();
  return events;
}

// A call from within this process, by nobody in particular: what is not known about a call is taken from here.
import type { Call } from '../call/handler.ts';

const call: Call = {
  requestId: 'local',
  tool: '',
  principal: { id: 'local' },
  transport: 'local',
  signal: new AbortController().signal,
  client: { era: 'modern', capabilities: {} },
};

export const LOCAL_CALL: Call = Object.freeze(call);

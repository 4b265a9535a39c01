// What is asked of Redis in one step each.
import { toScript } from './redis-link.ts';

/**
 * The bucket of limits/rate.ts, on Redis' own clock. KEYS: when it will be full again. ARGV: milliseconds of one token, of the
 * whole bucket. Answers 0, or microseconds until there is a token.
 */
export const TAKE = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local fullAt = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + ARGV[1]
local wait = fullAt - now - ARGV[2]
if wait > 0.001 then return math.ceil(wait * 1000) end
redis.call('SET', KEYS[1], string.format('%.6f', fullAt), 'PX', math.ceil(fullAt - now) + 1000)
return 0
`);

/**
 * Spends a permission. KEYS: its nonce, the mark of this memory. ARGV: the mark it was issued under, milliseconds it is to be
 * remembered. Answers 1 the first time, 0 ever after, -1 where the memory is another one by now.
 */
export const SPEND = toScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return -1 end
if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[2]) then return 1 end
return 0
`);

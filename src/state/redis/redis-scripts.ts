// The Lua scripts, each executed by Redis in one step.
import { toScript } from './redis-link.ts';

/**
 * The bucket of limits/rate.ts, on Redis' own clock. KEYS: when it will be full again. ARGV: milliseconds of one token, of the
 * whole bucket; how many at most. Answers how many were taken or, as a negative number, microseconds until there is one.
 */
export const TAKE = toScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local token = tonumber(ARGV[1])
local used = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) - now
local count = math.min(tonumber(ARGV[3]), math.floor((ARGV[2] + 0.001 - used) / token))
if count < 1 then return -math.ceil((used + token - ARGV[2]) * 1000) end
used = used + count * token
redis.call('SET', KEYS[1], string.format('%.6f', now + used), 'PX', math.ceil(used) + 1000)
return count
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

/**
 * Who gets an access token for all. KEYS: what is kept of it (its generation, a dot, the rest), whose turn it is. ARGV: the
 * generation that is of no use, who asks, milliseconds of a turn.
 */
export const CLAIM = toScript(`
local entry = redis.call('GET', KEYS[1])
local generation = entry and string.match(entry, '^[^.]*')
if entry and generation ~= '' and generation ~= ARGV[1] then return {'there', entry} end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return {'ours', entry or ''} end
return {'busy', ''}
`);

/** Ends a turn. KEYS as above. ARGV: whose it was, what is kept from now on, for how many milliseconds; nothing: as it was. */
export const FINISH = toScript(`
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
redis.call('DEL', KEYS[2])
return 1
`);

/** Extends a turn. KEYS: whose it is. ARGV: who extends it, for how many milliseconds. */
export const GO_ON = toScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

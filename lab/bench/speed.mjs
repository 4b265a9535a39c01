// tools/list and tools/call of `landbridge serve` beside the raw limit, in time and memory; where they are present also a
// careful gateway written by hand and another gateway of the same kind, in the same rounds.
import { prepareLab } from './cache.mjs';
import { countPerRequest, whyNoCounters } from './instructions.mjs';
import { generatorOf } from './load.mjs';
import { findTool, listTools, OPERATIONS } from './messages.mjs';
import { measurePairs, median } from './pairs.mjs';
import { findPeer, missingPeer, PEER, sideOfPeer, startPeer } from './peers.mjs';
import { CORES, peakMb, residentMb } from './processes.mjs';
import { sideOf, startLandbridge, startLimit, startUpstream } from './servers.mjs';
import { fixed, percent, renderTable, whole } from './table.mjs';

/** Of the limit's speed, by CPU per request. */
const AIM = { list: 0.95, get: 0.83, create: 0.88, biglist: 0.9 };
const P99_AIM = 1.5;
const MEMORY_AIM = { rest: 85, load: 130 };
/** Legacy clients take the same way below the envelope, so two rows tell the difference; peers are measured in all. */
const LEGACY = ['list', 'get'];
/** What differs most with the room there is for garbage. */
const ROOMY = ['get', 'biglist'];
/** The young generation sized for a server: the limit then is `gc-semi64` of the shared harness. */
const ROOMY_FLAGS = ['--max-semi-space-size=64'];
/** `sane-full` of the shared harness: the limit that validates with ajv and writes a line per call with pino. */
const CAREFUL = { VAL: 'ajv', LOG: 'pino-async', HDR: '1' };
const REST_MS = 500;
/**
 * Samples are longer here than elsewhere, for the sake of p99: libuv lets in one connection per turn of the event loop, so the first calls
 * of 64 connections take long, and in a sample of a second they would be more than one in a hundred.
 */
const LONGER = 4;

export async function measureSpeed(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const peer = findPeer(options.peers);
  const pairs = [];
  const servers = [];
  const wanted = (keys) => keys.filter((key) => options.operations.includes(key));
  const start = async (name, starting) => {
    const server = await starting;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    servers.push({ label: name, pid: server.pid, restMb: residentMb(server.pid) });
    return server;
  };
  const add = async (era, keys, landbridge, limit, { note = '', othersOf = async () => ({}) } = {}) => {
    const names = await listTools(landbridge.port);
    for (const key of wanted(keys)) {
      const operation = OPERATIONS[key];
      const named = { ...operation, ...(operation.tool && { tool: findTool(names, operation.tool) }) };
      const base = await sideOf(limit, era, [operation]);
      pairs.push({
        label: `${era}  ${operation.label}${note}`,
        aim: AIM[key],
        ours: await sideOf(landbridge, era, [named]),
        base,
        others: await othersOf(operation, base),
      });
    }
  };
  const landbridge = await start('landbridge', startLandbridge(options, lab.document, upstream));
  if (options.eras.includes('modern')) {
    const limit = await start('limit', startLimit(lab, 'modern', upstream));
    const careful = lab.isShared && (await startLimit(lab, 'modern', upstream, { settings: CAREFUL }));
    const othersOf = async (operation) => (careful ? { careful: await sideOf(careful, 'modern', [operation]) } : {});
    await add('modern', Object.keys(OPERATIONS), landbridge, limit, { othersOf });
    const flags = ROOMY_FLAGS;
    const roomy = await start('landbridge, semi64', startLandbridge(options, lab.document, upstream, { flags }));
    const roomyLimit = await start('limit, semi64', startLimit(lab, 'modern', upstream, { flags }));
    await add('modern', ROOMY, roomy, roomyLimit, { note: ', semi64' });
  }
  if (options.eras.includes('legacy')) {
    const limit = await start('limit, legacy', startLimit(lab, 'legacy', upstream));
    const server = peer && (await start(PEER, startPeer(peer, lab.document, upstream)));
    const othersOf = async (operation, base) =>
      server ? { peer: await sideOfPeer(server, operation, base.requests[0].body) } : {};
    await add('legacy', server ? Object.keys(OPERATIONS) : LEGACY, landbridge, limit, { othersOf });
  }
  const rows = await measurePairs(pairs, upstream, { ...options, seconds: options.seconds * LONGER });
  const noCounters = whyNoCounters();
  for (const [index, row] of rows.entries()) {
    const { aim, ours, base } = pairs[index];
    row.aim = aim;
    if (noCounters !== undefined) continue;
    row.instructions = await countPerRequest(ours, options);
    row.baseInstructions = await countPerRequest(base, options);
  }
  return {
    limit: lab.name,
    peer: peer?.version,
    noPeer: peer ? undefined : missingPeer(options.peers),
    noCounters,
    rows,
    memory: weigh(servers, pairs, rows),
  };
}

/** Under load: what a process had at the end of its samples, in the middle of all its rows. */
function weigh(servers, pairs, rows) {
  return servers.map(({ label, pid, restMb }) => {
    const values = pairs.flatMap(({ ours, base, others }, index) => [
      ...(ours.pid === pid ? [rows[index].residentMb] : []),
      ...(base.pid === pid ? [rows[index].baseResidentMb] : []),
      ...(others.peer?.pid === pid ? [rows[index].others.peer.residentMb] : []),
    ]);
    return { label, restMb, loadMb: median(values), mostMb: peakMb(pid) };
  });
}

export function renderSpeed({ limit, peer, noPeer, noCounters, rows, memory }, options) {
  const where = CORES === undefined ? 'nothing pinned' : 'one core for the gateway, the other for load and upstream';
  const title = `\nLandbridge beside the raw limit (${limit}: node:http in, undici Pool.dispatch out)
${options.rounds} interleaved rounds of ${options.seconds * LONGER} s, ${options.connections} connections by ${generatorOf(options.seconds * LONGER)}, ${where}; limit = 1.00, more is better\n`;
  const head = [
    '',
    'throughput',
    'CPU/request',
    'aim',
    '+-',
    'req/s',
    'limit',
    'us CPU',
    'limit',
    'p99 ms',
    'limit',
    `x (<= ${P99_AIM})`,
    'noise',
  ];
  const body = rows.map((row) => [
    row.label,
    fixed(row.throughput),
    fixed(row.cpu),
    row.aim.toFixed(2),
    percent(row.spread.cpu),
    ...[row.rps, row.baseRps].map(whole),
    ...[row.cpuUs, row.baseCpuUs, row.p99, row.baseP99].map((value) => fixed(value, 1)),
    fixed(row.p99Ratio),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  return [
    `${title}${renderTable(head, body)}\n  +-: scatter of CPU/request; noise: cores other programs used meanwhile; above 0.2 repeat the run`,
    renderOthers(
      rows,
      'careful',
      'The limit with ajv, header checks and a log line per call (sane-full), in the same rounds',
    ),
    peer === undefined ? `  ${noPeer}` : renderOthers(rows, 'peer', `${PEER} ${peer}, in the same rounds`),
    renderInstructions(rows, noCounters),
    renderMemory(memory),
  ]
    .filter(Boolean)
    .join('\n');
}

/** What else was measured beside the limit, and landbridge beside that. */
function renderOthers(rows, name, title) {
  const present = rows.filter(({ others }) => others[name] !== undefined);
  if (present.length === 0) return '';
  const head = ['', 'CPU/request', 'throughput', 'us CPU', 'p99 ms', 'landbridge to it', 'throughput'];
  const body = present.map((row) => {
    const other = row.others[name];
    return [
      row.label,
      fixed(other.cpu),
      fixed(other.throughput),
      fixed(other.cpuUs, 1),
      fixed(other.p99, 1),
      `${fixed(other.cpuUs / row.cpuUs)}x`,
      `${fixed(row.rps / other.rps)}x`,
    ];
  });
  return `\n${title}; limit = 1.00\n${renderTable(head, body)}`;
}

function renderInstructions(rows, noCounters) {
  if (noCounters !== undefined) return `  instructions per request: not available, ${noCounters}`;
  const cells = (row) => [
    row.label,
    whole(row.instructions),
    whole(row.baseInstructions),
    fixed(row.baseInstructions / row.instructions),
  ];
  return `\nInstructions per request in user space, which noise does not change\n${renderTable(['', 'landbridge', 'limit', 'ratio'], rows.map(cells))}`;
}

function renderMemory(memory) {
  const cells = ({ label, restMb, loadMb, mostMb }) => [label, ...[restMb, loadMb, mostMb].map(whole)];
  const aim = ['aim', `<= ${MEMORY_AIM.rest}`, `<= ${MEMORY_AIM.load}`, ''];
  return `\nResident memory in MB\n${renderTable(['', 'at rest', 'under load', 'most'], [...memory.map(cells), aim])}`;
}

/** What --compare compares. */
export function figuresOfSpeed({ rows, memory }) {
  return [
    ...rows.flatMap(({ label, cpu, throughput, p99Ratio, spread, instructions }) => [
      { label, what: 'CPU/request', value: cpu, spread: spread.cpu, better: 'more' },
      { label, what: 'throughput', value: throughput, spread: spread.throughput, better: 'more' },
      { label, what: `p99 to the limit's`, value: p99Ratio, spread: spread.p99Ratio, better: 'less' },
      ...(instructions === undefined
        ? []
        : [{ label, what: 'instructions', value: instructions, spread: 0.01, better: 'less' }]),
    ]),
    ...memory
      .filter(({ label }) => label.startsWith('landbridge'))
      .flatMap(({ label, restMb, loadMb }) => [
        { label, what: 'MB at rest', value: restMb, spread: MEMORY_SPREAD, better: 'less' },
        { label, what: 'MB under load', value: loadMb, spread: MEMORY_SPREAD, better: 'less' },
      ]),
  ];
}
/** When the collector was last at work decides about as much. */
const MEMORY_SPREAD = 0.05;

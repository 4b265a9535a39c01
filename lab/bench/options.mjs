// What `npm run bench` is told on its command line.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** In the order they are measured. */
export const PART_NAMES = ['speed', 'scale', 'calls', 'lines', 'identity', 'cold', 'connections', 'process', 'import'];

export const HELP = `npm run bench -- [options]
  --only <parts>      of ${PART_NAMES.join(', ')} (default: all)
  --rounds <n>        interleaved rounds per row (default 3 to 6, by part)
  --seconds <n>       length of one sample (default 1; of speed four times as long)
  --connections <n>   keep-alive connections of the load generator (default 64)
  --eras <eras>       of modern, legacy (default: both)
  --operations <ops>  of list, get, create, biglist (default: all)
  --peers <folder>    whose node_modules has @ivotoby/openapi-mcp-server: measured as well
  --save <file>       keep the results for --compare
  --compare <file>    what has changed since these results were saved
  --own               the raw limit of this folder, even where the shared one is present
  --log <file>        where landbridge's log goes (default /dev/null)
  --json              print JSON
  --cli <file>        another build of the gateway: its dist/cli/main.js
  --node-flags <f,f>  flags for the gateway's node`;

const OPTIONS = {
  rounds: { type: 'string' },
  seconds: { type: 'string', default: '1' },
  connections: { type: 'string', default: '64' },
  only: { type: 'string', default: PART_NAMES.join() },
  eras: { type: 'string', default: 'modern,legacy' },
  operations: { type: 'string', default: 'list,get,create,biglist' },
  peers: { type: 'string' },
  save: { type: 'string' },
  compare: { type: 'string' },
  own: { type: 'boolean', default: false },
  log: { type: 'string', default: '/dev/null' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  cli: { type: 'string', default: fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)) },
  'node-flags': { type: 'string', default: '' },
};

/** Throws where something is asked for that there is not. */
export function parseOptions(args) {
  const { values } = parseArgs({ args, options: OPTIONS });
  return {
    parts: listOf('only', values.only, PART_NAMES),
    // Undefined: each part has a number of its own.
    rounds: values.rounds === undefined ? undefined : positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: positive('connections', values.connections),
    eras: listOf('eras', values.eras, ['modern', 'legacy']),
    operations: listOf('operations', values.operations, ['list', 'get', 'create', 'biglist']),
    peers: values.peers,
    save: values.save,
    compare: values.compare,
    own: values.own,
    log: values.log,
    json: values.json,
    help: values.help,
    cli: values.cli,
    nodeFlags: values['node-flags'].split(',').filter(Boolean),
  };
}

function positive(name, text) {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not "${text}".`);
  return number;
}

function listOf(name, text, allowed) {
  const words = text.split(',').filter(Boolean);
  const strange = words.filter((word) => !allowed.includes(word));
  if (strange.length > 0)
    throw new Error(`--${name}: there is no ${strange.join(', ')}; choose of ${allowed.join(', ')}.`);
  return words;
}

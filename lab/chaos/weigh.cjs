// Loaded into every gateway of a run (--require): on SIGUSR2 it collects garbage and writes down what is left, so that
// memory before and after can be compared.
const { writeFileSync, renameSync } = require('node:fs');
const { join } = require('node:path');
const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const folder = process.env.CHAOS_WEIGHTS;
if (folder) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    // What was only kept by finalisers and timers of the first one.
    setTimeout(() => {
      collect();
      const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
      const young = getHeapSpaceStatistics()
        .filter(({ space_name }) => space_name.startsWith('new_'))
        .reduce((sum, { physical_space_size }) => sum + physical_space_size, 0);
      const file = join(folder, `${process.pid}.json`);
      writeFileSync(`${file}.new`, JSON.stringify({ rss, young, heapUsed, external, arrayBuffers }));
      renameSync(`${file}.new`, file);
    }, 100).unref();
  });
}

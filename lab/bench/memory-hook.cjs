// Loaded into a gateway (--require): on SIGUSR2 it writes down how much memory is in use, without collecting anything, so that
// what a request allocates can be counted where the young generation has room for all of it.
const { writeFileSync, renameSync } = require('node:fs');

const file = process.env.BENCH_MEMORY_FILE;
if (file) {
  process.on('SIGUSR2', () => {
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ usedBytes: heapUsed + external }));
    renameSync(`${file}.new`, file);
  });
}

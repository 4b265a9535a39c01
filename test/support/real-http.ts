// For suites that speak HTTP to a server of their own: nock steps aside, so that what a test writes is what goes over the wire.
// Nothing in these suites leaves loopback.
import { syncBuiltinESMExports } from 'node:module';
import nock from 'nock';

/** To be called by a test file before its tests; setup.ts brings nock back for the next file. */
export function useRealHttp(): void {
  nock.restore();
  // What modules imported from node:http while nock was active is nock's until this.
  syncBuiltinESMExports();
}

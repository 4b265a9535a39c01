// For suites that speak HTTP to a server of their own: nock steps out of the way, so that what a test writes is what
// goes over the wire. Nothing in these suites leaves loopback.
import nock from 'nock';

nock.restore();

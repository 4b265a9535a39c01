// No test talks to anything but this machine: whatever nock does not answer must be on loopback.
import nock from 'nock';

nock.disableNetConnect();
nock.enableNetConnect((host) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host));

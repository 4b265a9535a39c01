// No test talks to anything but this machine: what nock does not answer must be on loopback, and so must every connection of
// suites that set nock aside (real-http.ts). Programs that tests start are processes of their own, without this guard.
import nock from 'nock';
import { refuseToLeave } from './loopback-only.ts';

// Test files share a process, and the one before may have set nock aside.
if (!nock.isActive()) nock.activate();
nock.disableNetConnect();
nock.enableNetConnect((host) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host));
refuseToLeave();

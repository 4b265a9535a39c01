// node --import: writes the address of every script the process has read, each on a line, to the file SCRIPTS_FILE when it ends.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const session = new Session();
const urls = [];
session.connect();
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
session.post('Debugger.enable');
process.on('exit', () => writeFileSync(process.env.SCRIPTS_FILE, urls.join('\n')));

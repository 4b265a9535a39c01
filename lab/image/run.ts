// `npm run image`: builds the Dockerfile for real (buildah) on a base made of Debian's own packages (debootstrap), and runs the
// image for real (runc): as its user, on a root file system that cannot be written, with no capability, as process 1.
// Needs root and these programs; where one is missing it says so and ends with 0, unless --strict is given.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBase, IMAGE, inspectImage, makeImage, mountImage } from './build.ts';
import { type Container, runContainer } from './container.ts';

const missing = ['buildah', 'debootstrap', 'runc', 'npm'].filter((name) => spawnSync('which', [name]).status !== 0);
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) {
  console.log(`SKIPPED: the image is not built here: ${missing.join(', ')} missing.`);
  process.exit(process.argv.includes('--strict') ? 1 : 0);
}

const folder = mkdtempSync(join(tmpdir(), 'landbridge-image-'));
const failures: string[] = [];
function check(what: string, holds: boolean, seen: unknown = ''): void {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${JSON.stringify(seen)}`}`);
  if (!holds) failures.push(what);
}

const OPEN = ['serve', '--allow-unauthenticated'];
const NODE = '/usr/local/bin/node';

function checkConfiguration(config: ReturnType<typeof inspectImage>): void {
  check('it runs as 65532, and as nobody else', config.User === '65532:65532', config.User);
  check('no shell stands between Node.js and the signals', config.Entrypoint?.[0] === NODE, config.Entrypoint);
  check('it has a health check without a shell', config.Healthcheck?.Test[0] === 'CMD', config.Healthcheck);
  check('its variables hold no secret', !(config.Env ?? []).join().match(/TOKEN|PASSWORD|SECRET/i), config.Env);
}

function checkFiles(root: string): void {
  const absent = [
    'bin/sh',
    'usr/bin/env',
    'usr/local/bin/npm',
    'root/.npmrc',
    'run/secrets/ca',
    'app/src',
    'app/node_modules/vitest',
  ];
  const there = absent.filter((path) => existsSync(join(root, path)));
  check('it holds no shell, no npm, no sources, no secrets of the build', there.length === 0, there);
  const needed = [
    'app/dist/cli/main.js',
    'app/domains/tasks.yaml',
    'app/docs/schemas/config.schema.json',
    'app/LICENSE',
  ];
  check(
    'it holds the program, its samples and its schemas',
    needed.every((path) => existsSync(join(root, path))),
  );
}

async function callTool(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tasks_get_task","arguments":{"id":1}}}',
  });
  return answer.text();
}

/** The samples, with nothing mounted. */
async function checkSamples(root: string): Promise<void> {
  const container = await runContainer({ root, folder, args: OPEN });
  await container.listening();
  check('the samples are served with nothing mounted', (await callTool(container.port)).includes('"result"'));
  const health = container.exec([NODE, '/app/dist/cli/main.js', 'health', '--live']);
  check('its health check says so', health.status === 0, health);
  checkWriting(container);
  const first = container.exec([NODE, '-p', 'require("fs").readFileSync("/proc/1/cmdline", "utf8").split("\\0")[1]']);
  check('the gateway is process 1', first.stdout.trim() === '/app/dist/cli/main.js', first);
  const code = await container.stop();
  check('SIGTERM ends process 1 with 0', code === 0, [code, container.said()]);
}

function checkWriting(container: Container): void {
  const places = ['/', '/app', '/etc/landbridge', '/usr/local/bin', '/var/lib/landbridge', '/tmp'];
  const script = `console.log(JSON.stringify(${JSON.stringify(places)}.map((place) => {
    try { require("fs").writeFileSync(place + "/probe", ""); return place; } catch (error) { return error.code; } })))`;
  const { stdout } = container.exec([NODE, '-e', script]);
  const want = JSON.stringify(['EROFS', 'EROFS', 'EROFS', 'EROFS', 'EROFS', '/tmp']);
  check('nothing can be written but /tmp', stdout.trim() === want, stdout);
}

async function checkRefusal(root: string): Promise<void> {
  const container = await runContainer({ root, folder, args: ['serve'] });
  const code = await container.ended;
  check(
    'without callers it does not start, and says why',
    code === 1 && /Refusing to listen on 0\.0\.0\.0/.test(container.said()),
    [code, container.said()],
  );
}

/** As a deployment has it: settings and domains mounted read-only, a folder for the audit trail. */
async function checkDeployment(root: string): Promise<void> {
  const [settings, state] = [join(folder, 'settings'), join(folder, 'state')];
  mkdirSync(settings);
  mkdirSync(state);
  spawnSync('chown', ['65532:65532', state]);
  const key = 'the-key-of-the-first-caller-in-a-file';
  writeFileSync(join(settings, 'key'), key, { mode: 0o644 });
  writeFileSync(
    join(settings, 'landbridge.yaml'),
    'domains: [/app/domains/tasks.yaml]\nauth: { keys: [{ name: first, file: ./key }] }\naudit: { file: /var/lib/landbridge/audit.jsonl }\n',
    { mode: 0o644 },
  );
  spawnSync('chmod', ['755', folder, settings]);
  const binds = { '/etc/landbridge': { from: settings, readonly: true }, '/var/lib/landbridge': { from: state } };
  const container = await runContainer({ root, folder, args: ['serve'], binds });
  await container.listening();
  check('settings that are mounted count', (await callTool(container.port)).includes('Unauthorized'));
  const health = container.exec([NODE, '/app/dist/cli/main.js', 'health']);
  check('landbridge health reads the same settings', health.stdout.trim() === 'ready', health);
  check('it ends with 0', (await container.stop()) === 0, container.said());
  check('the audit trail is in its volume', existsSync(join(state, 'audit.jsonl')));
}

/** The kernel ignores signals that process 1 has said nothing about: while it starts, too, somebody must. */
async function checkEarlySignal(root: string): Promise<void> {
  const container = await runContainer({ root, folder, args: OPEN });
  const code = await container.insist();
  check('SIGTERM ends it while it starts', code === 143 && !container.said().includes('serving'), [
    code,
    container.said(),
  ]);
}

try {
  ensureBase(folder);
  makeImage();
  checkConfiguration(inspectImage());
  const image = mountImage();
  try {
    checkFiles(image.root);
    await checkRefusal(image.root);
    await checkSamples(image.root);
    await checkDeployment(image.root);
    await checkEarlySignal(image.root);
  } finally {
    image.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures.length === 0 ? `${IMAGE} is as it should be.` : `${failures.length} FAILED.`);
process.exit(failures.length === 0 ? 0 : 1);

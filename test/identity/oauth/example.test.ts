// examples/oauth/ask.mjs says in one sentence what is not running. The guide for teams runs the rest of the example.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../documentation/blocks.ts';
import { useRealHttp } from '../../support/real-http.ts';
import { startRecorder } from '../../support/recorder.ts';

useRealHttp();

function ask(resource: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [join(ROOT, 'examples/oauth/ask.mjs'), resource], (error, _, stderr) =>
      resolve({ code: error?.code, stderr }),
    ),
  );
}

test('ask.mjs names the program to start, without a stack trace', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const gateway = await startRecorder(({ url }, response) => {
    const challenge = `Bearer scope="board.read", resource_metadata="${gateway.origin}/metadata"`;
    if (url === '/metadata') response.end(JSON.stringify({ authorization_servers: [nowhere] }));
    else response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const withoutIssuer = await ask(`${gateway.origin}/mcp`);
  expect(withoutIssuer.code).toBe(1);
  expect(withoutIssuer.stderr.trimEnd().split('\n').at(-1)).toBe(`Nothing listens at ${nowhere}; start issuer.mjs.`);
  await gateway.close();
  const withoutGateway = await ask(`${nowhere}/mcp`);
  expect(withoutGateway).toEqual({
    code: 1,
    stderr: `Nothing listens at ${nowhere}/mcp. Start the gateway with "landbridge serve".\n`,
  });
});

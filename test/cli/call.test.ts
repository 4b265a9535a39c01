// call, explain and tools with files, with a profile, and with the address of a running gateway.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificates } from '../support/certificates.ts';
import { run, type Served, serve } from '../support/cli.ts';
import { startUpstream } from '../support/upstream.ts';

let folder: string;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-call-'));
  upstream = await startUpstream(({ method, url }, response) => response.end(JSON.stringify({ method, url })));
  const document = {
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: upstream.url }],
    paths: {
      '/pets/{petId}': {
        parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'get_pet', summary: 'Gets one pet.', tags: ['pet'] },
        delete: { operationId: 'delete_pet', summary: 'Deletes one pet.', tags: ['pet'] },
      },
      '/shops': { get: { operationId: 'list_shops', summary: 'Lists the shops.', tags: ['shop'] } },
    },
  };
  await writeFile(join(folder, 'pets.json'), JSON.stringify(document));
  await writeFile(
    join(folder, 'profiles.yaml'),
    'reader: { effects: [read] }\nsearcher: { domains: [pets], exposure: search }\ncareful: { confirm: ask }\n',
  );
});
afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

const cli = (...args: string[]) => run(args, { cwd: folder });

test('call prints only the answer on stdout, for jq; notes go to stderr', async () => {
  const { stdout, stderr } = await run(['call', 'tasks_list_tasks', 'status=todo']);
  expect(JSON.parse(stdout)).toHaveLength(10);
  expect(stderr).toContain('showing 10 items; next: page=2');
});

test('call names the command that lists tools', async () => {
  const { code, stderr } = await cli('call', './pets.json', 'get_pets', 'petId=7');
  expect([code, stderr]).toEqual([
    1,
    'landbridge: Unknown tool: get_pets. Did you mean get_pet? "landbridge tools" shows what there is.\n',
  ]);
});

test('a destructive call without its credential is refused before a person is asked', async () => {
  const text =
    'name: vault\nbaseUrl: http://127.0.0.1:1\ncredentials: { key: { kind: bearer, env: VAULT_KEY } }\nendpoints: { remove: { method: DELETE, path: /look, summary: Removes. } }\n';
  await writeFile(join(folder, 'vault.yaml'), text);
  const { code, stderr } = await cli('call', './vault.yaml', 'vault_remove');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('vault_remove needs a credential that is not configured'),
  ]);
});

test('a secret that is an ordinary word is named at start, without its value', async () => {
  const tools = (key: string) => run(['tools', join(folder, 'vault.yaml')], { cwd: tmpdir(), env: { VAULT_KEY: key } });
  const { stdout } = await tools('museum');
  expect(stdout).toContain('The secret in VAULT_KEY looks like an ordinary word.');
  expect(stdout).not.toContain('museum');
  expect((await tools('museum-42')).stdout).not.toContain('ordinary word');
});

test('doctor says that it examines the samples', async () => {
  const { stderr } = await run(['doctor'], { cwd: tmpdir() });
  expect(stderr).toBe('There is no folder ./domains here, so the doctor examines the sample APIs of the package.\n');
});

describe('the arguments of call and explain', () => {
  test.each([
    [['./pets.json', 'get_pet', 'petId=7']],
    [['get_pet', 'petId=7', './pets.json']],
    [['get_pet', 'petId=7', '--domains', 'pets.json']],
  ])('call %j accepts files before and after the tool', async (words) => {
    const { code, stdout } = await cli('call', ...words);
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { method: 'GET', url: '/pets/7' } });
  });

  test.each<[string[], Record<string, string>, string, string]>([
    [
      [],
      {},
      'it destroys data',
      "either (the user's answer, or a token if the user cannot be asked): it is the default",
    ],
    [
      ['--guard', 'confirm', '--confirm', 'ask'],
      {},
      'this gateway was started with --guard confirm',
      "ask (only the user's own answer): this gateway was started with --confirm ask",
    ],
    [
      [],
      { LANDBRIDGE_CONFIRM: 'token' },
      'it destroys data',
      'token (a token that the client sends back; the user is not asked): this gateway was started with --confirm token',
    ],
    [
      ['--profile', 'careful'],
      {},
      'it destroys data',
      "ask (only the user's own answer): this profile says confirm: ask",
    ],
  ])('explain %j with %j shows how a call is confirmed and why', async (flags, env, guard, confirm) => {
    const words = ['explain', './pets.json', 'delete_pet', ...flags];
    const { stdout } = await run(words, { cwd: folder, env });
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/, ' '));
    expect(lines).toContain(`guard confirm: ${guard}`);
    expect(lines).toContain(`confirm ${confirm}`);
    const { guard: policy } = JSON.parse((await run([...words, '--json'], { cwd: folder, env })).stdout);
    expect(policy).toEqual({ policy: 'confirm', because: guard });
  });

  test.each([[['./pets.json', 'get_pet']], [['GET /pets/{petId}', './pets.json']]])(
    'explain %j finds the tool in the file',
    async (words) => {
      const { code, stdout } = await cli('explain', ...words, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ tool: 'get_pet', operation: 'GET /pets/{petId}' });
    },
  );

  test.each([
    [['call'], 'No tool is named: give its name and, before or after it, its files'],
    [
      ['call', './pets.json'],
      'No tool is named: give its name after the files, for example: landbridge call ./pets.json get_pet petId=7.',
    ],
    [
      ['call', 'get_pet', 'seven'],
      'Several words could be the name of the tool: "get_pet", "seven". Give one name, write arguments as',
    ],
    [['explain', 'a', 'b'], 'Several words could be the name of the tool: "a", "b"'],
  ])('%j explains the right form and exits with 2', async (args, sentence) => {
    const { code, stderr } = await cli(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('call prints the answer on stdout, with --json as one line, and notes on stderr', async () => {
    const text = `name: vault\nbaseUrl: ${upstream.url}\ncredentials: { key: { kind: bearer, env: VAULT_KEY } }\nendpoints: { look: { path: /look, summary: Looks. } }\n`;
    await writeFile(join(folder, 'vault.yaml'), text);
    const options = { cwd: folder, env: { VAULT_KEY: 'open-sesame-42' } };
    const plain = await run(['call', 'vault.yaml', 'vault_look'], options);
    expect(JSON.parse(plain.stdout)).toEqual({ method: 'GET', url: '/look' });
    expect(plain.stderr).toBe(`credential VAULT_KEY → ${upstream.url}\n`);
    const json = await run(['call', 'vault.yaml', 'vault_look', '--json'], options);
    expect(json.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ resultType: 'complete' });
  });
});

describe('--profile', () => {
  test('tools lists the tools of the profile in its exposure', async () => {
    const names = async (profile: string) => {
      const { stdout } = await cli('tools', 'pets.json', '--profile', profile, '--json');
      return (JSON.parse(stdout) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await names('reader')).toEqual(['get_pet', 'list_shops']);
    expect(await names('searcher')).toEqual(['search_operations', 'describe_operation', 'call_operation']);
  });

  test('call knows only the tools of the profile, and calls by name those behind search', async () => {
    const refused = await cli('call', 'pets.json', 'delete_pet', 'petId=7', '--yes', '--profile', 'reader');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Unknown tool: delete_pet.');
    const called = await cli('call', 'pets.json', 'get_pet', 'petId=7', '--profile', 'searcher');
    expect(JSON.parse(called.stdout)).toEqual({ method: 'GET', url: '/pets/7' });
  });

  test('explain and doctor see only the profile', async () => {
    const { stderr } = await cli('explain', 'pets.json', 'delete_pet', '--profile', 'reader');
    expect(stderr).toContain('There is no tool "delete_pet"');
    const all = await cli('doctor', 'pets.json', '--json');
    const reader = await cli('doctor', 'pets.json', '--json', '--profile', 'reader');
    const toolsOf = (text: string) => (JSON.parse(text) as { tools: number }).tools;
    expect([toolsOf(all.stdout), toolsOf(reader.stdout)]).toEqual([3, 2]);
  });

  test('an unknown profile is an error that lists the profiles', async () => {
    const { code, stderr } = await cli('tools', 'pets.json', '--profile', 'raeder');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no profile "raeder". The profiles are: reader, searcher, careful.');
  });
});

describe.each(['tools', 'grouped', 'search'])('--url of a gateway that serves %s', (exposure) => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(['pets.json', '--exposure', exposure], { cwd: folder });
  });
  afterAll(() => server.stop());

  test('call accepts the name of an operation', async () => {
    const { code, stdout } = await cli('call', '--url', server.http, 'get_pet', 'petId=7');
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { method: 'GET', url: '/pets/7' } });
  });

  test('call asks for confirmation of a destructive operation; --yes confirms it', async () => {
    const refused = await cli('call', '--url', server.http, 'delete_pet', 'petId=7');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`DELETE ${upstream.url}/pets/7`);
    expect(refused.stderr).toContain('--yes');
    const done = await cli('call', '--url', server.http, 'delete_pet', 'petId=7', '--yes');
    expect(JSON.parse(done.stdout)).toEqual({ method: 'DELETE', url: '/pets/7' });
  });

  test('a misspelt name gets a suggestion', async () => {
    const { code, stderr } = await cli('call', '--url', server.http, 'get_pets', 'petId=7');
    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean get_pet?');
  });

  test('tools lists the gateway’s tools, and explain shows one of them', async () => {
    const { stdout } = await cli('tools', '--url', server.http, '--json');
    const { tools, tokens } = JSON.parse(stdout) as { tools: { name: string }[]; tokens: number };
    expect(tools.length).toBe({ tools: 3, grouped: 4, search: 3 }[exposure]);
    expect(tokens).toBeGreaterThan(0);
    expect((await cli('explain', '--url', server.http, 'get_pet')).stdout).toContain('petId');
  });
});

describe('--url', () => {
  test('--profile and the address of a profile reach the same tools', async () => {
    const server = await serve(['pets.json'], { cwd: folder });
    for (const words of [
      ['--url', server.http, '--profile', 'reader'],
      ['--url', `${server.http}/reader`],
    ]) {
      const { stdout } = await cli('call', ...words, 'get_pet', 'petId=7');
      expect(JSON.parse(stdout)).toEqual({ method: 'GET', url: '/pets/7' });
      expect((await cli('call', ...words, 'delete_pet', 'petId=7', '--yes')).stderr).toContain('Unknown tool');
    }
    await server.stop();
  });

  test('sends --header with its variables replaced, and says when the gateway needs one', async () => {
    const heard: (string | undefined)[] = [];
    const door = await startUpstream(({ headers }, response) => {
      heard.push(headers.authorization as string | undefined);
      response.statusCode = 401;
      response.end('{}');
    });
    const words = ['call', '--url', `${door.url}/mcp`, 'get_pet', '--header', `Authorization: Bearer \${TOKEN}`];
    const { code, stderr } = await run(words, { cwd: folder, env: { TOKEN: 'open-sesame-42' } });
    expect(code).toBe(1);
    expect(heard).toEqual(['Bearer open-sesame-42']);
    expect(stderr).toContain(`needs a key or token (401): add --header 'Authorization: Bearer \${TOKEN}'`);
    expect(stderr).not.toContain('open-sesame-42');
    expect((await cli(...words)).stderr).toContain('--header Authorization needs the environment variable TOKEN');
    await door.close();
  });

  test('prints the gateway’s message about a wrong key and about a path that the key may not use', async () => {
    const door = await startUpstream(({ url }, response) => {
      response.writeHead(url === '/mcp' ? 401 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: `Not at ${url}.` } }));
    });
    const words = ['get_pet', '--header', 'X-API-Key: nope'];
    const { stderr } = await cli('call', '--url', `${door.url}/mcp`, ...words);
    expect(stderr).toContain(`${door.url}/mcp (401): Not at /mcp.`);
    expect((await cli('call', '--url', `${door.url}/mcp/x`, ...words)).stderr).toContain('(404): Not at /mcp/x.');
    await door.close();
  });

  test('explains what is wrong with an address', async () => {
    const page = await startUpstream(({ url }, response) => {
      if (url === '/moved') response.writeHead(308, { location: '/mcp' });
      else response.writeHead(url === '/nowhere' ? 404 : 200, { 'content-type': 'text/html' });
      response.end('<p>Hello</p>');
    });
    const say = async (url: string) => (await cli('call', '--url', url, 'get_pet')).stderr;
    expect(await say(`${page.url}/moved`)).toContain('redirects to /mcp: give that address to --url');
    expect(await say(`${page.url}/nowhere`)).toContain('A gateway serves /mcp, and each of its profiles at');
    expect(await say(page.url)).toContain('with a web page, so it is not an MCP server');
    expect(await say(page.url)).not.toContain('https://?');
    await page.close();
    // An origin that has not been called: this process may still have a connection to the other one.
    const gone = await startUpstream(() => {});
    await gone.close();
    expect(await say(gone.url)).toContain('nothing listens there. Start the gateway with "landbridge serve"');
    expect(await say('localhost')).toContain('--url must be the address of a running gateway');
  });

  test.each([502, 503, 504])('a web page with %i comes from a proxy in front of the gateway', async (status) => {
    const proxy = await startUpstream((_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<h1>nginx</h1>');
    });
    const { stderr } = await cli('tools', '--url', `${proxy.url}/mcp`);
    expect(stderr).toContain(
      `A proxy at ${proxy.url}/mcp answered ${status}: the gateway behind it is down, is restarting, or does not answer in time.`,
    );
    expect(stderr).not.toContain('MCP server');
    await proxy.close();
  });

  test('a web page with 400 at an http:// address may be a port for TLS', async () => {
    const port = await startUpstream((_, response) => {
      response.writeHead(400, { 'content-type': 'text/html' });
      response.end('<h1>The plain HTTP request was sent to HTTPS port</h1>');
    });
    expect((await cli('tools', '--url', port.url)).stderr).toContain('Does this port need https://?');
    await port.close();
  });

  test('a certificate that is not trusted is reported with the variable that adds its authority', async () => {
    const certificates = createCertificates();
    const own = createTlsServer(certificates.authority('own'), (_, response) => response.end());
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(own.address() as AddressInfo).port}`;
    const advice = 'set NODE_EXTRA_CA_CERTS=ca.pem, a file with the certificate of its authority.';
    expect((await cli('tools', '--url', url)).stderr).toContain(advice);
    expect((await cli('health', '--url', url)).stderr).toContain(advice);
    own.close();
    certificates.remove();
  });

  test('with --json prints an unreachable server as data on stdout', async () => {
    const gone = await startUpstream(() => {});
    await gone.close();
    for (const words of [['call', 'get_pet'], ['tools'], ['explain', 'get_pet']]) {
      const { code, stdout } = await cli(...words, '--url', gone.url, '--json');
      expect(code).toBe(1);
      const message = expect.stringContaining('nothing listens there');
      expect(JSON.parse(stdout)).toEqual({ error: { code: 'BAD_CONFIG', message } });
    }
  });

  test('works with jq as call --help shows', async () => {
    expect((await cli('call', '--help')).stdout).toContain(`--json | jq -r '.content[0].text'`);
    const server = await serve(['pets.json'], { cwd: folder });
    const { stdout } = await cli('call', '--url', server.http, 'get_pet', 'petId=7', '--json');
    const { content } = JSON.parse(stdout) as { content: { text: string }[] };
    expect(JSON.parse(content[0]!.text)).toEqual({ method: 'GET', url: '/pets/7' });
    await server.stop();
  });

  test('tools shows a write that replaces values as a write', async () => {
    const path = { summary: 'A pet.', args: { id: { type: 'integer', required: true } } };
    const endpoints = {
      get: { ...path, path: '/pets/{id}' },
      add: { path: '/pets', method: 'POST', summary: 'Adds a pet.' },
      replace: { ...path, path: '/pets/{id}', method: 'PUT' },
      remove: { ...path, path: '/pets/{id}', method: 'DELETE' },
    };
    const domain = { name: 'zoo', baseUrl: upstream.url, endpoints };
    await writeFile(join(folder, 'zoo.json'), JSON.stringify(domain));
    await writeFile(join(folder, 'none.yaml'), '{}\n');
    const server = await serve(['zoo.json', '--exposure', 'tools', '--profiles', 'none.yaml'], { cwd: folder });
    const { tools } = JSON.parse((await cli('tools', '--url', server.http, '--json')).stdout) as {
      tools: { name: string; effect: string }[];
    };
    await server.stop();
    expect(Object.fromEntries(tools.map(({ name, effect }) => [name, effect]))).toEqual({
      zoo_get: 'read',
      zoo_add: 'write',
      zoo_replace: 'write or destructive',
      zoo_remove: 'destructive',
    });
  });

  test('refuses files, and flags about files', async () => {
    const url = 'http://127.0.0.1:3333/mcp';
    const withFile = await cli('call', '--url', url, './pets.json', 'get_pet');
    expect(withFile).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('./pets.json cannot be used with --url'),
    });
    const withFlag = await cli('call', '--url', url, 'get_pet', '--read-only');
    expect(withFlag).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--read-only cannot be used with --url'),
    });
  });

  test('a server of 2025-11-25 (the official SDK) is called with initialize, and may ask questions', async () => {
    const door = await startOldServer();
    const { code, stdout } = await cli('call', '--url', door.url, 'forget', 'what=all', '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'forgot all: accept\n' });
    await door.close();
  });
});

/** Streaming, with sessions, and a tool that asks before it answers. */
async function startOldServer(): Promise<{ url: string; close(): Promise<void> }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => 'the-only-one',
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: 'old', version: '1' });
    const { z } = await import('zod');
    server.registerTool('forget', { inputSchema: { what: z.string() } }, async ({ what }, { sendRequest }) => {
      const requestedSchema = { type: 'object' as const, properties: { confirm: { type: 'boolean' as const } } };
      const question = { method: 'elicitation/create' as const, params: { message: 'Really?', requestedSchema } };
      const { action } = await sendRequest(question, ElicitResultSchema);
      return { content: [{ type: 'text', text: `forgot ${what}: ${action}` }] };
    });
    await server.connect(transport as never);
    return transport;
  };
  const http = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    await (known ?? (await open())).handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

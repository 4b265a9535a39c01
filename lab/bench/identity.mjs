// What it costs to know who calls: the same requests with an API key, with an access token seen before, and with every call
// written to an audit trail, beside a gateway that asks nobody.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { prepareLab } from './cache.mjs';
import { findTool, listTools, OPERATIONS } from './messages.mjs';
import { measurePairs } from './pairs.mjs';
import { sideOf, startLandbridge, startUpstream } from './servers.mjs';
import { fixed, percent, renderTable } from './table.mjs';

const PUBLIC_URL = 'http://127.0.0.1:3998';
/** One caller makes all the load. */
const LIMITS = { perPrincipal: { rate: '100000000/s', concurrent: 10_000 } };

export async function measureIdentity(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-bench-'));
  const issuer = await startIssuer();
  const key = `lb_${randomBytes(32).toString('base64url')}`;
  const auth = {
    keys: [{ name: 'bench', sha256: createHash('sha256').update(key).digest('hex') }],
    oauth: [{ issuer: issuer.url }],
  };
  const start = (name, settings) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, JSON.stringify({ publicUrl: PUBLIC_URL, limits: LIMITS, ...settings }));
    const token = settings.auth === undefined ? undefined : key;
    return startLandbridge(options, lab.document, upstream, { args: ['--config', file], token });
  };
  try {
    const open = await start('open', {});
    const closed = await start('closed', { auth });
    const audited = await start('audited', { audit: { file: join(folder, 'audit.jsonl') } });
    const names = await listTools(open.port);
    const callers = [
      ['an API key', closed, key],
      ['an access token', closed, await issuer.mint(`${PUBLIC_URL}/mcp`)],
      ['an audit trail', audited, undefined],
    ];
    const pairs = [];
    for (const operation of [OPERATIONS.list, OPERATIONS.get]) {
      const named = { ...operation, ...(operation.tool && { tool: findTool(names, operation.tool) }) };
      const base = await sideOf(open, 'modern', [named]);
      for (const [what, gateway, token] of callers) {
        // Lists are not written down.
        if (what === 'an audit trail' && operation.tool === undefined) continue;
        pairs.push({
          label: `${operation.label}, with ${what}`,
          ours: await sideOf(gateway, 'modern', [named], token),
          base,
        });
      }
    }
    return await measurePairs(pairs, upstream, options);
  } finally {
    issuer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/jwks` }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    mint: (audience) =>
      new SignJWT({ scope: 'api.read', client_id: 'bench' })
        .setProtectedHeader({ alg: 'ES256', kid: 'bench', typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject('bench')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function renderIdentity(rows) {
  const title =
    '\nWhat it costs to know who calls, beside a gateway that asks nobody (1.00 = nothing; aim: CPU/request 0.90)\n';
  const head = ['', 'throughput', 'CPU/request', '+-', 'us CPU', 'without', 'noise'];
  const body = rows.map((row) => [
    row.label,
    ...[row.throughput, row.cpu].map((ratio) => fixed(ratio)),
    percent(row.spread.cpu),
    ...[row.cpuUs, row.baseCpuUs].map((us) => fixed(us, 1)),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  return title + renderTable(head, body);
}

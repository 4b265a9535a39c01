// Logs in as an MCP client does, without a browser: 401 → metadata → authorization server → code with PKCE → token.
// What happens goes to stderr, the token to stdout: TOKEN=$(node ask.mjs http://127.0.0.1:3333/mcp --user alice)
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

const CLIENT = 'ask';
const REDIRECT = 'http://127.0.0.1:9/callback';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { user: { type: 'string', default: 'alice' }, scope: { type: 'string' } },
});
const [resource = 'http://127.0.0.1:3333/mcp'] = positionals;

// 1. A call without a token says where the metadata is, and which scopes to ask for.
const headers = { 'content-type': 'application/json' };
const refused = await fetch(resource, { method: 'POST', headers, body: '{}' }).catch(() =>
  stop(`Nothing listens at ${resource}. Start the gateway with "landbridge serve".`),
);
const challenge = refused.headers.get('www-authenticate') ?? '';
if (!challenge.includes('resource_metadata')) stop(`${resource} does not ask for a token (${refused.status}).`);
say(`${refused.status} from ${resource}`);
const scope = values.scope ?? read(challenge, 'scope');

// 2. The metadata names the authorization server; that has metadata of its own.
const protectedResource = await getJson(read(challenge, 'resource_metadata'));
const [issuer] = protectedResource.authorization_servers;
say(`authorization server: ${issuer}`);
const server = await getJson(`${issuer}/.well-known/openid-configuration`);

// 3. A person logs in and agrees; PKCE ties the code to this program.
const verifier = randomBytes(32).toString('base64url');
const start = new URL(server.authorization_endpoint);
start.search = new URLSearchParams({
  response_type: 'code',
  client_id: CLIENT,
  redirect_uri: REDIRECT,
  resource,
  scope,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
});
const callback = await browse(start, values.user);
if (!callback.searchParams.has('code')) stop(`The login failed: ${callback.search}`);

// 4. The code is exchanged for a token that is made for this one endpoint.
const fields = { grant_type: 'authorization_code', client_id: CLIENT, redirect_uri: REDIRECT, code_verifier: verifier };
const answer = await request(server.token_endpoint, {
  method: 'POST',
  body: new URLSearchParams({ ...fields, code: callback.searchParams.get('code'), resource }),
});
const { access_token: token, error_description: problem } = await answer.json();
if (token === undefined) stop(`No token: ${problem}`);
const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
say(`token for ${claims.sub}, audience ${claims.aud}, scope "${claims.scope}"`);
console.log(token);

function say(line) {
  console.error(line);
}

function stop(line) {
  say(line);
  process.exit(1);
}

/** `scope="a b"` of a challenge. */
function read(challenge, name) {
  return new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
}

async function getJson(url) {
  return (await request(url)).json();
}

/** The metadata comes from the gateway, everything else from the authorization server. */
async function request(url, options) {
  const { origin } = new URL(url);
  const what = origin === new URL(resource).origin ? 'the gateway with "landbridge serve"' : 'issuer.mjs';
  return fetch(url, options).catch(() => stop(`Nothing listens at ${origin}; start ${what}.`));
}

/** What a browser does: follows redirects with cookies, and sends the form of each page (login, consent). */
async function browse(from, user) {
  const cookies = new Map();
  let url = from;
  let form;
  for (let hop = 0; hop < 20; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form);
    const page = await request(url, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: { cookie } });
    for (const line of page.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    const location = page.headers.get('location');
    form = undefined;
    if (location !== null) url = new URL(location, url);
    else if (page.ok) {
      const html = await page.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
      form = { prompt, ...(prompt === 'login' && { login: user, password: 'any' }) };
    } else throw new Error(`${url.pathname}: ${page.status}`);
    if (url.href.startsWith(REDIRECT)) return url;
  }
  throw new Error('too many redirects');
}

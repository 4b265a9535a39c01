// Which proxy a request goes through: the one of the domain file, else HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment.
import { BlockList, isIP, isIPv4 } from 'node:net';
import { bareHost, isThisMachine, isWebUrl } from '../endpoint/address.ts';
import { basicToken } from '../endpoint/headers/header-names.ts';
import type { ProxyServer, UpstreamConnection } from '../endpoint/model.ts';
import { decodePercent } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxies that the environment names. */
export interface ProxyRules {
  readonly http?: ProxyServer;
  readonly https?: ProxyServer;
  /** Whether NO_PROXY names this host. */
  isDirect(url: URL): boolean;
}

const MAX_RULES = 1000;

/** Lower case wins over upper case, as in curl. An invalid proxy stops the start: requests must not silently go without it. */
export function readProxyRules(env: Variables): ProxyRules {
  // In a CGI program, HTTP_PROXY has the value of the `Proxy` header, which any client can send.
  const isCgi = textOf(env, 'REQUEST_METHOD') !== undefined;
  const http = firstOf(env, isCgi ? ['http_proxy'] : ['http_proxy', 'HTTP_PROXY']);
  const https = firstOf(env, ['https_proxy', 'HTTPS_PROXY']);
  const none = firstOf(env, ['no_proxy', 'NO_PROXY'])?.value ?? '';
  return {
    ...(http && { http: toProxy(http) }),
    ...(https && { https: toProxy(https) }),
    isDirect: compileExceptions(none),
  };
}

function firstOf(env: Variables, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = textOf(env, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

function textOf(env: Variables, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  return value === '' ? undefined : value;
}

function toProxy({ name, value }: { name: string; value: string }): ProxyServer {
  const proxy = parseProxy(value, name);
  if ('problem' in proxy) throw new GatewayError('BAD_CONFIG', `${name} ${proxy.problem}.`);
  return proxy;
}

/** `http://user:password@proxy:3128`; the scheme is optional. Problems do not repeat the value: it may contain a password. */
export function parseProxy(text: string, from: string): ProxyServer | { readonly problem: string } {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === '')
    return { problem: 'must be the URL of a proxy, such as http://proxy.example:3128' };
  if (!isWebUrl(url)) return { problem: `must be an http:// or https:// proxy; ${url.protocol}// is not supported` };
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return { problem: 'must be the scheme, host and port of a proxy, with nothing after them' };
  const [user, password] = [decodePercent(url.username), decodePercent(url.password)];
  if (user === '' && password === '') return { url: url.origin, secrets: [], from };
  const token = basicToken(user, password);
  const secrets = [password === '' ? user : password, url.password, token].filter((secret) => secret !== '');
  return { url: url.origin, authorization: `Basic ${token}`, secrets: [...new Set(secrets)], from };
}

/** The proxy for a request to `origin`; undefined if the request goes there directly. */
export function chooseProxy(
  origin: string,
  connection: UpstreamConnection | undefined,
  rules: ProxyRules | undefined,
): ProxyServer | undefined {
  if (connection?.proxy !== undefined) return connection.proxy === 'none' ? undefined : connection.proxy;
  if (rules === undefined) return undefined;
  const url = new URL(origin);
  const proxy = url.protocol === 'https:' ? rules.https : rules.http;
  // Never for loopback: a proxy on another machine would connect to its own loopback interface.
  return proxy === undefined || isThisMachine(url.hostname) || rules.isDirect(url) ? undefined : proxy;
}

/** NO_PROXY: `*`, hosts (and their subdomains), `host:port`, addresses and networks (`10.0.0.0/8`), separated by commas or spaces. */
function compileExceptions(text: string): (url: URL) => boolean {
  const rules = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .slice(0, MAX_RULES);
  if (rules.includes('*')) return () => true;
  const addresses = new BlockList();
  const hosts: { readonly host: string; readonly port: string }[] = [];
  for (const rule of rules) {
    const [network = '', bits] = rule.replace(/^\[([^\]]*)\]/, '$1').split('/');
    const max = isIPv4(network) ? 32 : 128;
    const prefix = bits === undefined ? max : Number(bits);
    if (isIP(network) !== 0 && Number.isInteger(prefix) && prefix >= 0 && prefix <= max)
      addresses.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
    else {
      const [, host = '', port = ''] = /^(?:\*?\.)?(.*?)(?::(\d{1,5}))?$/.exec(rule) ?? [];
      hosts.push({ host: bareHost(host), port });
    }
  }
  return ({ hostname, port, protocol }) => {
    const bare = bareHost(hostname).replace(/\.$/, '');
    if (isIP(bare) !== 0 && addresses.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6')) return true;
    const actual = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
    return hosts.some(
      (rule) => (rule.port === '' || rule.port === actual) && (bare === rule.host || bare.endsWith(`.${rule.host}`)),
    );
  };
}

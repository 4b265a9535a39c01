// Network failures → sentences. Each names the origin and what to look at; none shows a path, a query or a header.
import { GatewayError } from '../errors.ts';
import { PRIVATE_ADDRESS } from './public-lookup.ts';
import type { WireRequest } from './request/build-request.ts';

type Code = 'UNREACHABLE' | 'BAD_RESPONSE' | 'VALIDATION';

/** `answering`: the status line had already arrived. */
export function explainFailure(error: Error, request: WireRequest, tool: string, answering: boolean): GatewayError {
  const code = codeOf(error);
  const [kind, sentence] = explain(code, error, request, answering);
  return new GatewayError(
    kind,
    `${tool}: ${sentence}`,
    { tool, origin: request.origin, ...(code !== '' && { cause: code }) },
    error,
  );
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code !== '') return code;
  if (error.name === 'HTTPParserError') return 'HPE_INVALID';
  // Happy eyeballs: one error per address tried.
  const inner =
    error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException | undefined)?.code : undefined;
  return inner ?? (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
}

function explain(code: string, error: Error, request: WireRequest, answering: boolean): [Code, string] {
  const { origin, method } = request;
  const host = new URL(origin).host;
  if (answering && !code.startsWith('HPE_')) {
    return ['BAD_RESPONSE', `${origin} broke off in the middle of its answer. ${repeatAdvice(method)}`];
  }
  switch (code) {
    case 'ECONNREFUSED':
      return [
        'UNREACHABLE',
        `nothing listens at ${origin}.${checkList('that the API is running', 'the host and port of the base URL', 'from a container: that it means the host, and not the container itself')}`,
      ];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return [
        'UNREACHABLE',
        `the host name of ${origin} does not resolve.${checkList('the spelling of the base URL', "the network's DNS, with nslookup on the gateway's machine", 'whether the name is known only inside a VPN')}`,
      ];
    case PRIVATE_ADDRESS:
      return [
        'UNREACHABLE',
        `${host} has a private address, and the document that names it came from elsewhere; nothing was sent. If that is right, start the gateway with --base-url ${origin}.`,
      ];
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return [
        'UNREACHABLE',
        `no connection to ${origin} could be made in time.${checkList('that the API is up', 'the host and port of the base URL', 'firewalls and proxies between the gateway and the API')}`,
      ];
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return [
        'UNREACHABLE',
        `there is no route to ${origin}.${checkList("the network of the gateway's machine", 'the host of the base URL', 'VPN and firewall')}`,
      ];
    case 'UND_ERR_HEADERS_OVERFLOW':
      return ['BAD_RESPONSE', `${origin} sent more response headers than the gateway accepts.`];
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return ['BAD_RESPONSE', `${origin} sent another length than it announced. ${repeatAdvice(method)}`];
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
    case 'ERR_INVALID_CHAR':
      return ['VALIDATION', `the request cannot be written as HTTP (${error.message}). Nothing was sent.`];
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return ['UNREACHABLE', 'the gateway is shutting down; the call was not sent.'];
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return ['UNREACHABLE', `${origin} closed the connection before it answered. ${repeatAdvice(method)}`];
    case 'UND_ERR_SOCKET':
      return /^bad (response|upgrade)/.test(error.message)
        ? ['BAD_RESPONSE', `${origin} answered with an interim response nobody asked for (100 or 101).`]
        : ['UNREACHABLE', `${origin} closed the connection before it answered. ${repeatAdvice(method)}`];
  }
  if (code.startsWith('HPE_'))
    return [
      'BAD_RESPONSE',
      `${origin} sent something that is not HTTP/1.1. Check that the base URL has the right scheme and port.`,
    ];
  if (isTls(code)) {
    return [
      'UNREACHABLE',
      `the TLS connection to ${host} failed (${code}).${checkList('the certificate: its names, its dates, who signed it', 'NODE_EXTRA_CA_CERTS, for an authority of your own', 'whether the base URL should be http://')}`,
    ];
  }
  return [
    'UNREACHABLE',
    `${origin} could not be reached${code === '' ? '' : ` (${code})`}.${checkList('that the API is up', 'the base URL', 'the network')}`,
  ];
}

/** What to look at, in order. */
function checkList(...steps: readonly string[]): string {
  return `\nCheck, in this order:${steps.map((step, index) => `\n${index + 1}. ${step}`).join('')}`;
}

function isTls(code: string): boolean {
  return /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_OSSL)/.test(code);
}

/** What a caller may do after an answer was lost on the way. */
export function repeatAdvice(method: string): string {
  return /^(GET|HEAD|OPTIONS|QUERY|TRACE)$/.test(method)
    ? 'Repeating the call is safe.'
    : 'The request may have been carried out: check before repeating it.';
}

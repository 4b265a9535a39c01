// Messages for network failures. Each names the origin and what to check; none shows a path, a query or a header.

import type { ProxyServer } from '../endpoint/model.ts';
import { ToolError } from '../errors.ts';
import { PRIVATE_ADDRESS } from '../network/public-lookup.ts';
import { PROXY_FAILURE, proxyUnreachable } from '../network/tunnel.ts';
import type { WireRequest } from './request/build-request.ts';
import { adviseClosed, explainTls } from './tls-failure.ts';

/** `answering`: the status line has already arrived. `forwardedBy`: the proxy that should have forwarded the request. */
export function explainFailure(
  failure: Error,
  request: WireRequest,
  tool: string,
  answering: boolean,
  forwardedBy?: ProxyServer,
): ToolError {
  const { origin } = request;
  const isProxyFailure = forwardedBy !== undefined && NOT_CONNECTED.test(codeOf(failure));
  const error = isProxyFailure ? proxyUnreachable(forwardedBy, codeOf(failure)) : failure;
  const code = codeOf(error);
  const details = { tool, origin, ...(code !== '' && { cause: code }) };
  const badAnswer = explainAnswer(code, error, request, answering);
  if (badAnswer !== undefined) return new ToolError('BAD_RESPONSE', tool, badAnswer, details, error);
  const kind = UNWRITABLE.test(code) ? 'VALIDATION' : 'UNREACHABLE';
  return new ToolError(kind, tool, explainSilence(code, error, request), details, error);
}

/** If a proxy forwards requests, these are failures of the proxy. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|E(?:HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const UNWRITABLE = /^(?:UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|ERR_INVALID_CHAR)$/;

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code !== '') return code;
  if (error.name === 'HTTPParserError') return 'HPE_INVALID';
  // Happy eyeballs: one error per address tried.
  const inner =
    error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException | undefined)?.code : undefined;
  return inner ?? (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
}

/** Describes the problem with the answer; undefined if there was no answer. */
function explainAnswer(
  code: string,
  error: Error,
  { origin, isRead }: WireRequest,
  answering: boolean,
): string | undefined {
  if (code.startsWith('HPE_')) {
    return `${origin} sent something that is not HTTP/1.1. Check that the base URL has the right scheme and port.`;
  }
  if (answering) return `${origin} closed the connection in the middle of its answer. ${repeatAdvice(isRead)}`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return `${origin} sent more response headers than the gateway accepts.`;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return `${origin} sent an answer of another length than it announced. ${repeatAdvice(isRead)}`;
  }
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)/.test(error.message)) {
    return `${origin} answered with an unexpected interim response (100 or 101).`;
  }
  return undefined;
}

function explainSilence(code: string, error: Error, request: WireRequest): string {
  const { origin, isRead } = request;
  const { host } = new URL(origin);
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${origin}.${checkList('that the API is running', 'the host and port of the base URL', 'from a container: that it names the host, and not the container itself')}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return `the host name of ${origin} does not resolve.${checkList('the spelling of the base URL', "the network's DNS, with nslookup on the gateway's machine", 'whether the name is known only inside a VPN')}`;
    case PRIVATE_ADDRESS:
      return `${host} has a private address, but the document that names it was loaded from a public address; nothing was sent. If that is intended, start the gateway with --base-url ${origin}.`;
    case PROXY_FAILURE:
      return `${origin} was not reached: ${error.message}`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `no connection to ${origin} could be made in time.${checkList('that the API is up', 'the host and port of the base URL', 'firewalls and proxies between the gateway and the API')}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return `there is no route to ${origin}.${checkList("the network of the gateway's machine", 'the host of the base URL', 'VPN and firewall')}`;
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return 'the gateway is shutting down; the call was not sent.';
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'UND_ERR_SOCKET':
      return `${origin} closed the connection before it answered${adviseClosed(request)}. ${repeatAdvice(isRead)}`;
  }
  if (UNWRITABLE.test(code)) return `the request cannot be written as HTTP (${error.message}). Nothing was sent.`;
  const tlsProblem = explainTls(code, error, request);
  if (tlsProblem !== undefined) return tlsProblem;
  return `${origin} could not be reached${code === '' ? '' : ` (${code})`}.${checkList('that the API is up', 'the base URL', 'the network')}`;
}

/** A list of things to check, in order. */
function checkList(...steps: readonly string[]): string {
  return `\nCheck, in this order:${steps.map((step, index) => `\n${index + 1}. ${step}`).join('')}`;
}

/** Advice for a caller after an answer was lost. */
export function repeatAdvice(isRead: boolean): string {
  return isRead ? 'Repeating the call is safe.' : 'The request may have been carried out: check before repeating it.';
}

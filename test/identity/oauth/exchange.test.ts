// From the request to the API: a token of a certified authorization server (oidc-provider) is verified and exchanged, and never passed on.

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/authorization-server.ts';
import { shopDomain } from '../../support/callers.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';
import { CLIENT, type ExchangeServer, startExchangeServer } from '../../support/token-exchange-server.ts';

useRealHttp();

let server: AuthorizationServer;
let sts: ExchangeServer;
let gateway: ProtectedGateway;
beforeAll(async () => {
  server = await startAuthorizationServer('jwt', ['api.read']);
  sts = await startExchangeServer();
  const user = {
    kind: 'token_exchange' as const,
    tokenUrl: sts.url,
    clientIdEnv: 'A',
    clientSecretEnv: 'B',
    audience: 'orders-api',
  };
  const headers = { 'X-User': '$'.concat('{principal.sub}') };
  gateway = await startProtected([{ issuer: server.issuer }], {
    domainOf: (url) => shopDomain(url, { credentials: { user }, headers }, { A: CLIENT.id, B: CLIENT.secret }),
  });
});
afterAll(async () => {
  await gateway.close();
  await sts.close();
  await server.close();
});

test('a verified token is exchanged once for both eras, and never reaches the API, an answer or the log', async () => {
  const token = await server.clientToken(gateway.url, 'api.read');
  sts.subjects.set(token, 'robot');
  const answers = await gateway.call(token, { tool: 'shop_get_order' });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(gateway.upstream.seen.map(({ headers }) => [headers.authorization, headers['x-user']])).toEqual([
    ['Bearer for-robot-number-1', decodeJwt(token).sub],
    ['Bearer for-robot-number-1', decodeJwt(token).sub],
  ]);
  expect(sts.exchanges.map(({ fields }) => fields.get('subject_token'))).toEqual([token]);
  const shown = JSON.stringify([gateway.upstream.seen, answers, gateway.lines]);
  expect(shown).not.toContain(token.split('.')[2]);
});

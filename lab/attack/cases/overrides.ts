// B: a caller of a read cannot turn it into something else.
import type { Case } from '../case.ts';
import { StartError } from '../gateway.ts';
import { callAll, document, operation, operatorCase, tryLaunch } from './small-api.ts';

const OVERRIDES = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Original-Method',
  'x-http-METHOD-override',
];

/** What a caller of a read may not say. */
export const OVERRIDE_CASES: readonly Case[] = [
  ...OVERRIDES.map((name) =>
    operatorCase(`method override header ${name} on a read`, async (attack) => {
      const { upstream } = attack;
      const gateway = await tryLaunch(attack, {
        files: {
          'evil.json': document(upstream.url, {
            '/items': { get: operation('list', { parameters: [{ name, in: 'header', schema: { type: 'string' } }] }) },
          }),
        },
        args: ['evil.json', '--exposure', 'tools', '--read-only'],
      });
      if (gateway instanceof StartError) return undefined;
      for (const spelling of [name, name.replaceAll('-', '_'), name.toLowerCase().replaceAll('-', '_')])
        await callAll(gateway, { [spelling]: 'DELETE' });
      const bad = upstream.arrivals.find(({ headers }) => headers[name.toLowerCase()] !== undefined);
      return bad && `${name}: ${bad.headers[name.toLowerCase()]} reached the upstream on a read`;
    }),
  ),
  ...['_method', '_METHOD', 'x-http-method-override', 'X-HTTP-Method-Override'].map((name) =>
    operatorCase(`method override parameter ${name} on a read`, async (attack) => {
      const { upstream } = attack;
      const gateway = await tryLaunch(attack, {
        files: {
          'evil.json': document(upstream.url, {
            '/items': {
              get: operation('list', {
                parameters: [
                  { name, in: 'query', schema: { type: 'string' } },
                  {
                    name: 'filter',
                    in: 'query',
                    style: 'form',
                    explode: true,
                    schema: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                ],
              }),
            },
          }),
        },
        args: ['evil.json', '--exposure', 'tools', '--read-only'],
      });
      if (gateway instanceof StartError) return undefined;
      for (const args of [{ [name]: 'DELETE' }, { method: 'DELETE' }, { filter: { [name]: 'DELETE' } }])
        await callAll(gateway, args);
      const bad = upstream.arrivals.find(({ url }) => new URL(url, 'http://x').searchParams.has(name));
      return bad && `${bad.url} reached the upstream on a read`;
    }),
  ),
];

// Finding the document of a documentation page or of the root of an API. The pages are like those that the tools really serve.
import { afterEach, describe, expect, test } from 'vitest';
import { importDocument } from '../../src/openapi/import-document.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const document = (title = 'Cats') => ({
  openapi: '3.0.0',
  paths: {
    '/cats': { get: { operationId: 'CatsController_findAll', responses: { 200: { description: "it's {ok}" } } } },
  },
  info: { title, version: '1' },
  servers: [{ url: '/v1' }],
});

type Pages = Record<string, string | object>;
let site: Upstream;
afterEach(() => site.close());

async function open(pages: Pages): Promise<Upstream> {
  site = await startUpstream(({ url }, response) => {
    const page = pages[url];
    if (page === undefined) response.writeHead(404).end('{"detail":"Not Found"}');
    else if (typeof page === 'object') response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
    else response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html').end(page);
  });
  return site;
}

const read = (path: string, more: object = {}) => importDocument(site.url + path, { env: {}, ...more });

const swaggerUi = (prefix: string, script: string) => `<!-- HTML for static distribution bundle build -->
<!DOCTYPE html>
<html lang="en"><head><meta charset="UTF-8"><title>Swagger UI</title>
<link rel="stylesheet" type="text/css" href="${prefix}swagger-ui.css" >
<style>body { margin:0; background: url("bg.png"); }</style></head>
<body><div id="swagger-ui"></div>
<script src="${prefix}swagger-ui-bundle.js"> </script>
<script src="${prefix}swagger-ui-standalone-preset.js"> </script>
<script src="${prefix}${script}"> </script>
</body></html>`;

/** As swagger-ui-express and @nestjs/swagger write it. */
const swaggerUiInit = (options: object) => `
window.onload = function() {
  // Build a system: don't run it
  let url = window.location.search.match(/url=([^&]+)/);
  if (url && url.length > 1) {
    url = decodeURIComponent(url[1]);
  } else {
    url = window.location.origin;
  }
  let options = ${JSON.stringify(options, null, 2)};
  url = options.swaggerUrl || url
  let urls = options.swaggerUrls
  let swaggerOptions = { spec: options.swaggerDoc, url: url, urls: urls, dom_id: '#swagger-ui', layout: "StandaloneLayout" }
  let ui = SwaggerUIBundle(swaggerOptions)
}`;

const initializer = (url: string, more = '') => `window.onload = function() {
  //<editor-fold desc="Changeable Configuration Block">
  window.ui = SwaggerUIBundle({
    url: "${url}",
    dom_id: '#swagger-ui',
    deepLinking: true,
    plugins: [ SwaggerUIBundle.plugins.DownloadUrl ],
    layout: "StandaloneLayout" ${more}
  });
  //</editor-fold>
};`;

const page = (body: string) => `<!DOCTYPE html><html><head><title>API</title></head><body>${body}</body></html>`;

describe('a page that refers to its document', () => {
  const rows: [name: string, at: string, pages: Pages, document: string][] = [
    [
      'Swagger UI of FastAPI',
      '/docs',
      {
        '/docs': page(`<div id="swagger-ui"></div>
          <script src="https://cdn.jsdelivr.net/npm/swagger-ui-dist@5/swagger-ui-bundle.js"></script>
          <script>const ui = SwaggerUIBundle({
            url: '/openapi.json',
            "dom_id": "#swagger-ui",
            oauth2RedirectUrl: window.location.origin + '/docs/oauth2-redirect',
          })</script>`),
      },
      '/openapi.json',
    ],
    [
      'Redoc',
      '/redoc',
      { '/redoc': page('<redoc spec-url="/spec/cats.yaml"></redoc><script src="/redoc.standalone.js"></script>') },
      '/spec/cats.yaml',
    ],
    ['Redoc.init()', '/r/', { '/r/': page("<script>Redoc.init('../spec', {}, document.body)</script>") }, '/spec'],
    ['RapiDoc', '/rapi', { '/rapi': page('<rapi-doc spec-url = "./spec"> </rapi-doc>') }, '/spec'],
    [
      'Stoplight Elements',
      '/reference/',
      { '/reference/': page('<elements-api apiDescriptionUrl="spec.yaml" router="hash" />') },
      '/reference/spec.yaml',
    ],
    [
      'Scalar with data-url',
      '/scalar',
      { '/scalar': page('<script id="api-reference" data-url="/spec"></script>') },
      '/spec',
    ],
    [
      'Scalar with an escaped configuration',
      '/scalar',
      {
        '/scalar': page(
          '<script id="api-reference" data-configuration="{&quot;spec&quot;:{&quot;url&quot;:&quot;/spec&quot;}}"></script>',
        ),
      },
      '/spec',
    ],
    [
      'Scalar.createApiReference()',
      '/scalar',
      {
        '/scalar': page(`<script type="text/javascript">Scalar.createApiReference('#app', {
        "_integration": "hono", "url": "/doc" })</script>`),
      },
      '/doc',
    ],
    [
      'Swagger UI of Hono',
      '/ui',
      {
        '/ui': page(
          "<script>window.onload = () => { window.ui = SwaggerUIBundle({ dom_id: '#swagger-ui',url: '/my/doc', }) }</script>",
        ),
      },
      '/my/doc',
    ],
    [
      '@fastify/swagger-ui, whose script counts from the page as a folder',
      '/documentation',
      {
        '/documentation': swaggerUi('/documentation/static/', 'swagger-initializer.js'),
        '/documentation/static/swagger-initializer.js': `window.onload = function () {
          function resolveUrl(url) { return anchor.href }
          const resConfig = Object.assign({}, { dom_id: '#swagger-ui', validatorUrl: null }, config, {
            url: resolveUrl('./json'),
            oauth2RedirectUrl: resolveUrl('./static/oauth2-redirect.html')
          });
          const ui = SwaggerUIBundle(resConfig) }`,
      },
      '/documentation/json',
    ],
    [
      'springdoc, through its configuration',
      '/app/swagger-ui/index.html',
      {
        '/app/swagger-ui/index.html': swaggerUi('./', 'swagger-initializer.js'),
        '/app/swagger-ui/swagger-initializer.js': initializer(
          'https://petstore.swagger.io/v2/swagger.json',
          ',\n  "configUrl" : "/app/v3/api-docs/swagger-config",\n  "validatorUrl" : ""',
        ),
        '/app/v3/api-docs/swagger-config': { configUrl: '/app/v3/api-docs/swagger-config', url: '/app/v3/api-docs' },
      },
      '/app/v3/api-docs',
    ],
    [
      'the query of a Swagger UI',
      '/swagger-ui/index.html?configUrl=/conf',
      { '/swagger-ui/index.html?configUrl=/conf': page(''), '/conf': { url: '/the-document' } },
      '/the-document',
    ],
    [
      'Swashbuckle',
      '/swagger/index.html',
      {
        '/swagger/index.html': page(
          `<script>var configObject = JSON.parse('{"urls":[{"url":"v7/swagger.json","name":"Cats"}]}');</script>`,
        ),
      },
      '/swagger/v7/swagger.json',
    ],
    [
      'a link with rel=service-desc',
      '/',
      { '/': page('<link rel="service-desc" type="application/json" href="/described">') },
      '/described',
    ],
    ['an ordinary link', '/', { '/': page('<a href="/files/openapi-v2.yaml">Download</a>') }, '/files/openapi-v2.yaml'],
  ];
  test.each(rows)('%s', async (_, at, pages, place) => {
    await open({ ...pages, [place]: document() });
    const domain = await read(at);
    expect(domain.endpoints.map(({ method, path, baseUrl }) => [method, path, baseUrl])).toEqual([
      ['GET', '/cats', `${site.url}/v1`],
    ]);
    expect(domain.source).toBe(site.url + place);
    expect(domain.warnings[0]).toBe(`${site.url}${at.split('?')[0]} is a page; its document is ${site.url}${place}.`);
  });

  test('in its Link header', async () => {
    const host = await startUpstream(({ url }, response) => {
      if (url === '/described') return void response.end(JSON.stringify(document()));
      response.setHeader(
        'link',
        '</style.css>; rel=preload, </described>; rel="service-desc"; type="application/json"',
      );
      response.end(page('Hello.'));
    });
    const { source } = await importDocument(`${host.url}/help`, { env: {} });
    expect(source).toBe(`${host.url}/described`);
    await host.close();
  });

  test('and to others: the first is imported, the others are reported', async () => {
    await open({
      '/docs': page("<script>SwaggerUIBundle({ urls: [{ url: '/a', name: 'A' }, { url: '/b', name: 'B' }] })</script>"),
      '/a': document('A'),
      '/b': document('B'),
    });
    const { title, warnings } = await read('/docs');
    expect([title, warnings[0]]).toEqual([
      'A',
      `${site.url}/docs is a page; its document is ${site.url}/a. The page also links to: ${site.url}/b.`,
    ]);
  });
});

describe('a page that contains its document', () => {
  test('NestJS: in swagger-ui-init.js', async () => {
    await open({
      '/api': swaggerUi('./api/', 'swagger-ui-init.js'),
      '/api/swagger-ui-init.js': swaggerUiInit({ swaggerDoc: document(), customOptions: { persist: true } }),
    });
    const domain = await read('/api');
    expect(domain.endpoints.map(({ action, baseUrl }) => [action, baseUrl])).toEqual([
      ['find_all_cats', `${site.url}/v1`],
    ]);
    expect(domain.warnings[0]).toBe(
      `${site.url}/api is a page; its document is in ${site.url}/api/swagger-ui-init.js.`,
    );
  });

  const { openapi, ...rest } = document();
  test.each([
    [
      'a static Redoc page',
      `const __redoc_state = ${JSON.stringify({ menu: {}, spec: { data: { ...rest, openapi } } })};`,
    ],
    ['JSON of Scalar', JSON.stringify(document())],
    [
      'a string of JSON',
      `Scalar.createApiReference('#app', { "content": ${JSON.stringify(JSON.stringify(document()))} })`,
    ],
    [
      'a literal',
      `SwaggerUIBundle({ spec: { openapi: '3.0.0', info: {title: 'Cats', version: '1'},
      paths: {'/cats': {get: {responses: {}}}} }, dom_id: '#ui' })`,
    ],
  ])('%s', async (_, script) => {
    await open({ '/docs': page(`<p>Don't</p><script>${script}</script>`) });
    const { endpoints, warnings } = await read('/docs');
    expect(endpoints.map(({ path }) => path)).toEqual(['/cats']);
    expect(warnings[0]).toBe(`${site.url}/docs is a page; its document is in the page itself.`);
  });
});

describe('an address without any reference to a document', () => {
  test.each<[string, string, Pages, string]>([
    ['404 at the root', '', {}, '/openapi.json'],
    ['JSON at the root', '/', { '/': { message: 'hello', url: 'nowhere' } }, '/v3/api-docs'],
    ['text at the root', '', { '/': 'Hello World!' }, '/api-json'],
    ['an empty page', '/docs/', { '/docs/': page('') }, '/swagger/v1/swagger.json'],
    ['404 below a path', '/app/', {}, '/app/v3/api-docs'],
    ['a page of NestJS without its script', '/reference', { '/reference': page('') }, '/reference-json'],
    ['the admin page of Directus', '/', { '/': page('<div id="app"></div>') }, '/server/specs/oas'],
  ])('%s: the usual places are tried', async (_, at, pages, place) => {
    await open({ ...pages, [place]: document() });
    const { source, warnings } = await read(at);
    expect(source).toBe(site.url + place);
    expect(warnings[0]).toContain(`; a document was found at ${site.url}${place}.`);
  });

  test('pages at usual addresses are read as well', async () => {
    await open({
      '/': 'Hello Hono!',
      '/ui': page("<script>SwaggerUIBundle({ dom_id: '#swagger-ui',url: '/weird/place', })</script>"),
      '/weird/place': document(),
    });
    const { warnings } = await read('');
    expect(warnings[0]).toBe(
      `${site.url}/ is not an OpenAPI document; the document of ${site.url}/ui is ${site.url}/weird/place.`,
    );
    await site.close();
    await open({
      '/api-docs/': swaggerUi('./', 'swagger-ui-init.js'),
      '/api-docs/swagger-ui-init.js': swaggerUiInit({ swaggerDoc: document() }),
    });
    expect((await read('')).warnings[0]).toBe(
      `${site.url}/ answered 404; the document of ${site.url}/api-docs/ is in ${site.url}/api-docs/swagger-ui-init.js.`,
    );
  });

  test('if nothing is found, the error says what was tried', async () => {
    await open({
      '/docs': page('<redoc spec-url="/lost.json"></redoc><script>var url = "/gone"</script>'),
      '/gone': {},
    });
    const error: Error & { details?: { tried?: string[] } } = await read('/docs').then(
      () => new Error('nothing'),
      (problem) => problem,
    );
    expect(error.message).toContain(
      `${site.url}/docs is a page, and no OpenAPI document was found on ${site.url}. Tried: /lost.json, `,
    );
    expect(error.message).toMatch(
      /and \d+ more \(404\); \/gone \(no document\)\. Give the address of the document itself/,
    );
    expect(error.details?.tried).toContain(`${site.url}/openapi.json`);
    expect(site.seen.length).toBeLessThanOrEqual(81);
  });

  test('a missing file is not replaced by another one', async () => {
    await open({ '/openapi.json': document() });
    await expect(read('/v2/openapi.yaml')).rejects.toThrow(
      `/v2/openapi.yaml answered 404; check the address, or give ${site.url} to search the usual places there.`,
    );
  });

  test('the error names the kind of a document that is not OpenAPI', async () => {
    await open({ '/spec': { asyncapi: '2.6.0' }, '/openapi.json': document() });
    await expect(read('/spec')).rejects.toThrow('it is an AsyncAPI document');
  });
});

describe('safety', () => {
  const login = { headers: ['Authorization: Bearer ${TOKEN}'], env: { TOKEN: 't0ken-123' } };

  test('headers are sent to the same origin; other origins are reported and never requested', async () => {
    const other = await startUpstream((_, response) => response.end(JSON.stringify(document())));
    await open({ '/docs': page(`<redoc spec-url="${other.url}/openapi.json"></redoc>`), '/swagger.json': document() });
    const domain = await read('/docs', login);
    expect(domain.source).toBe(`${site.url}/swagger.json`);
    expect(new Set(site.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer t0ken-123']));
    await site.close();
    await open({ '/docs': page(`<redoc spec-url="${other.url}/openapi.json"></redoc>`) });
    await expect(read('/docs', login)).rejects.toThrow(
      `The page links to ${other.url}/openapi.json on another origin; give that address itself if you trust it.`,
    );
    expect(other.seen).toEqual([]);
    await other.close();
  });

  test('addresses that need credentials are reported', async () => {
    site = await startUpstream(({ url }, response) => response.writeHead(url === '/openapi.json' ? 401 : 404).end());
    await expect(read('')).rejects.toThrow(/\/openapi\.json \(401\).*Some need credentials: pass --header/);
  });

  test('a page full of addresses is searched up to a limit', async () => {
    const names = Array.from({ length: 5_000 }, (_, number) => `<redoc spec-url="/n${number}"></redoc>`);
    await open({ '/docs': page(names.join('')) });
    await expect(read('/docs')).rejects.toThrow('no OpenAPI document was found');
    expect(site.seen.length).toBeLessThanOrEqual(81);
  });
});

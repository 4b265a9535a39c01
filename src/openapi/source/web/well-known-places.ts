// Where servers usually publish their document if no page names it: the defaults of common frameworks and products.

/** Beside any page, in each folder above it. */
const NEAR = 'openapi.json openapi.yaml swagger.json v3/api-docs swagger.yaml json api-docs api-json'.split(' ');

/** From the root: FastAPI, Spring, ASP.NET, NestJS, Fastify, Hono, Elysia, Litestar, Quarkus, Django, Laravel, Symfony, Rails … */
const AT_ROOT = `
  openapi.json openapi.yaml openapi.yml swagger.json swagger.yaml v3/api-docs api-json api/openapi.json
  documentation/json swagger/v1/swagger.json openapi/v1.json doc openapi docs/openapi.json docs-json
  api-docs api/docs api/schema/ v2/api-docs swagger/json openapi/json schema/openapi.json q/openapi
  api/swagger.json api/v1/openapi.json api/v3/openapi.json v1/openapi.json docs/json docs/swagger.json
  api-docs/swagger.json api-docs/v1/swagger.yaml api-docs/openapi.json api/docs.json docs/api-docs.json apispec_1.json
  swagger.v1.json server/specs/oas .well-known/openapi.json`
  .trim()
  .split(/\s+/);

/** Where documentation usually stands. */
const PAGES = 'docs swagger api-docs/ documentation ui swagger-ui/index.html redoc reference scalar api'.split(' ');

/** Pages on the origin that may name or hold a document which is at none of the places below. */
export function usualPages(page: string): string[] {
  return PAGES.map((name) => `${new URL(page).origin}/${name}`);
}

const MAX_FOLDERS = 3;

/** Absolute addresses on the origin of `page`, the likeliest first. */
export function wellKnownPlaces(page: string): string[] {
  const { origin, pathname } = new URL(page);
  const path = pathname.replace(/\/$/, '');
  const segments = path.split('/').filter((segment) => segment !== '');
  const isFile = /\.[a-z]{2,5}$/i.test(path);
  // /api answers at /api-json (NestJS), /docs at /docs.json, /swagger at ?format=openapi (Django).
  const ofPage = path === '' || isFile ? [] : ['-json', '-yaml', '.json', '.yaml', '/?format=openapi'];
  const folders = segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}/`);
  if (isFile) folders.pop();
  const near = folders.reverse().slice(0, MAX_FOLDERS);
  return [
    ...new Set([
      ...ofPage.map((end) => origin + path + end),
      ...near.flatMap((folder) => NEAR.map((name) => origin + folder + name)),
      ...AT_ROOT.map((name) => `${origin}/${name}`),
    ]),
  ];
}

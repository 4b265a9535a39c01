// The real servers: how each is started, how its team would point Landbridge at it, and what its operations are called.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram as run } from '../../test/support/program.ts';
import { findFreePort, type Listening, runProgram, startProgram } from './children.ts';
import type { Launch } from './clients.ts';
import { compileApp, findPython, installPart } from './install.ts';

/** Says that something is missing here and not that it is broken. */
export class Skip extends Error {}

type Say = (line: string) => void;

export interface Server {
  readonly name: string;
  /** Takes minutes to install. */
  readonly isLarge?: boolean;
  start(say: Say, folder: string): Promise<Listening>;
  /** What a user would do before `landbridge serve`, in a folder of their own. */
  prepare(url: string, folder: string): Promise<Launch>;
  /** Logs in past Landbridge; headers for looking at what the server has stored. */
  logIn(url: string): Promise<Record<string, string>>;
  readonly journey: Journey;
}

export interface Journey {
  /** A read that only works when logged in. */
  readonly first: string;
  readonly create: {
    readonly operation: string;
    readonly arguments: Args;
    readonly id: (answer: Json) => unknown;
    /** What the server has then, where the arguments are not that. */
    readonly stored?: Args;
  };
  readonly list: {
    readonly operation: string;
    /** Arguments for the first two. */
    readonly arguments: Args;
    /** And for those behind them. */
    readonly next: (ids: readonly unknown[]) => Args;
    readonly ids: (answer: Json) => readonly unknown[];
  };
  readonly update: { readonly operation: string; readonly arguments: (id: unknown) => Args; readonly after: Args };
  readonly upload: { readonly operation: string; readonly arguments: (id: unknown, file: object) => Args };
  readonly download: { readonly operation: string; readonly arguments: (id: unknown, uploaded: Json) => Args };
  readonly delete: { readonly operation: string; readonly arguments: (id: unknown) => Args };
  /** Where the server shows one of the things. */
  readonly path: (id: unknown) => string;
  readonly filePath: (id: unknown, uploaded: Json) => string;
  /** What is inside the server's envelope. */
  readonly unwrap?: (answer: Json) => Json;
  /** It takes a create without fields. */
  readonly isLenient?: boolean;
}

type Args = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: answers of four servers, each of its own shape.
type Json = any;

export const USER = 'ada';
export const PASSWORD = 'correct horse';
const APPS = fileURLToPath(new URL('./apps/', import.meta.url));

/** One of the programs that are compiled beside their frameworks. */
async function startApp(app: string, say: Say): Promise<Listening> {
  const frameworks = await orSkip(installPart('frameworks', say));
  return startProgram({ command: process.execPath, args: [await compileApp(app, frameworks)] });
}

/** A registry that cannot be reached is no fault of the gateway. */
export async function orSkip<T>(installing: Promise<T>): Promise<T> {
  return installing.catch((error: Error) => {
    throw new Skip(error.message);
  });
}

/** `landbridge import`, then the credential as a team would write it into the file that it made. */
async function importWith(
  document: string,
  folder: string,
  edit: (text: string) => string,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<void> {
  const { code, stderr } = await run(['import', document, ...flags], { cwd: folder, env });
  if (code !== 0) throw new Error(`landbridge import ${document}: ${stderr}`);
  const name = (await readdir(join(folder, 'domains'))).find((one) => one.endsWith('.yaml'));
  const file = join(folder, 'domains', name!);
  await writeFile(file, edit(await readFile(file, 'utf8')));
}

async function postJson(url: string, body: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

const fastapi: Server = {
  name: 'fastapi',
  start: async () => {
    const python = await findPython();
    if (python === undefined)
      throw new Skip('no Python with FastAPI: apt-get install python3-fastapi uvicorn python3-multipart');
    const args = ['-m', 'uvicorn', 'main:app', '--host', '127.0.0.1', '--port', '0', '--no-access-log'];
    return startProgram({ command: python, args, cwd: join(APPS, 'fastapi'), env: { PYTHONDONTWRITEBYTECODE: '1' } });
  },
  prepare: async (url) => ({
    args: [`${url}/openapi.json`],
    env: {
      LANDBRIDGE_CRED_ORDER_DESK_OAUTH2_PASSWORD_BEARER_USERNAME: USER,
      LANDBRIDGE_CRED_ORDER_DESK_OAUTH2_PASSWORD_BEARER_PASSWORD: PASSWORD,
    },
  }),
  logIn: async (url) => {
    const body = new URLSearchParams({ username: USER, password: PASSWORD });
    const response = await fetch(`${url}/token`, { method: 'POST', body });
    return { authorization: `Bearer ${((await response.json()) as Json).access_token}` };
  },
  journey: {
    first: 'read_users_me',
    create: {
      operation: 'create_order',
      arguments: { customer: 'Grace', lines: [{ sku: 'A-1', quantity: 2 }] },
      id: ({ id }) => id,
    },
    list: {
      operation: 'list_orders',
      arguments: { limit: 2 },
      next: () => ({ limit: 100, skip: 2 }),
      ids: ({ items }) => items.map(({ id }: Json) => id),
    },
    update: {
      operation: 'update_order',
      arguments: (order_id) => ({ order_id, status: 'shipped', note: null }),
      after: { customer: 'Grace', status: 'shipped', note: null },
    },
    upload: { operation: 'upload_attachment', arguments: (order_id, file) => ({ order_id, file }) },
    download: { operation: 'download_attachment', arguments: (order_id) => ({ order_id }) },
    delete: { operation: 'delete_order', arguments: (order_id) => ({ order_id }) },
    path: (id) => `/orders/${id}`,
    filePath: (id) => `/orders/${id}/attachment`,
  },
};

const nest: Server = {
  name: 'nest',
  start: (say) => startApp('nest', say),
  prepare: async (url, folder) => {
    const credentials = `credentials:
  bearer:
    kind: login
    path: /auth/login
    body: { username: "\${CATTERY_USER}", password: "\${CATTERY_PASSWORD}" }
`;
    await importWith(`${url}/api-json`, folder, (text) => `${text}\n${credentials}`);
    return { args: ['domains'], cwd: folder, env: { CATTERY_USER: USER, CATTERY_PASSWORD: PASSWORD } };
  },
  logIn: async (url) => {
    const answer = (await (await postJson(`${url}/auth/login`, { username: USER, password: PASSWORD })).json()) as Json;
    return { authorization: `Bearer ${answer.access_token}` };
  },
  journey: {
    first: 'find_all_cats',
    create: {
      operation: 'create_cat',
      arguments: { name: 'Mimi', age: 3, traits: ['shy'] },
      id: ({ id }) => id,
    },
    list: {
      operation: 'find_all_cats',
      arguments: { limit: 2 },
      next: () => ({ limit: 2, page: 2 }),
      ids: (cats) => cats.map(({ id }: Json) => id),
    },
    update: {
      operation: 'update_cat',
      arguments: (id) => ({ id, age: 4, owner: 'Grace' }),
      after: { name: 'Mimi', age: 4, owner: 'Grace', traits: ['shy'] },
    },
    upload: { operation: 'upload_cats_photo', arguments: (id, file) => ({ id, file, caption: 'asleep' }) },
    download: { operation: 'download_cats_photo', arguments: (id) => ({ id }) },
    delete: { operation: 'remove_cat', arguments: (id) => ({ id }) },
    path: (id) => `/cats/${id}`,
    filePath: (id) => `/cats/${id}/photo`,
  },
};

const fastify: Server = {
  name: 'fastify',
  start: (say) => startApp('fastify', say),
  prepare: async (url, folder) => {
    const credentials = `credentials:
  session:
    kind: login
    path: /session
    body: { username: "\${LIBRARY_USER}", password: "\${LIBRARY_PASSWORD}" }
    send: cookies
`;
    // The address of its documentation page, as a person has it in the browser.
    await importWith(`${url}/documentation/`, folder, (text) => `${text}\n${credentials}`);
    return { args: ['domains'], cwd: folder, env: { LIBRARY_USER: USER, LIBRARY_PASSWORD: PASSWORD } };
  },
  logIn: async (url) => {
    const response = await postJson(`${url}/session`, { username: USER, password: PASSWORD });
    return { cookie: response.headers.getSetCookie()[0]!.split(';')[0]! };
  },
  journey: {
    first: 'list_books',
    create: {
      operation: 'create_book',
      arguments: { title: 'Notes', year: 1843, tags: ['engine'] },
      id: ({ id }) => id,
    },
    list: {
      operation: 'list_books',
      arguments: { limit: 2 },
      next: (ids) => ({ limit: 50, after: ids.at(-1) }),
      ids: ({ data }) => data.map(({ id }: Json) => id),
    },
    update: {
      operation: 'patch_book',
      arguments: (id) => ({ id, year: null, tags: ['engine', 'poetry'] }),
      after: { title: 'Notes', year: null, tags: ['engine', 'poetry'] },
    },
    upload: { operation: 'post_book_cover', arguments: (id, file) => ({ id, file }) },
    download: { operation: 'get_book_cover', arguments: (id) => ({ id }) },
    delete: { operation: 'delete_book', arguments: (id) => ({ id }) },
    path: (id) => `/api/v1/books/${id}`,
    filePath: (id) => `/api/v1/books/${id}/cover`,
  },
};

const hono: Server = {
  name: 'hono',
  start: (say) => startApp('hono', say),
  prepare: async (url, folder) => {
    const credentials = `credentials:
  Bearer:
    kind: login
    path: /auth/sign-in
    body: { email: "\${RECIPES_EMAIL}", password: "\${RECIPES_PASSWORD}" }
    token: data.token
`;
    await importWith(`${url}/doc`, folder, (text) => `${text}\n${credentials}`);
    const env = { RECIPES_EMAIL: `${USER}@example.com`, RECIPES_PASSWORD: PASSWORD };
    return { args: ['domains'], cwd: folder, env };
  },
  logIn: async (url) => {
    const body = { email: `${USER}@example.com`, password: PASSWORD };
    const { data } = (await (await postJson(`${url}/auth/sign-in`, body)).json()) as Json;
    return { authorization: `Bearer ${data.token}` };
  },
  journey: {
    first: 'list_recipes',
    create: {
      operation: 'create_recipe',
      arguments: { title: 'Apple pie', ingredients: [{ name: 'apples', grams: 800 }, { name: 'cinnamon' }] },
      id: ({ id }) => id,
    },
    list: {
      operation: 'list_recipes',
      arguments: { limit: 2 },
      next: () => ({ limit: 50, offset: 2 }),
      ids: ({ items }) => items.map(({ id }: Json) => id),
    },
    update: {
      operation: 'update_recipe',
      arguments: (id) => ({
        id,
        title: 'Pear pie',
        ingredients: [{ name: 'pears', grams: null }],
        visibility: 'shared',
      }),
      after: { title: 'Pear pie', ingredients: [{ name: 'pears', grams: null }], visibility: 'shared' },
    },
    upload: { operation: 'post_recipe_scan', arguments: (id, file) => ({ id, file }) },
    download: { operation: 'get_recipe_scan', arguments: (id) => ({ id }) },
    delete: { operation: 'delete_recipe', arguments: (id) => ({ id }) },
    path: (id) => `/recipes/${id}`,
    filePath: (id) => `/recipes/${id}/scan`,
  },
};

/** Its document gives an upload as JSON, which the server refuses: a team corrects that with an overlay. */
const DIRECTUS_OVERLAY = `overlay: 1.0.0
info: { title: What Directus takes, version: "1" }
actions:
  - target: $.paths['/files'].post.requestBody.content['application/json']
    remove: true
  - target: $.paths['/files'].post.requestBody.content
    update:
      multipart/form-data:
        schema:
          type: object
          properties: { title: { type: string }, file: { type: string, format: binary } }
`;
const EMAIL = 'ada@example.com';
const ARTICLES = {
  collection: 'articles',
  schema: {},
  meta: {},
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true }, meta: {} },
    { field: 'title', type: 'string', schema: { is_nullable: false }, meta: {} },
    { field: 'body', type: 'text', schema: {}, meta: {} },
  ],
};

/** A large product: its document is made of the collections of its database, for whoever asks. */
const directus: Server = {
  name: 'directus',
  isLarge: true,
  start: async (say, folder) => {
    const packages = await orSkip(installPart('directus', say));
    const port = await findFreePort();
    const env = {
      DB_CLIENT: 'sqlite3',
      DB_FILENAME: join(folder, 'data.db'),
      STORAGE_LOCATIONS: 'local',
      STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
      EXTENSIONS_PATH: join(folder, 'extensions'),
      SECRET: randomBytes(24).toString('hex'),
      ADMIN_EMAIL: EMAIL,
      ADMIN_PASSWORD: PASSWORD,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      TELEMETRY: 'false',
      NODE_ENV: 'development',
    };
    await mkdir(join(folder, 'uploads'));
    await mkdir(join(folder, 'extensions'));
    const main = join(packages, 'node_modules/directus/cli.js');
    await runProgram({ command: process.execPath, args: [main, 'bootstrap'], cwd: folder, env });
    const listening = await startProgram({ command: process.execPath, args: [main, 'start'], cwd: folder, env });
    const headers = { ...(await directus.logIn(listening.url)), 'content-type': 'application/json' };
    await fetch(`${listening.url}/collections`, { method: 'POST', headers, body: JSON.stringify(ARTICLES) });
    return listening;
  },
  prepare: async (url, folder) => {
    const { authorization } = await directus.logIn(url);
    const flags = ['--name', 'directus', '--header', `Authorization: Bearer \${DIRECTUS_TOKEN}`];
    const env = { DIRECTUS_TOKEN: authorization!.replace('Bearer ', '') };
    await mkdir(join(folder, 'openapi'));
    await writeFile(join(folder, 'openapi/fixes.overlay.yaml'), DIRECTUS_OVERLAY);
    const credentials = `overlays: [../openapi/fixes.overlay.yaml]
include: { paths: ["/items/articles", "/items/articles/*", "/files", "/files/*", "/assets/*", "/users/me"] }
credentials:
  session:
    kind: login
    path: /auth/login
    body: { email: "\${DIRECTUS_EMAIL}", password: "\${DIRECTUS_PASSWORD}" }
`;
    // The token of the import was for the document; from here on Landbridge logs in by itself.
    const edit = (text: string) => `${text.replace(/^headers:\n.*\n/m, '')}\n${credentials}`;
    await importWith(`${url}/server/specs/oas`, folder, edit, flags, env);
    return { args: ['domains'], cwd: folder, env: { DIRECTUS_EMAIL: EMAIL, DIRECTUS_PASSWORD: PASSWORD } };
  },
  logIn: async (url) => {
    const { data } = (await (await postJson(`${url}/auth/login`, { email: EMAIL, password: PASSWORD })).json()) as Json;
    return { authorization: `Bearer ${data.access_token}` };
  },
  journey: {
    first: 'read_items_articles',
    create: {
      operation: 'create_items_articles',
      arguments: { body: { title: 'On engines', body: 'They weave.' } },
      id: ({ data }) => data.id,
      stored: { title: 'On engines', body: 'They weave.' },
    },
    list: {
      operation: 'read_items_articles',
      arguments: { limit: 2 },
      next: () => ({ limit: 100, offset: 2 }),
      ids: ({ data }) => data.map(({ id }: Json) => id),
    },
    update: {
      operation: 'update_single_items_articles',
      arguments: (id) => ({ id: String(id), title: 'On looms' }),
      after: { title: 'On looms', body: 'They weave.' },
    },
    upload: { operation: 'create_file', arguments: (_id, file) => ({ title: 'A drawing', file }) },
    download: { operation: 'get_asset', arguments: (_id, { data }) => ({ id: data.id }) },
    delete: { operation: 'delete_single_items_articles', arguments: (id) => ({ id: String(id) }) },
    path: (id) => `/items/articles/${id}`,
    filePath: (_id, { data }) => `/assets/${data.id}`,
    unwrap: ({ data }) => data,
    // No field of an article is required by its document.
    isLenient: true,
  },
};

export const SERVERS: readonly Server[] = [fastapi, nest, fastify, hono, directus];

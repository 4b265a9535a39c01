// What the sample API answers: routes as data, each a plain function from request to reply.
import { z } from 'zod';
import { type Board, PRIORITIES, STATUSES } from './board.ts';
import { drawBars } from './png.ts';

export interface SampleRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** `http://127.0.0.1:1234`, for Location and Link. */
  readonly origin: string;
  readonly path: string;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Buffers are sent as they are, anything else as JSON; undefined for none. */
  readonly body?: unknown;
  /** Wait this long before answering. */
  readonly delayMs?: number;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly handle: (request: SampleRequest) => Reply;
}

/** RFC 9457 problem details. */
export function problem(
  status: number,
  title: string,
  detail: string,
  more: object = {},
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: { type: 'about:blank', title, status, detail, ...more },
  };
}

const words = z.string().trim().min(1).max(40);
const day = z.iso.date();
const taskFields = {
  title: z.string().trim().min(1).max(120),
  description: z.string().max(4000),
  status: z.enum(STATUSES),
  priority: z.enum(PRIORITIES),
  assignee: words.nullable(),
  labels: z.array(words).max(10),
  due_on: day.nullable(),
};
const newTask = z.strictObject({
  title: taskFields.title,
  description: taskFields.description.default(''),
  status: taskFields.status.default('todo'),
  priority: taskFields.priority.default('normal'),
  assignee: taskFields.assignee.default(null),
  labels: taskFields.labels.default([]),
  due_on: taskFields.due_on.default(null),
});
const taskChange = z.strictObject(taskFields).partial();
const newComment = z.strictObject({ author: words, text: z.string().trim().min(1).max(2000) });

const page = z.coerce.number().int().min(1).max(10_000).default(1);
const listQuery = z.strictObject({
  page,
  per_page: z.coerce.number().int().min(1).max(50).default(10),
  status: z.enum(STATUSES).optional(),
  assignee: words.optional(),
  label: words.optional(),
  due_before: day.optional(),
  sort: z.enum(['id', 'due_on', 'priority', 'updated_at']).default('id'),
});
const searchQuery = z.strictObject({
  q: z.string().trim().min(1).max(200),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});
const slowQuery = z.strictObject({ delay_ms: z.coerce.number().int().min(0).max(60_000).default(2_000) });
const errorQuery = z.strictObject({ status: z.coerce.number().int().min(400).max(599).default(500) });

export function createRoutes(board: Board): Route[] {
  let flaky = 0;
  const route = (method: string, path: string, handle: Route['handle']): Route => ({ method, path, handle });
  return [
    route('GET', '/tasks', (request) =>
      checked(listQuery, Object.fromEntries(request.query), 400, ({ page, per_page, ...filter }) => {
        const all = board.list(filter);
        return {
          status: 200,
          headers: { 'x-total-count': String(all.length), ...links(request, page, per_page, all.length) },
          body: all.slice((page - 1) * per_page, page * per_page),
        };
      }),
    ),
    route('POST', '/tasks', (request) =>
      checked(newTask, request.body, 422, (fields) => {
        const task = board.add(fields);
        if (task === undefined) return problem(409, 'Board full', 'The board holds no more tasks; delete some first.');
        return { status: 201, headers: { location: `${request.origin}/tasks/${task.id}` }, body: task };
      }),
    ),
    route('GET', '/tasks/{id}', ({ params }) =>
      withTask(board, params.id, (id) => ({ status: 200, body: board.get(id) })),
    ),
    route('PATCH', '/tasks/{id}', ({ params, body }) =>
      withTask(board, params.id, (id) =>
        checked(taskChange, body, 422, (fields) => ({
          status: 200,
          body: board.change(id, fields as Parameters<Board['change']>[1]),
        })),
      ),
    ),
    route('DELETE', '/tasks/{id}', ({ params }) =>
      withTask(board, params.id, (id) => {
        board.remove(id);
        return { status: 204 };
      }),
    ),
    route('GET', '/tasks/{id}/comments', ({ params }) =>
      withTask(board, params.id, (id) => ({ status: 200, body: board.comments(id) })),
    ),
    route('POST', '/tasks/{id}/comments', ({ params, body }) =>
      withTask(board, params.id, (id) =>
        checked(newComment, body, 422, ({ author, text }) => {
          const comment = board.comment(id, author, text);
          if (comment === undefined) return problem(409, 'Too many comments', 'This task holds no more comments.');
          return { status: 201, body: comment };
        }),
      ),
    ),
    route('GET', '/search', ({ query }) =>
      checked(searchQuery, Object.fromEntries(query), 400, ({ q, limit }) => {
        const items = board.search(q, limit);
        return { status: 200, body: { query: q, count: items.length, items } };
      }),
    ),
    route('GET', '/board', () => ({ status: 200, body: board.summary() })),
    route('GET', '/board.png', () => {
      const { total, todo, doing, done } = board.summary();
      const heights = [todo, doing, done].map((count) => count / Math.max(1, total));
      const png = drawBars(heights, [
        [214, 97, 77],
        [240, 180, 60],
        [88, 160, 104],
      ]);
      return { status: 200, headers: { 'content-type': 'image/png' }, body: png };
    }),
    route('GET', '/diagnostics/slow', ({ query }) =>
      checked(slowQuery, Object.fromEntries(query), 400, ({ delay_ms }) => ({
        status: 200,
        delayMs: delay_ms,
        body: { waited_ms: delay_ms },
      })),
    ),
    route('GET', '/diagnostics/error', ({ query }) =>
      checked(errorQuery, Object.fromEntries(query), 400, ({ status }) =>
        problem(
          status,
          'Failure on request',
          `You asked for status ${status}, here it is.`,
          {},
          status === 429 || status === 503 ? { 'retry-after': '2' } : {},
        ),
      ),
    ),
    route('GET', '/diagnostics/flaky', () =>
      ++flaky % 2 === 1
        ? problem(503, 'Try again', 'This endpoint fails every other time.', {}, { 'retry-after': '1' })
        : { status: 200, body: { attempt: flaky } },
    ),
  ];
}

function checked<T>(schema: z.ZodType<T>, value: unknown, status: number, then: (value: T) => Reply): Reply {
  const result = schema.safeParse(value);
  if (result.success) return then(result.data);
  const errors = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: key, message: 'is not known' }))
      : [{ field: issue.path.join('.'), message: issue.message }],
  );
  const title = status === 400 ? 'Bad query parameters' : 'Not valid';
  return problem(status, title, errors.map(({ field, message }) => `${field}: ${message}`).join('; '), { errors });
}

function withTask(board: Board, given: string | undefined, then: (id: number) => Reply): Reply {
  const id = /^\d{1,9}$/.test(given ?? '') ? Number(given) : 0;
  if (board.get(id) === undefined) return problem(404, 'No such task', `There is no task ${given}.`);
  return then(id);
}

/** RFC 8288 links to the neighbouring pages, other parameters kept. */
function links(
  { origin, path, query }: SampleRequest,
  page: number,
  perPage: number,
  total: number,
): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / perPage));
  const to = (number: number, rel: string) => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    next.set('per_page', String(perPage));
    return `<${origin}${path}?${next}>; rel="${rel}"`;
  };
  const found = [
    ...(page > 1 ? [to(1, 'first'), to(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
  ];
  return found.length === 0 ? {} : { link: found.join(', ') };
}

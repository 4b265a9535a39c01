// Twelve tasks as agents get them, and the steps they take: natural ones, with the mistakes that were seen.
import type { Person } from '../clients.ts';
import type { Exposure } from '../exposures.ts';
import type { Agent } from './agent.ts';

export interface Task {
  readonly prompt: string;
  readonly server: 'fastapi' | 'nest' | 'fastify' | 'hono';
  readonly exposure: Exposure;
  readonly person: Person;
  /** Throws where what came of it is not what was asked for. */
  readonly steps: (agent: Agent, look: Look) => Promise<void>;
}

/** What the server itself says at a path, past Landbridge. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the server answers.
export type Look = (path: string) => Promise<{ readonly status: number; readonly body: any }>;

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`the task is not done: ${what}`);
}

const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

export const TASKS: readonly Task[] = [
  {
    prompt: 'Order two pieces of A-1 for Grace.',
    server: 'fastapi',
    exposure: 'tools',
    person: 'agrees',
    steps: async (agent, look) => {
      // Models fill in every optional argument, and null where they have nothing to say.
      await agent.succeed('create_order', { customer: 'Grace', lines: [{ sku: 'A-1', quantity: 2 }], note: null });
      const { id } = agent.json();
      await agent.succeed('read_order', { order_id: id });
      check((await look(`/orders/${id}`)).body.lines[0].quantity === 2, 'two pieces');
    },
  },
  {
    prompt: 'Which orders are still open?',
    server: 'fastapi',
    exposure: 'search',
    person: 'agrees',
    steps: async (agent) => {
      await agent.succeed('search_operations', { query: 'open orders' });
      const operation = agent.learn(/\b(list_orders)\b/);
      await agent.succeed('describe_operation', { operation });
      await agent.mistake('call_operation', { operation, arguments: { status: 'open' } });
      const status = JSON.parse(agent.learn(/did you mean (\["[^\]]*"\])/i));
      await agent.succeed('call_operation', { operation, arguments: { status } });
      check(
        agent.json().items.every((order: { status: string }) => order.status === 'open'),
        'open orders only',
      );
    },
  },
  {
    prompt: 'Mark the first order as shipped.',
    server: 'fastapi',
    exposure: 'grouped',
    person: 'agrees',
    steps: async (agent, look) => {
      const { tool, action } = agent.find('list_orders');
      await agent.succeed(tool, { action, limit: 1 });
      const { id } = agent.json().items[0];
      // The write is in another tool than the read; the answer says in which, and what it is called there.
      await agent.mistake(tool, { action: 'update_order', order_id: id, status: 'shipped' });
      const writing = agent.learn(/call (\w+) with/);
      const update = agent.learn(/"action":"(\w+)"/);
      await agent.succeed(writing, { action: update, order_id: id, status: 'shipped' });
      check((await look(`/orders/${id}`)).body.status === 'shipped', 'shipped');
    },
  },
  {
    prompt: 'Attach the invoice to the first order, and tell me how large it is.',
    server: 'fastapi',
    exposure: 'tools',
    person: 'agrees',
    steps: async (agent) => {
      await agent.succeed('list_orders', { limit: 1 });
      const { id } = agent.json().items[0];
      await agent.succeed('upload_attachment', { order_id: id, file: { filename: 'invoice.pdf', base64: PDF } });
      const { size, content_type } = agent.json();
      check(size === 15 && content_type === 'application/pdf', 'fifteen bytes of PDF');
    },
  },
  {
    prompt: 'Add a cat called Mimi, three years old.',
    server: 'nest',
    exposure: 'search',
    person: 'agrees',
    steps: async (agent, look) => {
      await agent.succeed('search_operations', { query: 'add a cat' });
      const operation = agent.learn(/\b(create_cat)\b/);
      // Calls first and reads afterwards: the refusal has to have everything.
      await agent.mistake('call_operation', { operation });
      const fields = { [agent.learn(/missing `(name)`/)]: 'Mimi', [agent.learn(/missing `(age)`/)]: 3 };
      await agent.succeed('call_operation', { operation, arguments: fields });
      check((await look(`/cats/${agent.json().id}`)).body.age === 3, 'Mimi is three');
    },
  },
  {
    prompt: 'Give Mimi this photo, then show it to me.',
    server: 'nest',
    exposure: 'tools',
    person: 'agrees',
    steps: async (agent) => {
      await agent.succeed('find_all_cats');
      const { id } = agent.json()[0];
      await agent.succeed('upload_cats_photo', { id, file: { filename: 'mimi.pdf', base64: PDF } });
      const { content } = await agent.succeed('download_cats_photo', { id });
      check(JSON.stringify(content).includes(PDF), 'the bytes of the photo');
    },
  },
  {
    prompt: 'Remove Mimi; she has moved out. (Headless: the agent declines every question by itself.)',
    server: 'nest',
    exposure: 'grouped',
    person: 'declines',
    steps: async (agent, look) => {
      const reading = agent.find('find_all_cats');
      await agent.succeed(reading.tool, { action: reading.action });
      const { id } = agent.json()[0];
      const { tool, action } = agent.find('remove_cat');
      await agent.mistake(tool, { action, id });
      const confirmation_token = agent.learn(/confirmation_token: "([\w.-]+)"/);
      await agent.succeed(tool, { action, id, confirmation_token });
      check((await look(`/cats/${id}`)).status === 404, 'Mimi is gone');
    },
  },
  {
    prompt: 'List all books, two at a time.',
    server: 'fastify',
    exposure: 'tools',
    person: 'agrees',
    steps: async (agent) => {
      for (const title of ['Notes', 'Sketches', 'Letters']) await agent.succeed('create_book', { title });
      await agent.succeed('list_books', { limit: 2 });
      const titles = agent.json().data.map((book: { title: string }) => book.title);
      const after = agent.learn(/"next_cursor":"(\w+)"/);
      await agent.succeed('list_books', { limit: 2, after });
      titles.push(...agent.json().data.map((book: { title: string }) => book.title));
      check(titles.join() === 'Notes,Sketches,Letters', 'three books');
    },
  },
  {
    prompt: 'Withdraw the book called Letters.',
    server: 'fastify',
    exposure: 'search',
    person: 'cannot be asked',
    steps: async (agent, look) => {
      await agent.succeed('search_operations', { query: 'withdraw a book' });
      const operation = agent.learn(/\b(delete_book)\b/);
      await agent.succeed('search_operations', { query: 'list books' });
      await agent.succeed('call_operation', { operation: agent.learn(/\b(list_books)\b/), arguments: {} });
      const { id } = agent.json().data.find((book: { title: string }) => book.title === 'Letters');
      await agent.mistake('call_operation', { operation, arguments: { id } });
      const confirmation_token = agent.learn(/confirmation_token: "([\w.-]+)"/);
      // Beside `arguments` or inside: both are natural.
      await agent.succeed('call_operation', { operation, arguments: { id }, confirmation_token });
      check((await look(`/api/v1/books/${id}`)).status === 404, 'Letters is withdrawn');
    },
  },
  {
    prompt: 'What exactly would be sent if I withdrew the first book? Do not do it.',
    server: 'fastify',
    exposure: 'grouped',
    person: 'agrees',
    steps: async (agent, look) => {
      const reading = agent.find('list_books');
      await agent.succeed(reading.tool, { action: reading.action });
      const { id } = agent.json().data[0];
      const { tool, action } = agent.find('delete_book');
      const answer = await agent.succeed(tool, { action, id, dry_run: true });
      check(answer.text.includes(`/api/v1/books/${id}`), 'the request is shown');
      check((await look(`/api/v1/books/${id}`)).status === 200, 'the book is still there');
    },
  },
  {
    prompt: 'Write down an apple pie with 800 grams of apples.',
    server: 'hono',
    exposure: 'search',
    person: 'agrees',
    steps: async (agent, look) => {
      await agent.succeed('search_operations', { query: 'save a recipe' });
      const operation = agent.learn(/\b(create_recipe)\b/);
      const ingredients = [{ name: 'apples' }];
      // A field of the ingredient on the level of the recipe.
      await agent.mistake('call_operation', { operation, arguments: { title: 'Apple pie', ingredients, grams: 800 } });
      const level = agent.learn(/`?grams`?.*\b(ingredients)\b/);
      const args = { title: 'Apple pie', [level]: [{ name: 'apples', grams: 800 }] };
      await agent.succeed('call_operation', { operation, arguments: args });
      check((await look(`/recipes/${agent.json().id}`)).body.ingredients[0].grams === 800, '800 grams');
    },
  },
  {
    prompt: 'Only the titles of my recipes, please.',
    server: 'hono',
    exposure: 'tools',
    person: 'agrees',
    steps: async (agent) => {
      await agent.succeed('list_recipes', { q: null, fields: 'items.title' });
      check(JSON.stringify(agent.json().items) === '[{"title":"Apple pie"}]', 'titles and nothing else');
    },
  },
];

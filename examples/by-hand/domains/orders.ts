// Three more operations of the practice bookshop (../bookshop.mjs), in TypeScript: arguments are zod types.
import { defineDomain } from 'landbridge';
import { z } from 'zod';

const order = z.int().min(1).describe('Number of the order, from orders_list.');

export default defineDomain({
  name: 'orders',
  title: 'Orders of the shop',
  baseUrl: { env: 'BOOKSHOP_URL', default: 'http://127.0.0.1:8080' },
  response: { drop: ['_links', 'row_version', 'tenant_id'] },
  endpoints: {
    list: {
      path: '/orders',
      summary: 'Lists orders, newest first.',
      args: z.object({
        status: z.enum(['open', 'paid', 'shipped', 'cancelled']).optional().describe('Only orders in this state.'),
        page: z.int().min(1).default(1).describe('Page number, from 1.'),
      }),
      fixed: { per_page: 5 },
      pagination: { kind: 'page', arg: 'page' },
    },
    create: {
      method: 'POST',
      path: '/orders',
      summary: 'Creates an order.',
      args: {
        customer: z.string().min(1).describe('Name of the customer.'),
        items: z
          .array(z.object({ book_id: z.int(), quantity: z.int().min(1) }))
          .min(1)
          .describe('Books, by the number from books_find.'),
      },
      place: { customer: { at: ['customer', 'name'] } },
      examples: [{ customer: 'Ada', items: [{ book_id: 2, quantity: 1 }] }],
    },
    cancel: {
      method: 'POST',
      path: '/orders/{id}/cancel',
      summary: 'Cancels an order. It cannot be opened again.',
      effect: 'destructive',
      args: { id: order },
    },
  },
});

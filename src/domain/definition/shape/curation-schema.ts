// The shape of what a domain file says about an imported document: which operations it takes, and what it changes about them.
import { z } from 'zod';
import { isObject } from '../../../endpoint/is-object.ts';
import type { ArgAddition } from '../definition-types.ts';
import { action, common } from './endpoint-schema.ts';
import { about, anything, chosen, flag, list, strict, text, texts } from './fields.ts';
import { argumentName, placementShape } from './placement-schema.ts';

export const filter = strict({
  tags: about(texts, 'Tags, as the document spells them or as groups are called.', ['orders']),
  paths: about(texts, 'Paths of the document; `*` stands for a segment, `**` for several.', ['/orders/**']),
  methods: about(texts, 'HTTP methods.', ['GET']),
  operations: about(texts, 'operationIds, `METHOD /path` or fully-qualified names, with globs.', [
    'listOrders',
    'get*',
  ]),
  deprecated: about(flag, 'Whether the document calls it deprecated.', false),
}).meta({
  id: 'filter',
  description: 'Picks operations of the document. Within one key any value may match; all keys that are there must.',
});

export const argCuration = strict({
  description: about(text, 'Replaces the text of the document.', 'Number of the order, from list_orders.'),
  rename: about(argumentName, 'The name the model uses.', 'order_id'),
  hide: about(
    flag,
    'Not offered, and not sent. A required argument is sent with its default; if it has none, use `fixed` or `required: false`.',
    true,
  ),
  fixed: about(anything, 'Not offered; always sent with this value.', 'json'),
  default: about(anything, 'Sent when the model leaves it out.', 20),
  required: about(flag, 'Whether the model must give it.', true),
  enum: about(list(anything), 'The values there are.', ['open', 'closed']),
  clamp: placementShape.clamp,
}).meta({ id: 'argumentChange', description: 'Changes to one argument of an imported operation.' });

/** What makes an entry of `args` an argument of its own instead of a change to one: only those say what it looks like. */
const ADDITION_KEYS = ['in', 'type', 'schema'];

export function isAddition(entry: unknown): entry is ArgAddition {
  return isObject(entry) && ADDITION_KEYS.some((key) => Object.hasOwn(entry, key));
}

/** Read like an argument of a hand-written endpoint (argument-plan.ts), which looks inside. */
const argAddition = z.custom<ArgAddition>(isAddition).meta({ anyOf: ['addition'] });
const operationArg = chosen<typeof argAddition | typeof argCuration>([argCuration, argAddition], (value) =>
  isAddition(value) ? argAddition : argCuration,
);

export const operation = strict({
  name: about(action, 'The action: `list_orders` becomes the tool `<prefix>_list_orders`.', 'get_order'),
  summary: about(text, 'One sentence: what it does. Default: the first sentence of `description`.', 'Gets one order.'),
  ...common,
  args: about(
    z.record(z.string(), operationArg),
    'Changes to arguments by name. An entry with `in`, `type` or `schema` adds one that the document lacks.',
    { id: { description: 'Number of the order.' }, expand: { in: 'query', type: 'string' } },
  ),
  lenient: about(
    flag,
    "Sends arguments that the document's schema would refuse (type, enum, format, bounds, a missing field), and the answer says so. Names, the path, guards and limits stay as strict as ever. Default: false.",
    true,
  ),
  additional: about(
    flag,
    'Passes on arguments that the document does not name: as body fields, or as query parameters where there is no body.',
    true,
  ),
  body: about(
    strict(
      { required: about(flag, 'Whether every call has to bring one. Only `false` can be said here.', false) },
      'required',
    ),
    'The body as a whole: with `required: false` a call may do without it; what it requires counts where one is sent.',
    { required: false },
  ),
}).meta({
  id: 'operation',
  description:
    'Changes to one operation of the imported document. Its key is the operationId, `METHOD /path`, action or tool name.',
});

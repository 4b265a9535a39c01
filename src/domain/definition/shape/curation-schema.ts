// The shape of the settings for an imported document: which operations are imported, and what is changed about them.
import { z } from 'zod';
import { isObject } from '../../../endpoint/is-object.ts';
import type { ArgAddition } from '../definition-types.ts';
import { action, common } from './endpoint-schema.ts';
import { about, anything, chosen, flag, list, strict, text, texts, withDefault } from './fields.ts';
import { argumentName, placementShape } from './placement-schema.ts';

export const filter = strict({
  tags: about(texts, 'Tags, as in the document, or names of groups.', ['orders']),
  paths: about(texts, 'Paths of the document. `*` matches one segment, `**` several.', ['/orders/**']),
  methods: about(texts, 'HTTP methods.', ['GET']),
  operations: about(
    texts,
    'operationIds, `METHOD /path`, or full names such as `shop.orders.list_orders`. Globs are allowed.',
    ['listOrders', 'get*'],
  ),
  deprecated: about(flag, 'Operations that the document marks as deprecated (`true`), or all others (`false`).', false),
}).meta({
  id: 'filter',
  description:
    'Selects operations of the document. An operation must match every key that is set, and one of the values of each key.',
});

export const argCuration = strict({
  description: about(
    text,
    'The description. It replaces the one in the document.',
    'Number of the order, from list_orders.',
  ),
  rename: about(argumentName, 'The name that the model uses.', 'order_id'),
  hide: about(
    flag,
    'Hides the argument from the model and does not send it. A required argument is sent with its default. If it has no default, use `fixed` or `required: false`.',
    true,
  ),
  fixed: about(anything, 'Hides the argument from the model and always sends this value.', 'json'),
  default: about(anything, 'The value that is sent if the model leaves the argument out.', 20),
  required: about(flag, 'The model must give the argument.', true),
  enum: about(list(anything), 'The values that are allowed.', ['open', 'closed']),
  clamp: placementShape.clamp,
}).meta({ id: 'argumentChange', description: 'Changes to one argument of an imported operation.' });

/** Entries of `args` with one of these keys are new arguments; all others are changes. Only these keys describe a value. */
const ADDITION_KEYS = ['in', 'type', 'schema'];

export function isAddition(entry: unknown): entry is ArgAddition {
  return isObject(entry) && ADDITION_KEYS.some((key) => Object.hasOwn(entry, key));
}

/** Read like an argument of a hand-written endpoint (argument-plan.ts), which checks the content. */
const argAddition = z.custom<ArgAddition>(isAddition).meta({ anyOf: ['addition'] });
const operationArg = chosen<typeof argAddition | typeof argCuration>([argCuration, argAddition], (value) =>
  isAddition(value) ? argAddition : argCuration,
);

export const operation = strict({
  name: about(action, 'The name of the action: `list_orders` becomes the tool `<prefix>_list_orders`.', 'get_order'),
  summary: about(
    text,
    withDefault('What the operation does, in one sentence.', 'the first sentence of `description`'),
    'Gets one order.',
  ),
  ...common,
  args: about(
    z.record(z.string(), operationArg),
    'Changes to arguments, by name. An entry with `in`, `type` or `schema` adds an argument that is missing in the document.',
    { id: { description: 'Number of the order.' }, expand: { in: 'query', type: 'string' } },
  ),
  lenient: about(
    flag,
    withDefault(
      'Sends arguments although the schema in the document does not allow them (type, enum, format, bounds, a missing field). The answer says so. Names, the path, guards and limits are still checked.',
      false,
    ),
    true,
  ),
  additional: about(
    flag,
    'Also sends arguments that are not in the document: as body fields, or as query parameters if there is no body.',
    true,
  ),
  body: about(
    strict({ required: about(flag, 'Every call needs a body. Only `false` is allowed here.', false) }, 'required'),
    'The body as a whole. With `required: false`, a call can leave it out. The fields that the body requires are required only if there is a body.',
    { required: false },
  ),
}).meta({
  id: 'operation',
  description:
    'Changes to one operation of the imported document. Its key is the operationId, `METHOD /path`, action or tool name.',
});

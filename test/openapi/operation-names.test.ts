// Names of operations: from their own words, within the limit, unique, and stable.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TOOL_NAME } from '../../src/endpoint/names.ts';
import type { OperationInfo } from '../../src/openapi/import-options.ts';
import { chooseOperationNames, type NamedInfo } from '../../src/openapi/names/operation-names.ts';

/** `GET /users` or `GET /users listUsers` or `GET /users listUsers #tag`. */
function operation(line: string): NamedInfo {
  const [request = '', ...tags] = line.split(' #');
  const [method = '', path = '', operationId] = request.split(' ');
  const info: OperationInfo = { method, path, tags, deprecated: false, ...(operationId && { operationId }) };
  return { info, extensionName: undefined };
}

function name(lines: readonly string[], domain = 'test'): string[] {
  return chooseOperationNames(lines.map(operation), domain, 48).map(({ action }) => action);
}

const HASH = /_(?=[a-f]*\d)[0-9a-f]{6}$/;

describe('ids that a generator wrote', () => {
  test.each([
    // FastAPI
    ['GET /orders list_orders_orders_get', 'list_orders'],
    ['GET /api/v1/items/{item_id} read_item_api_v1_items__item_id__get', 'read_item'],
    ['GET /users/ get_all_users__get', 'get_all_users'],
    ['GET / root__get', 'root'],
    ['GET /items/ items-list_items', 'list_items'],
    ['PATCH /users/{id} users:patch_user_users__id__patch', 'patch_user'],
    ['POST /users/{user_id}/roles create_users__user_id__roles_post', 'create_role'],
    // NestJS
    ['GET /cats CatsController_findAll', 'find_all_cats'],
    ['GET /cats cats_controller_find_all', 'find_all_cats'],
    ['GET /cats/{id} CatsController_findOne', 'find_one_cat'],
    ['GET /cats/{id} CatsController_findOneById', 'find_one_cat_by_id'],
    ['POST /cats CatsController_create', 'create_cat'],
    ['POST /auth/login AuthController_login', 'auth_login'],
    ['GET /users/profile UsersController_getProfile', 'get_users_profile'],
    ['POST /orders/{id}/cancel OrdersController_cancelOrder', 'cancel_order'],
    ['GET / AppController_getHello', 'get_hello'],
    ['GET /users UserController_findAll', 'find_all_users'],
    ['GET /v2/cats CatsController_findAll_v2', 'find_all_cats_v2'],
    ['GET /orders OrdersController_index', 'list_orders'],
    ['POST /auth/login AuthController_signIn', 'auth_sign_in'],
    // gRPC gateway
    ['GET /users UserService_ListUsers', 'list_users'],
    ['GET /customer-service customer_service_create', 'customer_service_create'],
    // NSwag
    ['GET /api/Orders Orders_GetAll', 'get_all_orders'],
    ['POST /api/Orders Orders_Post', 'create_order'],
    ['GET /api/Orders/{id} Orders_Get', 'get_order'],
    // Springfox
    ['GET /users listUsersUsingGET_1', 'list_users'],
    ['GET /users listUsingGET', 'list_users'],
    // Laravel
    ['GET /users users.index', 'list_users'],
    ['POST /users user.store', 'create_user'],
    ['GET /users/{user} users.show', 'show_user'],
    ['GET /posts/{post}/edit posts.edit', 'edit_post'],
    ['GET /v1/orders/{order}/items v1.orders.items.index', 'list_order_items'],
    // Method and path
    ['GET /api/v1/users get_api_v1_users', 'list_users'],
    ['GET /v1/customers/{customer}/sources/{id} GetCustomersCustomerSourcesId', 'get_customer_source'],
    ['POST /v1/charges/{charge}/capture PostChargesChargeCapture', 'capture_charge'],
    ['POST /v1/customers PostCustomers', 'create_customer'],
    ['GET /users/{id} usersIdGet', 'get_user'],
    ['GET /api/v1/users api_v1_users_list', 'users_list'],
    ['GET /api/v1/users v1_users_list', 'users_list'],
  ])('%s is %s', (line, want) => {
    expect(name([line])).toEqual([want]);
  });

  test.each([
    ['GET /users getUsers', 'get_users'],
    ['DELETE /users/{id} users_delete', 'users_delete'],
    ['GET /api/keys api_keys_list', 'keys_list'],
    ['GET /api-keys api_keys_list', 'api_keys_list'],
    ['GET /rc/{name}/scale readReplicationControllerScale', 'read_replication_controller_scale'],
    ['GET /oauth2 oauth_2', 'oauth_2'],
    ['PATCH /api/users/{id}/ users_partial_update', 'users_partial_update'],
    ['GET /videos youtube.videos.list', 'youtube_videos_list'],
    ['POST /auth/login login', 'login'],
    ['POST /rpc call', 'call'],
    ['GET /health health', 'health'],
    ['GET /search search #Search', 'search'],
    ['GET /zones/{id} zones-get-one', 'zones_get_one'],
  ])('%s may be a person’s choice: %s', (line, want) => {
    expect(name([line])).toEqual([want]);
  });
});

describe('an id that is only a verb gets a noun from the path or the tag', () => {
  test.each([
    ['GET /users list', 'list_users'],
    ['GET /users get', 'get_users'],
    ['GET /users/{id} get_1', 'get_user'],
    ['GET /users/{id} show', 'show_user'],
    ['POST /users create_12', 'create_user'],
    ['POST /users store', 'create_user'],
    ['PUT /users update', 'update_user'],
    ['DELETE /users/{id} destroy', 'destroy_user'],
    ['DELETE /users deleteAll', 'delete_all_users'],
    ['GET /users index', 'list_users'],
    ['GET /users/all findAll', 'find_all_users'],
    ['GET /users/search search', 'search_users'],
    ['GET /users/{id} getById_3', 'get_user_by_id'],
    ['GET /users/by-email/{email} findByEmail', 'find_user_by_email'],
    ['GET /users/me get', 'get_users_me'],
    ['POST /users/bulk create', 'create_users_bulk'],
    ['POST /users/{id}/activate activate', 'activate_user'],
    ['GET /users/count count', 'count_users'],
    ['GET /orders/{id}/items list_2', 'list_items'],
    ['GET /api/v1 list #Users', 'list_users'],
    ['GET /{id} get #user-controller', 'get_user'],
    ['GET /v1/{id} get #default', 'get'],
  ])('%s is %s', (line, want) => {
    expect(name([line])).toEqual([want]);
  });

  test('so that adding an operation renames no other', () => {
    const before = ['GET /users list', 'POST /users create'];
    expect(name(before)).toEqual(['list_users', 'create_user']);
    expect(name([...before, 'GET /orders list_1', 'POST /orders create_1']).slice(0, 2)).toEqual(name(before));
    // springdoc counts anew.
    expect(name(['GET /orders list', 'GET /users list_1', 'POST /users create']).slice(1)).toEqual(name(before));
  });
});

describe('without an id', () => {
  test.each([
    ['GET /users', 'list_users'],
    ['GET /api/v2/users/{id}', 'get_user'],
    ['POST /users', 'create_user'],
    ['PUT /users/{id}', 'update_user'],
    ['PATCH /users/{id}', 'patch_user'],
    ['DELETE /users/{id}', 'delete_user'],
    ['GET /orgs/{org}/policies/{policy}/statuses', 'list_org_policy_statuses'],
    ['POST /orders/{id}/cancel', 'cancel_order'],
    ['POST /v1/{name}:undelete', 'undelete_name'],
    ['POST /users/terminate_sessions', 'terminate_user_sessions'],
    ['POST /payment_intents/{intent}/verify_microdeposits', 'verify_payment_intent_microdeposits'],
    ['POST /users/{id}/delete_requests', 'create_user_delete_request'],
    ['POST /suites/{id}/test_runs', 'create_suite_test_run'],
    ['GET /users/{id}/assign_rights', 'list_user_assign_rights'],
    ['POST /admin/reset', 'admin_reset'],
    ['POST /auth/login', 'auth_login'],
    ['POST /api/Orders/Create #Orders', 'create_order'],
    ['DELETE /api/Orders/Delete/{id} #Orders', 'delete_order'],
    ['GET /api/Orders/GetByCustomer/{customerId} #Orders', 'get_orders_by_customer'],
    ['GET /api/Orders/GetAll #Orders', 'get_all_orders'],
    ['GET /api/Product/GetProducts #Product', 'get_products'],
    ['GET /api/Product/GetProductById/{id} #Product', 'get_product_by_id'],
    ['GET /users/me', 'get_users_me'],
    ['GET /2010-04-01/Accounts.json', 'list_accounts'],
    ['GET /rest/api/3/issue/{key}', 'get_issue'],
    ['GET /', 'get_root'],
    ['GET /v1', 'get_v1'],
    ['GET /users 5f1c2d3e-aaaa-4bbb-8ccc-1234567890ab', 'list_users'],
  ])('%s is %s', (line, want) => {
    expect(name([line])).toEqual([want]);
  });
});

describe('a long id keeps its meaningful words', () => {
  test.each([
    [
      'compute',
      'POST /projects/{project}/zones/{zone}/instances/{instance}/setShieldedInstanceIntegrityPolicy compute.instances.setShieldedInstanceIntegrityPolicy',
      'instances_set_shielded_instance_integrity_policy',
    ],
    [
      'kubernetes',
      'GET /api/v1/namespaces/{namespace}/replicationcontrollers/{name}/scale readCoreV1NamespacedReplicationControllerScale #core_v1',
      'read_core_v1_replication_controller_scale',
    ],
    [
      'cloudflare',
      'POST /zones/{zone_id}/access/apps zone-level-access-applications-add-a-bookmark-application #Zone-Level Access applications',
      'zone_level_access_apps_add_bookmark_app',
    ],
    [
      'github',
      'PUT /orgs/{org}/actions/permissions/repositories actions/set-selected-repositories-enabled-github-actions-organization #actions',
      'actions_set_selected_repos_enabled_actions_org',
    ],
    [
      'azure',
      'GET /subscriptions/{id}/providers/Microsoft.Network/virtualNetworkGateways VirtualNetworkGatewayConnections_ListRadiusSecretsForSubscription',
      'connections_list_radius_secrets_subscription',
    ],
  ])('of %s', (domain, line, want) => {
    const [short] = name([line], domain);
    expect(short).toBe(want);
    expect(short).toMatch(TOOL_NAME);
  });

  test('words that were left out come back if they distinguish two names', () => {
    const path = '/apis/admissionregistration.k8s.io/%/mutatingadmissionpolicybindings/{name}';
    const of = (version: string, id: string) =>
      `PUT ${path.replace('%', version)} replaceAdmissionregistration${id}MutatingAdmissionPolicyBinding #admissionregistration_${version}`;
    expect(name([of('v1', 'V1'), of('v1beta1', 'V1beta1')])).toEqual([
      'replace_v1_mutating_admission_policy_binding',
      'replace_v1beta1_admission_policy_binding',
    ]);
    const validating = of('v1beta1', 'V1beta1').replace('mutating', 'validating').replace('Mutating', 'Validating');
    expect(name([of('v1beta1', 'V1beta1'), validating])).toEqual([
      'replace_v1beta1_mutating_policy_binding',
      'replace_v1beta1_validating_policy_binding',
    ]);
  });

  test('a front that repeats the name of the API is removed first; its words elsewhere stay', () => {
    const path = '/v1/projects/{p}/locations/global/connectivityTests/{t}:getIamPolicy';
    const id = 'networkconnectivity.projects.locations.global.connectivityTests.getIamPolicy';
    expect(name([`GET ${path} ${id}`], 'network_connectivity')).toEqual(['global_connectivity_tests_get_iam_policy']);
    const line = 'GET /a actions/set-selected-repositories-enabled-github-actions-organization #actions';
    expect(name([line], 'github_octokit_extension')).toEqual(['actions_set_selected_repos_enabled_actions_org']);
  });

  describe('and the front that nearly all ids have in common is removed first', () => {
    const provider = (thing: string, deed: string) =>
      `POST /subscriptions/{id}/providers/Microsoft.Network/${thing}/{name}/${deed} MicrosoftNetworkResourceProvider_${thing}_${deed}`;
    const things = ['VirtualNetworkGateways', 'VirtualNetworkGatewayConnections', 'VirtualNetworkGatewayNatRules'];
    const all = things.flatMap((thing) => ['Get', 'Delete', 'UpdateTags'].map((deed) => provider(thing, deed)));

    test('as a whole, up to a boundary that the ids themselves have', () => {
      expect(name([...all, 'GET /operations Operations_List'], 'azure_network')).toEqual([
        'virtual_network_gateways_get',
        'virtual_network_gateways_delete',
        'virtual_network_gateways_update_tags',
        'virtual_network_gateway_connections_get',
        'virtual_network_gateway_connections_delete',
        'virtual_network_gateway_connections_update_tags',
        'virtual_network_gateway_nat_rules_get',
        'virtual_network_gateway_nat_rules_delete',
        'virtual_network_gateway_nat_rules_update_tags',
        'operations_list',
      ]);
    });

    test('whichever operation is removed', () => {
      const names = name(all, 'azure_network');
      for (const gone of all.keys()) {
        const without = <Item>(list: readonly Item[]) => list.filter((_, place) => place !== gone);
        expect(name(without(all), 'azure_network')).toEqual(without(names));
      }
    });

    test('but stays in names that are short enough, and so does a verb', () => {
      const short = Array.from({ length: 10 }, (_, place) => `GET /repos/a${place} repos_list_a${place}`);
      expect(name(short)[3]).toBe('repos_list_a3');
      const long = Array.from({ length: 10 }, (_, place) => `GET /a${place} list_${'some_words_'.repeat(5)}a${place}`);
      expect(name(long)[3]).toMatch(/^list_.*a3$/);
    });
  });

  test('ends in a hash only if a single word is too long', () => {
    expect(name([`GET /a ${'y'.repeat(60)}`])[0]).toMatch(HASH);
  });
});

describe('operations that would get the same name', () => {
  test.each([
    ['differ by what they are about', ['GET /users list', 'GET /orders list'], ['list_users', 'list_orders']],
    ['differ by where it is', ['GET /users', 'GET /admin/users users'], ['list_users', 'users']],
    ['differ by edition', ['GET /v1/users', 'GET /v2/users'], ['list_users_v1', 'list_users_v2']],
    ['differ by method', ['GET /a x', 'POST /a x'], ['x_get', 'x_post']],
    ['differ by tag', ['GET /a/{x} x #cats', 'GET /a/{y} x #dogs'], ['x_cats', 'x_dogs']],
    ['differ by variable', ['GET /pets/{id}', 'GET /pets/{name}'], ['get_pet_by_id', 'get_pet_by_name']],
    ['differ by query', ['GET /now?city={c}', 'GET /now?lat={l}'], ['get_now_city_c', 'get_now_lat_l']],
    ['differ by a slash', ['GET /pets', 'GET /pets/'], ['list_pets', 'list_pets_slash']],
    [
      'are numbered by springdoc',
      ['GET /users list', 'POST /users create', 'GET /orders list_1', 'POST /orders create_1'],
      ['list_users', 'create_user', 'list_orders', 'create_order'],
    ],
    [
      'are of one kind, and one belongs to another',
      ['GET /users list', 'GET /admin/users list_1'],
      ['list_users', 'list_users_admin'],
    ],
    [
      'and one is called so by its author',
      ['GET /orders list_orders_orders_get', 'GET /all-orders list_orders'],
      ['list_orders_get', 'list_orders'],
    ],
  ])('%s', (_what, lines, want) => {
    expect(name(lines)).toEqual(want);
    expect(name([...lines].reverse()).reverse()).toEqual(want);
  });
});

const WORDS = [
  'list',
  'get',
  'users',
  'orders',
  'policy',
  'configuration',
  'v1',
  'zone',
  'level',
  'access',
  'admission',
];
const word = fc.constantFrom(...WORDS);
const path = fc
  .array(fc.oneof(word, fc.constantFrom('{id}', '{name}')), { minLength: 1, maxLength: 5 })
  .map((parts) => `/${parts.join('/')}`);
const id = fc.option(
  fc.array(word, { minLength: 1, maxLength: 9 }).map((parts) => parts.join('_')),
  { nil: '' },
);
const line = fc
  .tuple(fc.constantFrom('GET', 'POST', 'DELETE'), path, id)
  .map(([method, where, text]) => `${method} ${where} ${text}`.trim());
const lines = fc.uniqueArray(line, {
  selector: (text) => text.split(' ').slice(0, 2).join(' '),
  minLength: 2,
  maxLength: 40,
});

describe('for any operations', () => {
  test('names are valid and unique, and independent of the order', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const names = name(all);
        expect(new Set(names).size).toBe(all.length);
        for (const one of names) expect(one).toMatch(TOOL_NAME);
        expect(name([...all].reverse()).reverse()).toEqual(names);
      }),
    );
  });

  test('names that x-mcp gives to several operations are resolved independently of the order', () => {
    const all = [
      'DELETE /{get}/get/ group_group #user',
      'GET /{by}/{api} id #id',
      'POST /{by} #v1',
      'GET /{v1}/{list}/ #id',
    ].map((text, place): NamedInfo => ({ ...operation(text), extensionName: place < 3 ? 'users' : undefined }));
    const actions = (some: readonly NamedInfo[]) => chooseOperationNames(some, 'dom', 30).map(({ action }) => action);
    expect(actions([...all].reverse()).reverse()).toEqual(actions(all));
  });

  test('removing one renames at most those that would get the same name', () => {
    fc.assert(
      fc.property(lines, fc.nat(), (all, pick) => {
        const gone = pick % all.length;
        const alone = all.map((one) => name([one])[0]!);
        const before = name(all);
        const after = name(all.filter((_, place) => place !== gone));
        const rest = before.filter((_, place) => place !== gone);
        const wishes = alone.filter((_, place) => place !== gone);
        const contested = new Set(wishes.filter((wish, place) => wishes.indexOf(wish) !== place));
        for (const [place, one] of after.entries()) {
          if (one === rest[place]) continue;
          // Renamed: it wishes for the name of the one that went, or shares its own with others and met that one there.
          expect(wishes[place] === alone[gone] || contested.has(wishes[place]!)).toBe(true);
        }
      }),
    );
  });

  test('one with a name that no other would get keeps it, whichever others are added or removed', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const alone = all.map((one) => name([one])[0]!);
        for (const [place, one] of name(all).entries()) {
          if (alone.indexOf(alone[place]!) === alone.lastIndexOf(alone[place]!)) expect(one).toBe(alone[place]);
        }
      }),
    );
  });
});

import { testContracts } from './contract.ts';

const API = 'https://jsonplaceholder.typicode.com';
const post = { userId: 1, id: 1, title: 'sunt aut facere', body: 'quia et suscipit' };
const comment = { postId: 1, id: 1, name: 'id labore', email: 'Eliseo@gardner.biz', body: 'laudantium enim' };
const todo = { userId: 1, id: 4, title: 'et porro tempora', completed: true };
const user = {
  id: 1,
  name: 'Leanne Graham',
  username: 'Bret',
  email: 'Sincere@april.biz',
  address: { street: 'Kulas Light', city: 'Gwenborough', geo: { lat: '-37.3159', lng: '81.1496' } },
  company: { name: 'Romaguera-Crona' },
};

testContracts('jsonplaceholder', {}, [
  {
    action: 'list_posts',
    args: { user_id: 1, page: 2 },
    request: `GET ${API}/posts?userId=1&_page=2&_limit=20`,
    answer: [post],
    shows: ['sunt aut facere'],
  },
  { action: 'list_posts', args: { limit: 5 }, request: `GET ${API}/posts?_limit=5`, answer: [post] },
  { action: 'get_post', args: { id: 1 }, request: `GET ${API}/posts/1`, answer: post, shows: ['quia et suscipit'] },
  {
    action: 'create_post',
    args: { title: 'Hello', body: 'A first post.', user_id: 3 },
    request: `POST ${API}/posts`,
    body: { title: 'Hello', body: 'A first post.', userId: 3 },
    status: 201,
    answer: { title: 'Hello', body: 'A first post.', userId: 3, id: 101 },
    shows: ['101'],
  },
  {
    action: 'replace_post',
    args: { id: 1, title: 'New', body: '', user_id: 1 },
    request: `PUT ${API}/posts/1`,
    body: { title: 'New', body: '', userId: 1 },
    answer: { id: 1, title: 'New', body: '', userId: 1 },
  },
  {
    action: 'update_post',
    args: { id: 7, title: 'Better' },
    request: `PATCH ${API}/posts/7`,
    body: { title: 'Better' },
    answer: { ...post, id: 7, title: 'Better' },
    shows: ['Better'],
  },
  { action: 'delete_post', args: { id: 7 }, request: `DELETE ${API}/posts/7`, answer: {} },
  {
    action: 'list_comments',
    args: { post_id: 1, limit: 2 },
    request: `GET ${API}/comments?postId=1&_limit=2`,
    answer: [comment],
    shows: ['Eliseo@gardner.biz'],
  },
  { action: 'get_comment', args: { id: 1 }, request: `GET ${API}/comments/1`, answer: comment },
  {
    action: 'create_comment',
    args: { post_id: 1, name: 'Nice', email: 'a@example.com', body: 'Well said.' },
    request: `POST ${API}/comments`,
    body: { postId: 1, name: 'Nice', email: 'a@example.com', body: 'Well said.' },
    status: 201,
    answer: { id: 501 },
  },
  {
    action: 'list_todos',
    args: { user_id: 1, completed: false },
    request: `GET ${API}/todos?userId=1&completed=false&_limit=20`,
    answer: [todo],
  },
  { action: 'get_todo', args: { id: 4 }, request: `GET ${API}/todos/4`, answer: todo },
  {
    action: 'create_todo',
    args: { title: 'Water the plants', user_id: 1 },
    request: `POST ${API}/todos`,
    body: { title: 'Water the plants', userId: 1, completed: false },
    status: 201,
    answer: { id: 201 },
  },
  {
    action: 'update_todo',
    args: { id: 4, completed: true },
    request: `PATCH ${API}/todos/4`,
    body: { completed: true },
    answer: todo,
  },
  { action: 'delete_todo', args: { id: 4 }, request: `DELETE ${API}/todos/4`, answer: {} },
  {
    action: 'list_users',
    args: { username: 'Bret' },
    request: `GET ${API}/users?username=Bret`,
    answer: [user],
    shows: ['Gwenborough'],
  },
  { action: 'get_user', args: { id: 1 }, request: `GET ${API}/users/1`, answer: user, shows: ['Romaguera-Crona'] },
]);

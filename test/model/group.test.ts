import { describe, expect, test } from 'vitest';
import { Group } from '../../src/model/group.ts';
import { Prompt } from '../../src/model/prompt.ts';
import { Resource } from '../../src/model/resource.ts';
import { Tool } from '../../src/model/tool.ts';

const tool = (name: string) => new Tool({ name, inputSchema: { type: 'object' } });

function platform() {
  const root = new Group({ name: 'platform' });
  const users = new Group({ name: 'users' });
  const admin = new Group({ name: 'admin' });
  root.addGroup(users).addGroup(admin);
  return { root, users, admin };
}

describe('Group', () => {
  test('names are qualified recursively, with any separator', () => {
    const { root, users } = platform();
    const management = new Group({ name: 'management' });
    users.addGroup(management);
    expect(management.getFullyQualifiedName()).toBe('platform.users.management');
    expect(management.getFullyQualifiedName('/')).toBe('platform/users/management');
    expect(root.getFullyQualifiedName()).toBe('platform');
    expect(management.root).toBe(root);
    expect(management.parent).toBe(users);
  });

  test('a leaf with two parents has two qualified names and is counted once', () => {
    const { root, users, admin } = platform();
    const search = tool('search');
    users.addTool(search);
    admin.addTool(search);
    expect(search.parentGroups).toEqual([users, admin]);
    expect(search.getFullyQualifiedName()).toBe('platform.users.search');
    expect(search.getFullyQualifiedNames('/')).toEqual(['platform/users/search', 'platform/admin/search']);
    expect(search.roots).toEqual([root]);
    expect(root.allTools()).toEqual([search]);
  });

  test('a leaf without a parent is its own name', () => {
    expect(tool('alone').getFullyQualifiedName()).toBe('alone');
    expect(tool('alone').getFullyQualifiedNames()).toEqual(['alone']);
  });

  test('adding a leaf twice adds it once', () => {
    const { users } = platform();
    const list = tool('list');
    users.addTool(list).addTool(list);
    expect(users.childTools).toEqual([list]);
    expect(list.parentGroups).toEqual([users]);
  });

  test('a group has one parent and is never its own ancestor', () => {
    const { root, users, admin } = platform();
    expect(() => admin.addGroup(users)).toThrow('Group "users" already has the parent "platform"');
    expect(() => users.addGroup(root)).toThrow('Group "platform" cannot be its own ancestor.');
    expect(() => root.addGroup(root)).toThrow('cannot be its own ancestor');
  });

  test('prompts and resources can be in groups like tools', () => {
    const { users } = platform();
    const prompt = new Prompt({ name: 'greet' });
    const resource = new Resource({ name: 'doc', uri: 'doc://users' });
    users.addPrompt(prompt).addResource(resource);
    expect(prompt.getFullyQualifiedName()).toBe('platform.users.greet');
    expect(resource.getFullyQualifiedName()).toBe('platform.users.doc');
  });

  test('once frozen, nothing below can be changed', () => {
    const { root, users } = platform();
    const list = tool('list');
    users.addTool(list);
    root.freeze();
    expect(() => users.addTool(tool('late'))).toThrow('Group "users" is frozen');
    expect(() => root.addGroup(new Group({ name: 'late' }))).toThrow('Group "platform" is frozen');
    expect(() => (users.childTools as Tool[]).push(tool('sneaky'))).toThrow(TypeError);
    expect(() => new Group({ name: 'other' }).addTool(list)).toThrow('"list" is frozen');
  });

  test('its lists are copies that cannot be changed, even before it is frozen', () => {
    const { root, users } = platform();
    const list = tool('list');
    users.addTool(list);
    const before = users.childTools;
    for (const children of [root.childGroups, users.childTools, users.childPrompts, list.parentGroups]) {
      expect(() => (children as unknown[]).push({})).toThrow(TypeError);
    }
    users.addTool(tool('get'));
    expect([before.length, users.childTools.length]).toEqual([1, 2]);
  });

  test('a leaf may have another name below its groups than in public', () => {
    const { users } = platform();
    const list = new Tool({ name: 'platform_list', localName: 'list', inputSchema: { type: 'object' } });
    users.addTool(list);
    expect(list.getFullyQualifiedName()).toBe('platform.users.list');
  });

  test('a tool refuses unknown and missing arguments', () => {
    const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
    const get = new Tool({ name: 'get', inputSchema });
    expect(get.validateArguments({ id: 7 })).toEqual({ id: 7 });
    for (const args of [{}, { id: 7, x: 1 }]) {
      expect(() => get.validateArguments(args)).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
    }
    expect(() => Object.assign(get.inputSchema, { x: 1 })).toThrow(TypeError);
  });

  test('an empty name is refused', () => {
    expect(() => new Group({ name: '' })).toThrow('A Group needs a name');
    expect(() => tool('')).toThrow('A Tool needs a name');
    expect(() => new Resource({ name: 'x', uri: '' })).toThrow('needs a URI');
  });

  test('schemas and descriptions given as functions are built on first use, once', () => {
    let built = 0;
    const lazy = new Tool({
      name: 'lazy',
      description: () => `text ${++built}`,
      inputSchema: () => ({ type: 'object', $comment: String(++built) }),
    });
    expect(built).toBe(0);
    expect(lazy.description).toBe('text 1');
    expect(lazy.description).toBe('text 1');
    expect(lazy.inputSchema).toBe(lazy.inputSchema);
    expect(built).toBe(2);
  });
});

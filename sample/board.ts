// The task board behind the sample API: in memory, the same at every start, and bounded.

export const STATUSES = ['todo', 'doing', 'done'] as const;
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

export interface Task {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly status: (typeof STATUSES)[number];
  readonly priority: (typeof PRIORITIES)[number];
  readonly assignee: string | null;
  readonly labels: readonly string[];
  readonly due_on: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Comment {
  readonly id: number;
  readonly task_id: number;
  readonly author: string;
  readonly text: string;
  readonly created_at: string;
}

export type TaskFields = Omit<Task, 'id' | 'created_at' | 'updated_at'>;

export interface TaskFilter {
  readonly status?: string | undefined;
  readonly assignee?: string | undefined;
  readonly label?: string | undefined;
  readonly due_before?: string | undefined;
  readonly sort?: 'id' | 'due_on' | 'priority' | 'updated_at' | undefined;
}

const MAX_TASKS = 1_000;
const MAX_COMMENTS = 100;

export type Board = ReturnType<typeof createBoard>;

/** A board with the seed tasks on it. `now` dates what is added later. */
export function createBoard(now: () => Date = () => new Date()) {
  const tasks = new Map<number, Task>(SEED.map((task) => [task.id, task]));
  const comments = new Map<number, Comment[]>([[1, [...SEED_COMMENTS]]]);
  let lastTask = SEED.length;
  let lastComment = SEED_COMMENTS.length;

  return {
    list(filter: TaskFilter): Task[] {
      const found = [...tasks.values()].filter(
        (task) =>
          (filter.status === undefined || task.status === filter.status) &&
          (filter.assignee === undefined || task.assignee === filter.assignee) &&
          (filter.label === undefined || task.labels.includes(filter.label)) &&
          (filter.due_before === undefined || (task.due_on !== null && task.due_on < filter.due_before)),
      );
      return found.sort(ORDERS[filter.sort ?? 'id']);
    },

    /** Tasks whose title, description or labels hold every word, best title match first. */
    search(query: string, limit: number): Task[] {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const hit = (task: Task) => `${task.title} ${task.description} ${task.labels.join(' ')}`.toLowerCase();
      const inTitle = (task: Task) => words.filter((word) => task.title.toLowerCase().includes(word)).length;
      return [...tasks.values()]
        .filter((task) => words.every((word) => hit(task).includes(word)))
        .sort((a, b) => inTitle(b) - inTitle(a) || a.id - b.id)
        .slice(0, limit);
    },

    get: (id: number): Task | undefined => tasks.get(id),

    /** undefined when the board is full. */
    add(fields: TaskFields): Task | undefined {
      if (tasks.size >= MAX_TASKS) return undefined;
      const time = now().toISOString();
      const task = { id: ++lastTask, ...fields, created_at: time, updated_at: time };
      tasks.set(task.id, task);
      return task;
    },

    change(id: number, fields: Partial<TaskFields>): Task | undefined {
      const task = tasks.get(id);
      if (task === undefined) return undefined;
      const changed = { ...task, ...fields, updated_at: now().toISOString() };
      tasks.set(id, changed);
      return changed;
    },

    remove(id: number): boolean {
      comments.delete(id);
      return tasks.delete(id);
    },

    comments: (id: number): readonly Comment[] => comments.get(id) ?? [],

    /** undefined when the task has too many already. */
    comment(id: number, author: string, text: string): Comment | undefined {
      const list = comments.get(id) ?? [];
      if (list.length >= MAX_COMMENTS) return undefined;
      const comment = { id: ++lastComment, task_id: id, author, text, created_at: now().toISOString() };
      comments.set(id, [...list, comment]);
      return comment;
    },

    summary() {
      const all = [...tasks.values()];
      const count = (status: string) => all.filter((task) => task.status === status).length;
      return { total: all.length, todo: count('todo'), doing: count('doing'), done: count('done') };
    },
  };
}

const byId = (a: Task, b: Task) => a.id - b.id;
const ORDERS = {
  id: byId,
  due_on: (a: Task, b: Task) => (a.due_on ?? '9999').localeCompare(b.due_on ?? '9999') || byId(a, b),
  priority: (a: Task, b: Task) => PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority) || byId(a, b),
  updated_at: (a: Task, b: Task) => b.updated_at.localeCompare(a.updated_at) || byId(a, b),
};

type Row = readonly [string, Task['status'], Task['priority'], string | null, string, string | null, string];

const ROWS: readonly Row[] = [
  [
    'Write the release notes',
    'doing',
    'high',
    'ada',
    'docs release',
    '2026-12-04',
    'What changed since 0.9, for people who upgrade.',
  ],
  [
    'Fix the login timeout',
    'todo',
    'urgent',
    'linus',
    'bug auth',
    '2026-11-28',
    'Sessions end after five minutes on slow networks.',
  ],
  ['Order new laptops', 'todo', 'normal', 'grace', 'office', '2027-01-15', 'Four, with 32 GB of memory.'],
  [
    'Review the backup plan',
    'done',
    'high',
    'margaret',
    'ops security',
    '2026-10-30',
    'Restore one database to prove it works.',
  ],
  [
    'Plan the team offsite',
    'todo',
    'low',
    'grace',
    'office people',
    '2027-03-01',
    'Somewhere with a view and bad reception.',
  ],
  ['Upgrade the database', 'doing', 'high', 'linus', 'ops', '2026-12-11', 'From 15 to 17, with a dry run first.'],
  ['Translate the help pages', 'todo', 'normal', null, 'docs', null, 'German and Portuguese are asked for most.'],
  [
    'Measure page load times',
    'done',
    'normal',
    'ada',
    'performance',
    '2026-11-02',
    'Median and 95th percentile, per page.',
  ],
  [
    'Rotate the API keys',
    'todo',
    'urgent',
    'margaret',
    'security ops',
    '2026-11-25',
    'All keys older than ninety days.',
  ],
  ['Clean up old branches', 'done', 'low', 'linus', 'chore', null, 'Anything merged more than a month ago.'],
  [
    'Interview the new designer',
    'doing',
    'normal',
    'grace',
    'people',
    '2026-11-24',
    'Portfolio first, then a walk through the product.',
  ],
  ['Add a dark theme', 'todo', 'normal', 'ada', 'design frontend', '2027-02-01', 'Follow the system setting.'],
  [
    'Fix the broken search index',
    'doing',
    'urgent',
    'linus',
    'bug search',
    '2026-11-23',
    'New documents appear only after a restart.',
  ],
  [
    'Renew the certificates',
    'done',
    'high',
    'margaret',
    'ops security',
    '2026-11-15',
    'And let a machine do it next time.',
  ],
  [
    'Write the onboarding guide',
    'todo',
    'normal',
    null,
    'docs people',
    '2027-01-10',
    'First day, first week, first month.',
  ],
  ['Archive finished projects', 'todo', 'low', null, 'chore', null, 'Everything without a change this year.'],
  ['Set up error alerts', 'doing', 'high', 'margaret', 'ops', '2026-12-01', 'One alert per cause, not per symptom.'],
  [
    'Compress uploaded images',
    'todo',
    'normal',
    'ada',
    'performance frontend',
    '2027-01-20',
    'Half the size at the same quality.',
  ],
  [
    'Answer the customer survey',
    'done',
    'normal',
    'grace',
    'people',
    '2026-11-10',
    'Thank everyone, by name where possible.',
  ],
  [
    'Test the mobile layout',
    'todo',
    'high',
    'ada',
    'frontend bug',
    '2026-12-08',
    'Small screens, large fonts, both together.',
  ],
  [
    'Document the deploy steps',
    'doing',
    'normal',
    'linus',
    'docs ops',
    '2026-12-15',
    'So that anyone can do it on a Friday.',
  ],
  ['Cancel unused subscriptions', 'todo', 'low', 'grace', 'office', '2026-12-31', 'Before they renew.'],
  [
    'Load-test the gateway',
    'todo',
    'high',
    'linus',
    'performance ops',
    '2027-01-08',
    'Ten times the traffic of a normal day.',
  ],
  ['Retire the old importer', 'done', 'normal', 'margaret', 'chore', '2026-10-20', 'Nobody has called it since June.'],
];

const SEED: readonly Task[] = ROWS.map(([title, status, priority, assignee, labels, due_on, description], index) => {
  const time = new Date(Date.UTC(2026, 9, 1 + index, 9, 0, 0)).toISOString();
  return {
    id: index + 1,
    title,
    description,
    status,
    priority,
    assignee,
    labels: labels.split(' '),
    due_on,
    created_at: time,
    updated_at: time,
  };
});

const SEED_COMMENTS: readonly Comment[] = [
  {
    id: 1,
    task_id: 1,
    author: 'grace',
    text: 'Please mention the new search.',
    created_at: '2026-11-12T10:00:00.000Z',
  },
  { id: 2, task_id: 1, author: 'ada', text: 'Done, in the second section.', created_at: '2026-11-13T08:30:00.000Z' },
];

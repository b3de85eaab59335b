/** The machines of the mock, in one SQLite file that several servers may share. A task takes effect with the first call after its time. */
import type { Clock, Random } from '../../base/runtime.ts';
import { openDatabase } from '../../platforms/sqlite/sqlite.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { type Effect, type TaskKind, taskSeconds } from './effects.ts';
import type { MockOptions } from './options.ts';

export interface StoredMachine {
  id: string;
  name: string;
  power: 'On' | 'Off';
  address?: string;
  spec: MachineSpec;
  /** Of snapshots that are complete. */
  snapshots: { id: string; name: string; spec: MachineSpec; power: 'On' | 'Off' }[];
  /** The task that makes it. */
  task: string;
  hardware: number;
}

export interface PastMachine {
  seq: number;
  id: string;
  name: string;
  tags: string[];
  madeAt: number;
  goneAt: number | null;
}

const migrations = [
  `create table machines (id text primary key, name text not null unique, doc text not null) strict;
   create table tasks (id text primary key, due integer not null, effect text not null, applied integer not null default 0, error text) strict;
   create index tasks_due on tasks (applied, due);
   create table images (name text primary key, task text not null) strict;
   create table disks (name text primary key, task text not null) strict;
   create table counts (name text primary key, count integer not null) strict;`,
  `create table history (seq integer primary key, id text not null, name text not null, tags text not null, made integer not null, gone integer) strict;
   create index history_id on history (id);`,
];

/** Addresses of machines that are on, as provider-mock gives them. */
const [firstAddress, addresses] = [100, 50];

export type MockStore = ReturnType<typeof openMockStore>;

export function openMockStore(
  options: Pick<MockOptions, 'file' | 'taskTime' | 'seeded'> & { clock: Clock; random: Random },
) {
  const { clock, random, taskTime } = options;
  const database = openDatabase({ file: options.file, synchronous: 'NORMAL', migrations, check: false });
  const sql = (text: string) => database.connection.prepare(text);
  const byId = sql('select doc from machines where id = ?');
  const byName = sql('select doc from machines where name = ?');
  const all = sql('select doc from machines order by rowid');
  const put = sql(
    'insert into machines (id, name, doc) values (?, ?, ?) on conflict (id) do update set name = excluded.name, doc = excluded.doc',
  );
  const remove = sql('delete from machines where id = ?');
  const remember = sql('insert into history (id, name, tags, made) values (?, ?, ?, ?)');
  const end = sql('update history set gone = ? where id = ? and gone is null');
  const history = sql('select * from history order by seq');
  const addTask = sql('insert into tasks (id, due, effect) values (?, ?, ?)');
  const due = sql('select id, effect from tasks where applied = 0 and due <= ? order by due, rowid');
  const apply = sql('update tasks set applied = 1, error = ? where id = ?');
  const taskById = sql('select applied, error from tasks where id = ?');
  const countUp = sql(
    'insert into counts (name, count) values (?, 1) on conflict (name) do update set count = count + 1 returning count',
  );

  const parsed = (row: Record<string, unknown> | undefined): StoredMachine | undefined =>
    row === undefined ? undefined : (JSON.parse(String(row.doc)) as StoredMachine);
  const find = (id: string) => parsed(byId.get(id));
  const write = (machine: StoredMachine): void => void put.run(machine.id, machine.name, JSON.stringify(machine));
  const make = (machine: StoredMachine): void => {
    write(machine);
    remember.run(machine.id, machine.name, JSON.stringify(machine.spec.tags), clock.now());
  };
  const next = (name: string): number => Number(countUp.get(name)?.count);

  function settle(): void {
    for (const { id, effect } of due.all(clock.now())) {
      apply.run(take(JSON.parse(String(effect)) as Effect) ?? null, String(id));
    }
  }

  /** The error of the task, if it fails. */
  function take(effect: Effect): string | undefined {
    if (effect.do === 'nothing') return;
    const machine = find(effect.machine);
    if (machine === undefined) return effect.do === 'delete' ? undefined : `machine ${effect.machine} not found`;
    if (effect.do === 'delete') {
      remove.run(machine.id);
      end.run(clock.now(), machine.id);
      return;
    }
    const snapshot = 'snapshot' in effect ? machine.snapshots.find(({ id }) => id === effect.snapshot) : undefined;
    if (effect.do === 'power') switchPower(machine, effect.power);
    else if (effect.do === 'reconfigure') machine.spec = effect.spec;
    else if (effect.do === 'delete-snapshot')
      machine.snapshots = machine.snapshots.filter(({ id }) => id !== effect.snapshot);
    else if (effect.do === 'revert') {
      if (snapshot === undefined) return `snapshot ${effect.snapshot} not found`;
      machine.spec = snapshot.spec;
      switchPower(machine, snapshot.power);
    }
    write(machine);
    return;
  }

  function switchPower(machine: StoredMachine, power: 'On' | 'Off'): void {
    machine.power = power;
    if (power === 'Off') delete machine.address;
    else machine.address ??= `192.168.1.${firstAddress + Math.floor(random() * addresses)}`;
  }

  /** Everything that one call reads and writes, after what became due. */
  const transaction = <T>(work: () => T): T =>
    database.transaction(() => {
      settle();
      return work();
    });

  const store = {
    transaction,
    find,
    findByName: (name: string) => parsed(byName.get(name)),
    all: () => all.all().map((row) => parsed(row)!),
    write,
    make,
    /** Every machine that ever was, oldest first. */
    history: (): PastMachine[] =>
      history.all().map(({ seq, id, name, tags, made, gone }) => ({
        seq: Number(seq),
        id: String(id),
        name: String(name),
        tags: JSON.parse(String(tags)) as string[],
        madeAt: Number(made),
        goneAt: gone === null ? null : Number(gone),
      })),
    switchPower,
    nextId: (prefix: string): string => `${prefix}-${next(prefix)}`,
    begin: (kind: TaskKind, effect: Effect): string => {
      const id = `task-${next('task')}`;
      addTask.run(id, clock.now() + taskSeconds[kind] * taskTime * 1000, JSON.stringify(effect));
      return id;
    },
    task: (id: string): { done: boolean; error?: string } | undefined => {
      const row = taskById.get(id);
      if (row === undefined) return;
      return { done: row.applied === 1, ...(row.error === null ? {} : { error: String(row.error) }) };
    },
    /** One task for each name: a repeat finds the first. */
    taskOf: (table: 'images' | 'disks', name: string, kind: TaskKind): string => {
      const known = sql(`select task from ${table} where name = ?`).get(name)?.task;
      if (known !== undefined) return String(known);
      const task = store.begin(kind, { do: 'nothing' });
      sql(`insert into ${table} (name, task) values (?, ?)`).run(name, task);
      return task;
    },
    close: () => database.close(),
  };
  transaction(() => {
    if (next('seeded') === 1 && options.seeded) seed(store);
  });
  return store;
}

function seed(store: Pick<MockStore, 'make' | 'nextId' | 'switchPower'>): void {
  const spec: MachineSpec = {
    class: { cpu: 2, memoryMiB: 4096 },
    image: {},
    networks: [{ name: 'default' }],
    disks: [{ name: 'root', sizeGiB: 40 }],
    tags: [],
  };
  for (const power of ['On', 'Off', 'On'] as const) {
    const id = store.nextId('vm');
    const machine: StoredMachine = { id, name: id, power: 'Off', spec, snapshots: [], task: '', hardware: 20 };
    store.switchPower(machine, power);
    store.make(machine);
  }
}

/** What the hypervisor has, and what it ever had: a second connection to the mock's file, with a table that triggers fill. */
import { DatabaseSync } from 'node:sqlite';

export interface Made {
  id: string;
  name: string;
  madeAt: number;
  goneAt: number | null;
}

export interface Ledger {
  /** Every machine of that kind of name, also those that are gone. */
  made(): Made[];
  /** Takes a machine away, as a failing host would. */
  lose(id: string): void;
  close(): void;
}

/** The file must exist with its tables. */
export function openLedger(file: string, prefix: string): Ledger {
  const database = new DatabaseSync(file, { timeout: 20_000 });
  const now = `cast(unixepoch('subsec') * 1000 as integer)`;
  database.exec(`
    create table if not exists crash_ledger (id text primary key, name text not null, made integer not null, gone integer);
    create trigger if not exists crash_made after insert on machines begin
      insert into crash_ledger (id, name, made) values (new.id, new.name, ${now})
        on conflict (id) do nothing;
    end;
    create trigger if not exists crash_gone after delete on machines begin
      update crash_ledger set gone = ${now} where id = old.id;
    end;`);
  const all = database.prepare('select id, name, made, gone from crash_ledger where name like ? order by made');
  return {
    made: () =>
      all.all(`${prefix}%`).map(({ id, name, made, gone }) => ({
        id: String(id),
        name: String(name),
        madeAt: Number(made),
        goneAt: gone === null ? null : Number(gone),
      })),
    lose: (id) => void database.prepare('delete from machines where id = ?').run(id),
    close: () => database.close(),
  };
}

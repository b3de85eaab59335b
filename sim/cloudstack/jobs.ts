/** Asynchronous jobs: an id at once, and a result when the work is done. */
import { isObject, type JsonObject } from '../../shared/base/json.ts';
import type { Timeline } from '../kit/timeline.ts';
import type { Account } from './site/types.ts';
import { uuidOf } from './site/uuid.ts';
import { timeText } from './wire/answer.ts';
import { Refused } from './wire/refusals.ts';

export interface Job {
  readonly id: string;
  readonly seq: number;
  readonly command: string;
  readonly account: Account;
  readonly createdAt: number;
  completedAt: number | null;
  status: 0 | 1 | 2;
  result: JsonObject | undefined;
  instance: { type: string; id: string } | undefined;
  readonly on: JobOrder['on'];
}

export interface JobOrder {
  command: string;
  account: Account;
  instance?: { type: string; id: string };
  /** The VM that it is about, which shows its job until the job has ended. */
  on?: { job: { id: string } | undefined };
}

/** Whatever the error, the job itself says 530; the code of the error is in its result. */
const failedCode = 530;

export class Jobs {
  readonly #timeline: Timeline;
  readonly #keptSeconds: () => number;
  readonly #salt: string;
  readonly #jobs = new Map<string, Job>();
  #made = 0;

  constructor(timeline: Timeline, salt: string, keptSeconds: () => number) {
    this.#timeline = timeline;
    this.#salt = salt;
    this.#keptSeconds = keptSeconds;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  get all(): Iterable<Job> {
    return this.#jobs.values();
  }

  get made(): number {
    return this.#made;
  }

  open({ command, account, instance, on }: JobOrder): Job {
    const seq = ++this.#made;
    const job: Job = {
      id: uuidOf(this.#salt, 'job', seq),
      seq,
      command,
      account,
      createdAt: this.#timeline.now,
      completedAt: null,
      status: 0,
      result: undefined,
      instance,
      on,
    };
    if (on !== undefined) on.job = job;
    this.#jobs.set(job.id, job);
    return job;
  }

  /** The work is done then, and its result or its refusal is the job's. */
  plan(job: Job, at: number, work: (at: number) => JsonObject): Job {
    this.#timeline.plan(at, (due) => {
      try {
        this.succeed(job, work(due));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.fail(job, error);
      }
    });
    return job;
  }

  succeed(job: Job, result: JsonObject): void {
    this.#end(job, 1, result);
  }

  /** Refusals of what was asked for and of rights have no code of their own once the job has begun. */
  fail(job: Job, { code, message }: Refused): void {
    const known = code === 431 || code === 531 ? failedCode : code;
    this.#end(job, 2, { uuidList: [], errorcode: known, errortext: message });
  }

  /** As it was at that time. */
  show(job: Job): JsonObject {
    const { status, completedAt, result, instance } = job;
    return {
      ...summary(job),
      cmd: commandClass(job),
      jobstatus: status,
      jobprocstatus: 0,
      jobresultcode: status === 2 ? failedCode : 0,
      ...(result === undefined ? {} : { jobresulttype: isObject(result) ? 'object' : 'text', jobresult: result }),
      ...(instance === undefined ? {} : { jobinstancetype: instance.type, jobinstanceid: instance.id }),
      ...(completedAt === null ? {} : { completed: timeText(completedAt) }),
    };
  }

  #end(job: Job, status: 1 | 2, result: JsonObject): void {
    if (job.status !== 0) return;
    if (job.on?.job === job) job.on.job = undefined;
    job.status = status;
    job.result = result;
    job.completedAt = this.#timeline.now;
    this.#timeline.plan(job.completedAt + Math.round(this.#keptSeconds() * 1000), () => this.#jobs.delete(job.id));
  }
}

const summary = ({ id, account, createdAt }: Job): JsonObject => ({
  jobid: id,
  accountid: account.id,
  userid: account.userId,
  created: timeText(createdAt),
});

const packages = [
  [/VM$/, 'vm'],
  [/Volume$/, 'volume'],
  [/Tags$/, 'tag'],
  [/AffinityGroup$/, 'affinitygroup'],
] as const;

/** The class of the management server that does it; some have another one for administrators. */
function commandClass({ command, account }: Job): string {
  const name = command.charAt(0).toUpperCase() + command.slice(1).replace('VirtualMachine', 'VM');
  const room = packages.find(([pattern]) => pattern.test(name))?.[1] ?? 'vm';
  const byAdmin = account.role === 'Root Admin' && (room === 'vm' || room === 'volume');
  return `org.apache.cloudstack.api.command.${byAdmin ? 'admin' : 'user'}.${room}.${name}Cmd${byAdmin ? 'ByAdmin' : ''}`;
}

/** What became of a job, and which there are. */
import type { Job } from '../jobs.ts';
import type { Outcome } from '../wire/answer.ts';
import { pageOf } from '../wire/pages.ts';
import type { Call, Command, Parts } from './command.ts';
import { noRight } from './finding.ts';
import { vmSubject } from './vm-subject.ts';

const mine = ({ account }: Job, { caller, admin }: Call): boolean => admin || account.id === caller.id;

const queryAsyncJobResult: Command = {
  name: 'queryAsyncJobResult',
  isAsync: false,
  operation: 'get',
  params: '*jobid:uuid',
  subject: vmSubject,
  run: (call, { jobs }: Parts): Outcome => {
    const id = call.given.text('jobid') ?? '';
    const job = jobs.find(id);
    if (job === undefined) throw call.given.badValue('jobid', id);
    if (!mine(job, call)) throw noRight(call.caller, 'job', id);
    return { object: jobs.show(job) };
  },
};

/** Only what is still under way. */
const listAsyncJobs: Command = {
  name: 'listAsyncJobs',
  isAsync: false,
  operation: 'list',
  params:
    'account:string domainid:uuid isrecursive:boolean keyword:string listall:boolean managementserverid:uuid page:integer pagesize:integer startdate:date',
  run: (call, { jobs, settings }: Parts): Outcome => {
    const found = [...jobs.all].filter((job) => job.status === 0 && mine(job, call));
    return pageOf(call.given, settings.pageSize, 'asyncjobs', found, (job) => jobs.show(job));
  },
};

export const jobCalls: readonly Command[] = [queryAsyncJobResult, listAsyncJobs];

/** What no cloud offers: a hand on the VMs, as an operator or bad luck has it. No fault strikes here, and nothing lags. */
import { z } from 'zod';
import { describeIssues } from '../kit/describe-issues.ts';
import { type LedgerControlParts, ledgerControl } from '../kit/ledger-control.ts';
import { type Answer, plain } from './wire/answer.ts';

/** What can happen to a VM without anybody calling the API: each returns false when there is no such VM. */
export interface Hands {
  /** It is expunged by somebody else, with its disks. */
  vanish: (vm: string) => boolean;
  /** It is shut down from inside, or by hand. */
  stop: (vm: string) => boolean;
  /** It is destroyed by hand and not expunged. */
  destroy: (vm: string) => boolean;
  /** Its state is what CloudStack shows when something went wrong. */
  breakDown: (vm: string, state: 'Error' | 'Unknown' | 'Migrating') => boolean;
  /** The host that it runs on is another one now. */
  migrate: (vm: string) => boolean;
  /** Its lease ends so soon. */
  endLease: (vm: string, seconds: number, action: 'STOP' | 'DESTROY') => boolean;
}

export interface ControlParts extends LedgerControlParts {
  hands: Hands;
  /** What is no machine, and yet there: objects of failed deploys, and data disks that no machine has. */
  leftovers: () => { id: string; claimUid: string | null; goneAt: null }[];
  launchForeign: (name: string) => string;
  setCallLimit: (most: number | null, seconds: number) => void;
  setCapacity: (capacity: Record<string, number>) => void;
}

const vmSchema = z.strictObject({ vm: z.string() });
const stateSchema = z.strictObject({ vm: z.string(), state: z.enum(['Error', 'Unknown', 'Migrating']) });
const leaseSchema = z.strictObject({
  vm: z.string(),
  seconds: z.number().min(0),
  action: z.enum(['STOP', 'DESTROY']).default('DESTROY'),
});
const nameSchema = z.strictObject({ name: z.string() });
const limitSchema = z.strictObject({ most: z.int().min(1).nullable(), seconds: z.number().min(0.001).default(1) });
const capacitySchema = z.record(z.string().regex(/^[^/]+\/.+$/), z.int().min(0));

const wrong = (message: string): Answer => plain(400, { message });

/** Undefined when the path is none of these. */
export function control(
  parts: ControlParts,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Answer | undefined {
  const common = ledgerControl(parts, method, path, query, body);
  if (common !== undefined) return 'wrong' in common ? wrong(common.wrong) : plain(200, common.body);
  const of = <T>(schema: z.ZodType<T>, handle: (given: T) => Answer): Answer => {
    const parsed = schema.safeParse(body);
    return parsed.success ? handle(parsed.data) : wrong(describeIssues(parsed.error));
  };
  const done = (is: boolean, vm: string): Answer =>
    is ? plain(202, {}) : plain(404, { message: `there is no existing VM ${vm}` });
  const { hands } = parts;
  switch (`${method} ${path}`) {
    case 'GET /leftovers':
      return plain(200, { items: parts.leftovers() });
    case 'POST /control/vanish':
      return of(vmSchema, ({ vm }) => done(hands.vanish(vm), vm));
    case 'POST /control/stop':
      return of(vmSchema, ({ vm }) => done(hands.stop(vm), vm));
    case 'POST /control/destroy':
      return of(vmSchema, ({ vm }) => done(hands.destroy(vm), vm));
    case 'POST /control/migrate':
      return of(vmSchema, ({ vm }) => done(hands.migrate(vm), vm));
    case 'POST /control/break':
      return of(stateSchema, ({ vm, state }) => done(hands.breakDown(vm, state), vm));
    case 'POST /control/end-lease':
      return of(leaseSchema, ({ vm, seconds, action }) => done(hands.endLease(vm, seconds, action), vm));
    case 'POST /control/foreign-instances':
      return of(nameSchema, ({ name }) => plain(201, { id: parts.launchForeign(name) }));
    case 'POST /control/call-limit':
      return of(limitSchema, ({ most, seconds }) => {
        parts.setCallLimit(most, seconds);
        return plain(200, {});
      });
    case 'POST /control/capacity':
      return of(capacitySchema, (capacity) => {
        parts.setCapacity(capacity);
        return plain(200, {});
      });
    default:
      return undefined;
  }
}

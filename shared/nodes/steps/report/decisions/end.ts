/** What is decided on the way from a deleted claim to nothing. */
import { type DrainFields, drainingText } from '../drain-text.ts';
import { kind } from './kind.ts';

type Discarded = { instance: string; attempt: number };

const discarded = ({ instance, attempt }: Discarded): string => `instance ${instance} of attempt ${attempt}`;

export const endDecisions = {
  'foreign-end': kind<{ finalizer: string }>({
    step: 'terminate',
    text: ({ finalizer }) =>
      'another provisioner launched the claim, and this deployment has no attempt record and no instance for it: that provisioner ' +
      `has to delete it. If that provisioner is gone, remove the finalizer ${finalizer}`,
  }),
  'end-begun': kind<{ attempt: number; phase: string; settleSeconds: number }>({
    step: 'terminate',
    text: ({ attempt, phase, settleSeconds }) =>
      `deleting; attempt ${attempt} is ${phase}${
        settleSeconds > 0 ? `, waiting ${settleSeconds} s for writes that may still take effect` : ''
      }`,
  }),
  released: kind<Record<string, never>>({
    step: 'terminate',
    text: () => 'all cloud resources are deleted; the claim is released',
  }),
  draining: kind<DrainFields>({ step: 'drain', text: drainingText }),
  /** Any other news of an end; `reason` is that of its Event. */
  'end-waits': kind<{ reason: string; message: string }>({ step: 'drain', text: ({ message }) => message }),
  'delete-failed': kind<Discarded & { kind: string; message: string }>({
    step: 'discard',
    text: (fields) => `deleting ${discarded(fields)} failed: ${fields.message}`,
    round: ({ instance, kind }) => [instance, kind],
  }),
  'delete-begun': kind<Discarded>({ step: 'discard', text: (fields) => `${discarded(fields)} is being deleted` }),
  /** It counts as gone: it does not run. */
  'instance-kept': kind<{ instance: string; state: string }>({
    step: 'discard',
    text: ({ instance, state }) =>
      `instance ${instance} is ${state} and does not run: the account may not remove it for good, and the cloud does that when its own time is up`,
    round: ({ instance }) => [instance],
  }),
  'instance-gone': kind<Discarded>({ step: 'discard', text: (fields) => `${discarded(fields)} is gone` }),
};

/** What is decided on the way from a claim to its machine. */
import { describeOffering, nameOffering } from '../../../claims/choice/offerings.ts';
import { kind, type OfferingFields } from './kind.ts';

type Asked = {
  attempt: number;
  offering: OfferingFields;
  /** How many other offerings the same request names. */
  others: number;
};

const asked = ({ offering, others }: Asked): string =>
  `${nameOffering(offering)}${others === 0 ? '' : ` (or one of ${others} others)`}`;

export const launchDecisions = {
  'offering-chosen': kind<{ attempt: number; offering: OfferingFields }>({
    step: 'choose',
    text: ({ attempt, offering }) => `attempt ${attempt}: ${describeOffering(offering)}`,
  }),
  /** `soldOut`: what would fit, without the times that change with every try. */
  'nothing-chosen': kind<{
    reason: string;
    kind: string;
    message: string;
    soldOut?: string[];
    /** What is wrong with the claim: where, and what was probably meant. */
    problems?: { path: string; suggestion?: string }[];
  }>({
    step: 'choose',
    text: ({ message }) => message,
    round: ({ reason, message, soldOut }) => [reason, soldOut ?? message],
  }),
  /** `because`: why the node class is not ready, where that is the reason. */
  'launch-waits': kind<{ reason: string; message: string; because?: string }>({
    step: 'choose',
    text: ({ message }) => message,
  }),
  'operation-waits': kind<{ message: string }>({ step: 'turn', text: ({ message }) => message }),
  'create-put-off': kind<{ kind: string; message: string }>({
    step: 'turn',
    text: ({ kind, message }) => `${kind}: ${message}`,
  }),
  created: kind<{ attempt: number; offering: OfferingFields; instance: string }>({
    step: 'create',
    text: ({ attempt, offering, instance }) =>
      `attempt ${attempt}: ${nameOffering(offering)} was created as ${instance}`,
  }),
  'create-begun': kind<Asked>({
    step: 'create',
    text: (fields) => `attempt ${fields.attempt}: ${asked(fields)} is being created`,
  }),
  'create-failed': kind<Asked & { kind: string; message: string }>({
    step: 'create',
    text: (fields) => `attempt ${fields.attempt}: ${asked(fields)}: ${fields.kind}: ${fields.message}`,
    // The words of a cloud hold times and ids of requests.
    round: ({ offering, kind }) => [offering, kind],
  }),
  'instance-found': kind<{ attempt: number; instance: string }>({
    step: 'create',
    text: ({ attempt, instance }) => `found instance ${instance} of attempt ${attempt} and adopted it`,
  }),
  'made-before-pause': kind<{ attempt: number; instance: string }>({
    step: 'create',
    text: ({ attempt, instance }) => `attempt ${attempt} had created instance ${instance} before the pause`,
  }),
  'create-rejected': kind<{ attempt: number; kind: string; message: string }>({
    step: 'poll',
    text: ({ attempt, kind, message }) => `attempt ${attempt}: ${kind}: ${message}`,
    round: ({ kind }) => kind,
  }),
  /** `until`: when the machine is given up. */
  'node-awaited': kind<{ attempt: number; message: string; until: number }>({
    step: 'join',
    text: ({ attempt, message }) => `attempt ${attempt}: ${message}`,
    round: ({ message }) => message,
  }),
  'node-ready': kind<{ node: string }>({ step: 'ready', text: ({ node }) => `node ${node} is ready` }),
  'attempt-closed': kind<{
    attempt: number;
    reason: string;
    kind: string;
    message: string;
    /** So long something of it may still appear. */
    settleSeconds: number;
  }>({
    step: 'close',
    text: ({ attempt, message, settleSeconds }) =>
      `attempt ${attempt} is over: ${message}${
        settleSeconds > 0 ? `; an instance of it may still appear for ${settleSeconds} s` : ''
      }`,
    round: ({ reason, kind }) => [reason, kind],
  }),
  'launch-failed': kind<{ reason: string; kind: string; message: string; retryAt: number }>({
    step: 'fail',
    text: ({ message, retryAt }) => `${message}; next retry at ${new Date(retryAt).toISOString()}`,
    round: ({ reason, kind }) => [reason, kind],
  }),
  'given-back': kind<{ reason: string; kind: string; message: string }>({
    step: 'fail',
    text: ({ message }) => `deleted, so that its NodePool can replace it: ${message}`,
  }),
  'taken-over': kind<{ instance: string }>({
    step: 'take over',
    text: ({ instance }) => `took over instance ${instance} of another provisioner, unchanged`,
  }),
  'left-alone': kind<{ providerID: string }>({
    step: 'take over',
    text: ({ providerID }) =>
      `another provisioner launched it as ${providerID || 'an unknown instance'}, and no configured provider has an instance that was ` +
      'created for this claim; the host leaves it alone',
  }),
  adopted: kind<{ instance: string; attempt: number; need: 'foreign' | 'unreadable' }>({
    step: 'adopt',
    text: ({ instance, attempt, need }) =>
      `instance ${instance} ${
        need === 'foreign' ? 'was adopted' : `was used to rebuild the record of attempt ${attempt}`
      }, as a user requested`,
  }),
};

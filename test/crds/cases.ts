/** What a case of the corpus is. The verdicts written in it are upstream's; the tests hold upstream to them as well. */
import type { Json } from '../../shared/base/json.ts';

export type Fields = { [name: string]: Json };

export interface Verdict {
  title: string;
  accepted: boolean;
  /** What our refusal says; upstream's words are its own. */
  says?: string;
}

/** An object that is created. */
export interface CreateCase extends Verdict {
  spec: Json;
}

/** A valid object that is merge-patched. */
export interface ChangeCase extends Verdict {
  before: Fields;
  patch: Json;
}

/** The status of a valid object, written to its subresource. */
export interface StatusCase extends Verdict {
  status: Json;
}

export interface Corpus {
  kind: 'NodeClaim' | 'NodePool';
  plural: string;
  minimal: Fields;
  create: readonly CreateCase[];
  change: readonly ChangeCase[];
  status: readonly StatusCase[];
}

export const accepted = (title: string, spec: Json): CreateCase => ({ title, spec, accepted: true });
export const refused = (title: string, spec: Json, says: string): CreateCase => ({
  title,
  spec,
  accepted: false,
  says,
});
const at = '2026-01-31T12:00:00Z';

/** Conditions as both kinds take them. */
export const conditionCases: readonly StatusCase[] = [
  {
    title: 'a condition with everything',
    accepted: true,
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'Waiting_for:a,b',
          message: 'soon',
          lastTransitionTime: at,
          observedGeneration: 3,
        },
      ],
    },
  },
  {
    title: 'a condition type with a domain',
    accepted: true,
    status: {
      conditions: [
        { type: 'poolwright.dev/Paused', status: 'True', reason: 'Paused', message: '', lastTransitionTime: at },
      ],
    },
  },
  {
    title: 'an unknown condition status',
    accepted: false,
    says: 'supported values',
    status: { conditions: [{ type: 'Ready', status: 'Maybe', reason: 'A', message: '', lastTransitionTime: at }] },
  },
  {
    title: 'a reason with a space',
    accepted: false,
    says: 'should match',
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'A b', message: '', lastTransitionTime: at }] },
  },
  {
    title: 'a condition without a time',
    accepted: false,
    says: 'lastTransitionTime',
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'A', message: '' }] },
  },
  {
    title: 'a time that is none',
    accepted: false,
    says: 'date-time',
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'A', message: '', lastTransitionTime: 'today' }] },
  },
  {
    title: 'one condition type twice',
    accepted: false,
    says: 'Duplicate value',
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'A', message: '', lastTransitionTime: at },
        { type: 'Ready', status: 'False', reason: 'B', message: '', lastTransitionTime: at },
      ],
    },
  },
  {
    title: 'a message of more than 32768 characters',
    accepted: false,
    says: 'may not be more than 32768',
    status: {
      conditions: [{ type: 'Ready', status: 'True', reason: 'A', message: 'x'.repeat(32_769), lastTransitionTime: at }],
    },
  },
  {
    title: 'a negative observedGeneration',
    accepted: false,
    says: 'greater than or equal to 0',
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'A', message: '', lastTransitionTime: at, observedGeneration: -1 },
      ],
    },
  },
];

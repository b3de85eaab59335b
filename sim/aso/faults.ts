/**
 * How the operator and Azure go wrong on request: by rule and by seed. Whether a rule with a probability strikes depends on the seed, the
 * rule, the object, and how often it has come by: not on the order in which objects come.
 */
import { z } from 'zod';
import { chance } from '../kit/faults.ts';

/**
 * Where a rule strikes. `notice`: the operator sees a new object or a new spec. `put`, `delete`, `get`: what it asks Azure. `export`: it
 * writes Secrets and ConfigMaps. `ready`: an object has become Ready. `provisioning`: node classes and pools in a new cluster. `flux`:
 * sources and kustomizations.
 */
const places = ['notice', 'put', 'delete', 'get', 'export', 'ready', 'provisioning', 'flux'] as const;
export type Place = (typeof places)[number];

const seconds = z.number().min(0).max(1_000_000);
const code = z.string().min(1);

const faultSchema = z.discriminatedUnion('kind', [
  /** Azure says no at once; for `provisioning` and `flux` the condition says so. */
  z.strictObject({
    kind: z.literal('refused'),
    status: z.int().min(400).max(599).default(400),
    code,
    message: z.string(),
  }),
  /** The operation is accepted, and fails when its time is over. */
  z.strictObject({ kind: z.literal('operation-fails'), code, message: z.string() }),
  z.strictObject({ kind: z.literal('slow'), seconds }),
  /** The operation never ends. */
  z.strictObject({ kind: z.literal('stuck') }),
  /** It happens so much later. On `notice`, an old condition stands for a new spec meanwhile; on `export`, Ready comes first. */
  z.strictObject({ kind: z.literal('late'), seconds }),
  /** On `export`: it never happens, and the object is Ready all the same. */
  z.strictObject({ kind: z.literal('missing') }),
  /** On `ready`: the object stops being Ready, for some time or for good. */
  z.strictObject({
    kind: z.literal('not-ready-again'),
    afterSeconds: seconds,
    forSeconds: seconds.optional(),
    code,
    message: z.string(),
  }),
  /** On `ready`: somebody deletes it in Azure. */
  z.strictObject({ kind: z.literal('vanish'), afterSeconds: seconds }),
]);

const ruleSchema = z.strictObject({
  on: z.enum(places),
  /** Of the object, such as ManagedCluster. */
  objects: z.string().optional(),
  /** Name of the object in Kubernetes. */
  name: z.string().optional(),
  namespace: z.string().optional(),
  probability: z.number().min(0).max(1).default(1),
  /** Only the first so many times; without it, for ever. */
  count: z.int().min(1).optional(),
  /** Not before so many have passed unharmed. */
  skip: z.int().min(0).default(0),
  do: faultSchema,
});
export const asoFaultsSchema = z.array(ruleSchema).max(1000);
export type AsoFaultRule = z.input<typeof ruleSchema>;
export type AsoFault = z.infer<typeof faultSchema>;

export interface Struck {
  kind: string;
  name: string;
  namespace?: string | undefined;
  uid: string;
}

export class AsoFaults {
  readonly #seed: number;
  #rules: { rule: z.infer<typeof ruleSchema>; passed: number; struck: number }[] = [];
  readonly #draws = new Map<string, number>();

  constructor(seed: number, rules: readonly AsoFaultRule[] = []) {
    this.#seed = seed;
    this.replace(rules);
  }

  /** Throws a ZodError when a rule is no rule. */
  replace(rules: unknown): void {
    this.#rules = asoFaultsSchema.parse(rules).map((rule) => ({ rule, passed: 0, struck: 0 }));
    this.#draws.clear();
  }

  /** The first rule that strikes. */
  decide(place: Place, subject: Struck): AsoFault | undefined {
    for (const [index, live] of this.#rules.entries()) {
      const { rule } = live;
      if (rule.on !== place || !matches(rule, subject)) continue;
      if (rule.count !== undefined && live.struck >= rule.count) continue;
      if (live.passed < rule.skip) {
        live.passed += 1;
        continue;
      }
      if (!this.#strikes(index, rule.probability, place, subject)) continue;
      live.struck += 1;
      return rule.do;
    }
    return undefined;
  }

  #strikes(index: number, probability: number, place: Place, { uid }: Struck): boolean {
    if (probability >= 1) return true;
    const who = `${index}/${place}/${uid}`;
    const time = this.#draws.get(who) ?? 0;
    this.#draws.set(who, time + 1);
    return chance(`${this.#seed}/${who}/${time}`) < probability;
  }
}

const matches = (rule: z.infer<typeof ruleSchema>, { kind, name, namespace }: Struck): boolean =>
  (rule.objects === undefined || rule.objects === kind) &&
  (rule.name === undefined || rule.name === name) &&
  (rule.namespace === undefined || rule.namespace === namespace);

/** How Azure Resource Manager goes wrong on request: by rule and by seed. */
import { z } from 'zod';
import { chance } from '../kit/faults.ts';

const seconds = z.number().min(0).max(1_000_000);

const faultSchema = z.discriminatedUnion('kind', [
  /** A no, word for word. */
  z.strictObject({
    kind: z.literal('refused'),
    status: z.int().min(400).max(599).default(400),
    code: z.string().min(1),
    message: z.string(),
  }),
  z.strictObject({ kind: z.literal('throttle'), retryAfterSeconds: seconds.optional() }),
  /** The connection is cut: before anything was done, or when it was done and the answer is on its way. */
  z.strictObject({ kind: z.literal('reset'), effect: z.enum(['none', 'done']).default('none') }),
  /** Something in between answers with a page of its own. */
  z.strictObject({ kind: z.literal('garbled') }),
  /** What is begun takes so much longer, never ends, or ends badly. */
  z.strictObject({ kind: z.literal('slow'), seconds }),
  z.strictObject({ kind: z.literal('stuck') }),
  z.strictObject({ kind: z.literal('operation-fails'), code: z.string().min(1), message: z.string() }),
]);

const ruleSchema = z.strictObject({
  on: z.enum(['GET', 'PUT', 'PATCH', 'POST', 'DELETE']),
  /** The end of the type, such as `managedClusters`; of a list, that of what it lists. */
  type: z.string().optional(),
  probability: z.number().min(0).max(1).default(1),
  /** Only the first so many times; without it, for ever. */
  count: z.int().min(1).optional(),
  /** Not before so many have passed unharmed. */
  skip: z.int().min(0).default(0),
  do: faultSchema,
});
export const armFaultsSchema = z.array(ruleSchema).max(1000);
export type ArmFaultRule = z.input<typeof ruleSchema>;
export type ArmFault = z.infer<typeof faultSchema>;

export class ArmFaults {
  readonly #seed: number;
  #rules: { rule: z.infer<typeof ruleSchema>; passed: number; struck: number }[] = [];
  readonly #draws = new Map<string, number>();

  constructor(seed: number, rules: readonly ArmFaultRule[] = []) {
    this.#seed = seed;
    this.replace(rules);
  }

  /** Throws a ZodError when a rule is no rule. */
  replace(rules: unknown): void {
    this.#rules = armFaultsSchema.parse(rules).map((rule) => ({ rule, passed: 0, struck: 0 }));
    this.#draws.clear();
  }

  /** The first rule that strikes. Whether one does depends on how often this path has come by, not on the order of different paths. */
  decide(verb: string, type: string, path: string): ArmFault | undefined {
    for (const [index, live] of this.#rules.entries()) {
      const { rule } = live;
      if (rule.on !== verb || (rule.type !== undefined && !type.endsWith(`/${rule.type}`))) continue;
      if (rule.count !== undefined && live.struck >= rule.count) continue;
      if (live.passed < rule.skip) {
        live.passed += 1;
        continue;
      }
      const who = `${index}/${verb}/${path}`;
      const time = this.#draws.get(who) ?? 0;
      this.#draws.set(who, time + 1);
      if (rule.probability < 1 && chance(`${this.#seed}/${who}/${time}`) >= rule.probability) continue;
      live.struck += 1;
      return rule.do;
    }
    return undefined;
  }
}

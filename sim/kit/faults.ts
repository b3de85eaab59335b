/**
 * Faults by rule and by seed. A rule says when it applies and what then happens.
 *
 * Whether a rule with a probability strikes depends on the seed, the rule, and how often this claim has come by with
 * this operation: not on the order in which different claims arrive. So a run can be repeated although its requests race.
 */
import { z } from 'zod';
import { seededRandom } from '../../shared/base/runtime.ts';

/** `tag`: where a cloud tags in a call of its own. */
export const operations = ['create', 'get', 'list', 'delete', 'types', 'tag'] as const;
export type Operation = (typeof operations)[number];

const seconds = z.number().min(0).max(1_000_000);
/** `none`: nothing was done. `done`: it was, and the answer is lost. `late`: it will be, `lateSeconds` after the caller gave up. */
const effect = z.enum(['none', 'done', 'late']);

const faultSchema = z.discriminatedUnion('kind', [
  // Faults of one answer: the first rule that matches decides.
  z.strictObject({ kind: z.literal('throttle'), retryAfterSeconds: seconds.optional() }),
  z.strictObject({ kind: z.literal('conflict'), retryAfterSeconds: seconds.optional() }),
  z.strictObject({
    kind: z.literal('error'),
    status: z.union([z.literal(500), z.literal(502), z.literal(503)]),
    effect: effect.exclude(['late']).default('none'),
    /** The body says that nothing was done, so that a caller may believe it. */
    saysNothingDone: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal('timeout'),
    effect: effect.default('none'),
    lateSeconds: seconds.default(1),
    /** Real milliseconds after which the silent connection is cut; without it, it stays open for a minute. */
    holdMs: z.number().min(0).max(600_000).optional(),
  }),
  z.strictObject({ kind: z.literal('reset'), effect: effect.default('none'), lateSeconds: seconds.default(1) }),
  /** `listed`: the type list shows it, too. Real clouds often tell only whoever asks. */
  z.strictObject({ kind: z.literal('sold-out'), listed: z.boolean().default(false) }),
  /** From how many living instances on; at once when not given. */
  z.strictObject({ kind: z.literal('quota'), limit: z.number().int().min(0).default(0) }),
  z.strictObject({ kind: z.literal('unauthorised'), status: z.union([z.literal(401), z.literal(403)]).default(403) }),
  /** Answers 200 with something that is no JSON, as a proxy's page would. */
  z.strictObject({ kind: z.literal('garbled'), effect: effect.exclude(['late']).default('none') }),
  z.strictObject({ kind: z.literal('slow'), milliseconds: z.number().min(0).max(600_000) }),
  /** Any other no, word for word. */
  z.strictObject({
    kind: z.literal('refused'),
    status: z.number().int().min(400).max(599),
    code: z.string().min(1),
    message: z.string(),
  }),
  // Faults of a machine that is made: all that match apply.
  z.strictObject({ kind: z.literal('never-running') }),
  /** The create is accepted and fails later. A cloud that has no such operations never gets the machine to run. */
  z.strictObject({ kind: z.literal('operation-fails'), code: z.string().min(1), message: z.string() }),
  z.strictObject({ kind: z.literal('never-registers') }),
  z.strictObject({ kind: z.literal('never-ready') }),
  z.strictObject({ kind: z.literal('vanish'), afterSeconds: seconds }),
  z.strictObject({ kind: z.literal('interrupt'), afterSeconds: seconds, noticeSeconds: seconds.default(30) }),
  /** The list shows the world as it was so many seconds ago. */
  z.strictObject({ kind: z.literal('lag'), seconds }),
]);

const faultRuleSchema = z.strictObject({
  on: z.union([z.enum(operations), z.array(z.enum(operations)).min(1)]),
  offering: z
    .strictObject({
      instanceType: z.string().optional(),
      zone: z.string().optional(),
      capacityType: z.string().optional(),
    })
    .optional(),
  /** The uid or the name of a claim. */
  claim: z.string().optional(),
  probability: z.number().min(0).max(1).default(1),
  /** Only the first so many times; without it, for ever. */
  count: z.number().int().min(1).optional(),
  /** Not before this many matching requests have passed unharmed. */
  skip: z.number().int().min(0).default(0),
  /** Milliseconds since the epoch, by the cloud's clock. */
  until: z.number().optional(),
  do: faultSchema,
});

export const faultRulesSchema = z.array(faultRuleSchema).max(1000);

type Fault = z.infer<typeof faultSchema>;
export type FaultRule = z.input<typeof faultRuleSchema>;
export type FaultRules = readonly FaultRule[];

type MachineFaultKind =
  | 'never-running'
  | 'operation-fails'
  | 'never-registers'
  | 'never-ready'
  | 'vanish'
  | 'interrupt';
export type MachineFault = Extract<Fault, { kind: MachineFaultKind }>;
export type AnswerFault = Exclude<Fault, { kind: MachineFaultKind | 'lag' }>;

const machineFaults: ReadonlySet<string> = new Set<MachineFaultKind>([
  'never-running',
  'operation-fails',
  'never-registers',
  'never-ready',
  'vanish',
  'interrupt',
]);

export interface FaultSubject {
  offering?: { instanceType: string; zone: string; capacityType: string } | undefined;
  claimUid?: string | undefined;
  claimName?: string | undefined;
}

export interface FaultDecision {
  answer?: AnswerFault;
  machine: MachineFault[];
  lagSeconds: number;
}

const none: FaultDecision = { machine: [], lagSeconds: 0 };

/** A rule with what it has done so far; this is what survives a restart. */
const storedSchema = z.array(z.object({ rule: faultRuleSchema, passed: z.number(), struck: z.number() }));

interface LiveRule {
  rule: z.infer<typeof faultRuleSchema>;
  passed: number;
  struck: number;
}

export class FaultBook {
  readonly #seed: number;
  #rules: LiveRule[] = [];
  /** How often a claim came by with an operation, per rule. Only rules that draw lots need it. */
  readonly #draws = new Map<string, number>();

  constructor(seed: number, rules: FaultRules = []) {
    this.#seed = seed;
    this.replace(rules);
  }

  /** Throws a ZodError when a rule is no rule. */
  replace(rules: FaultRules): void {
    this.#rules = faultRulesSchema.parse(rules).map((rule) => ({ rule, passed: 0, struck: 0 }));
    this.#draws.clear();
  }

  get rules(): FaultRules {
    return this.#rules.map(({ rule }) => rule);
  }

  get empty(): boolean {
    return this.#rules.length === 0;
  }

  /** True when something that counts has changed, and must be stored to survive. */
  get counts(): boolean {
    return this.#rules.some(({ rule }) => rule.count !== undefined || rule.skip > 0);
  }

  toStored(): string {
    return JSON.stringify(this.#rules);
  }

  fromStored(text: string): void {
    this.#rules = storedSchema.parse(JSON.parse(text));
  }

  /** `ofOffering`: only rules that name an offering, where the others were asked about the call as a whole before. */
  decide(operation: Operation, subject: FaultSubject, now: number, ofOffering = false): FaultDecision {
    if (this.#rules.length === 0) return none;
    const decision: FaultDecision = { machine: [], lagSeconds: 0 };
    for (const [index, live] of this.#rules.entries()) {
      const fault = live.rule.do;
      if (ofOffering && live.rule.offering === undefined) continue;
      const decided = !machineFaults.has(fault.kind) && fault.kind !== 'lag' && decision.answer !== undefined;
      if (decided || !this.#matches(live, operation, subject, now)) continue;
      if (live.passed < live.rule.skip) {
        live.passed++;
        continue;
      }
      if (!this.#strikes(index, live, operation, subject)) continue;
      live.struck++;
      if (fault.kind === 'lag') decision.lagSeconds = Math.max(decision.lagSeconds, fault.seconds);
      else if (isMachineFault(fault)) decision.machine.push(fault);
      else decision.answer = fault;
    }
    return decision;
  }

  /** Offerings that the type list has to show as sold out. */
  listedSoldOut(offering: NonNullable<FaultSubject['offering']>, now: number): { until?: number } | undefined {
    for (const live of this.#rules) {
      const { rule } = live;
      if (rule.do.kind !== 'sold-out' || !rule.do.listed) continue;
      if (this.#matches(live, 'create', { offering }, now))
        return rule.until === undefined ? {} : { until: rule.until };
    }
    return undefined;
  }

  #matches({ rule, struck }: LiveRule, operation: Operation, subject: FaultSubject, now: number): boolean {
    if (typeof rule.on === 'string' ? rule.on !== operation : !rule.on.includes(operation)) return false;
    if (rule.count !== undefined && struck >= rule.count) return false;
    if (rule.until !== undefined && now >= rule.until) return false;
    if (rule.claim !== undefined && rule.claim !== subject.claimUid && rule.claim !== subject.claimName) return false;
    if (rule.offering === undefined) return true;
    const { offering } = subject;
    if (offering === undefined) return false;
    return (['instanceType', 'zone', 'capacityType'] as const).every(
      (part) => rule.offering?.[part] === undefined || rule.offering[part] === offering[part],
    );
  }

  #strikes(index: number, { rule }: LiveRule, operation: Operation, subject: FaultSubject): boolean {
    if (rule.probability >= 1) return true;
    const who = `${index}/${operation}/${subject.claimUid ?? ''}`;
    const time = this.#draws.get(who) ?? 0;
    this.#draws.set(who, time + 1);
    return chance(`${this.#seed}/${who}/${time}`) < rule.probability;
  }
}

const isMachineFault = (fault: Fault): fault is MachineFault => machineFaults.has(fault.kind);

/** A number in [0, 1) that is always the same for the same text. */
export const chance = (text: string): number => seededRandom(hash(text))();

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

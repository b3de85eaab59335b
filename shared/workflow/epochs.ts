/**
 * Starting workflows on a platform's own engine. Which epoch of a key is the newest is written down in state, by
 * compare-and-set, before its instance is started. The engine itself takes a second start of the same instance for none, so
 * however many callers race, one of them starts it.
 */
import type { Json } from '../base/json.ts';
import type { Clock } from '../base/runtime.ts';
import type { StartRequest, WorkflowInfo } from './contract.ts';
import type { StartPayload } from './payloads.ts';
import { record } from './recordable.ts';
import type { Records } from './records.ts';
import { type Restarted, type RestartOptions, refusals } from './restart.ts';
import { defaultMaxResultBytes } from './run-activity.ts';
import type { Workflow } from './vocabulary.ts';

/** The newest epoch of a key. */
export type EpochRecord = {
  epoch: number;
  workflow: string;
  version: number;
  startedAt: number;
  /** Its instance was seen, or accepted, by the engine. Until then anybody may start it. */
  started: boolean;
  /** What the engine calls the instance, where that can't be derived. */
  handle?: string;
};

/** What the engine does. All of it throws when there is no answer: the caller is asked again by its queue or its timer. */
export interface EpochEngine {
  /** Nothing when the engine knows no such instance. */
  look(key: string, record: EpochRecord): Promise<'running' | 'ended' | undefined>;
  /**
   * Starts it, or finds it started already.
   * @returns `ran`: whether this very call did; left out where the engine does not tell.
   */
  start(key: string, epoch: number, payload: StartPayload): Promise<{ ran?: boolean; handle?: string }>;
  /** What is over or unknown needs no stopping. */
  stop(key: string, record: EpochRecord, reason: string): Promise<void>;
}

export interface EpochsOptions {
  engine: EpochEngine;
  records: Records;
  /** What the deployed code knows. */
  workflows: readonly Workflow[];
  clock: Clock;
  maxInputBytes?: number;
}

/** What is known of the instance that is to be followed by another. */
export type RestartRequest = Omit<WorkflowInfo, 'id'> & { input: Json };

export type Started = { id: string; epoch: number; started: boolean };
type Found = { value: EpochRecord; version: string; expiresAt?: number };

const longestKey = 400;
/** Longer than any life and its history: after that, only what a caller knows keeps epochs apart. */
const recordTtlSeconds = 60 * 86_400;
const maxRounds = 50;

export class Epochs {
  readonly #options: EpochsOptions;

  constructor(options: EpochsOptions) {
    this.#options = options;
  }

  async ensure<Input extends Json>(request: StartRequest<Input>): Promise<Started> {
    const { workflow, key, aboveEpoch = 0 } = request;
    const input = this.#checked(request);
    for (let round = 0; round < maxRounds; round++) {
      const found = await this.#find(key);
      const there = found && (await this.#join(key, found, workflow, input, aboveEpoch));
      if (there) return there;
      const value: EpochRecord = {
        epoch: Math.max(found?.value.epoch ?? 0, aboveEpoch) + 1,
        workflow: workflow.name,
        version: workflow.version,
        startedAt: this.#options.clock.now(),
        started: false,
      };
      const version = await this.#write(key, value, found?.version ?? null);
      if (version !== undefined) return this.#start(key, { value, version }, workflow, input);
    }
    throw new Error(`the workflow "${key}" was started and ended by others ${maxRounds} times in a row`);
  }

  /**
   * The next epoch, whatever became of this one. It is written down before the old one is stopped: whoever dies in between leaves
   * an epoch that anybody may start, and beside it at worst an old one that gives way.
   */
  async restart(old: RestartRequest, { force = false }: RestartOptions = {}): Promise<Restarted> {
    const { key, input } = old;
    const id = `${key}/${old.epoch}`;
    const workflow = this.#options.workflows.find(({ name }) => name === old.workflow);
    if (!workflow) throw refusals.unregistered(id, old.workflow);
    const found = await this.#find(key);
    if (found && found.value.epoch > old.epoch) throw refusals.superseded(id, found.value.epoch);
    // A record may be lost; its instance is there all the same.
    const last = found?.value.epoch === old.epoch ? found.value : recordOf(old);
    const seen = await this.#options.engine.look(key, last);
    const runs = seen === 'running' || (seen === undefined && old.status === 'running');
    if (runs && !force) throw refusals.running(id);
    const value: EpochRecord = {
      epoch: old.epoch + 1,
      workflow: workflow.name,
      version: workflow.version,
      startedAt: this.#options.clock.now(),
      started: false,
    };
    const version = await this.#write(key, value, found?.version ?? null);
    if (version === undefined) throw refusals.superseded(id, value.epoch);
    if (runs) await this.#options.engine.stop(key, last, 'restarted by a user');
    const { epoch } = await this.#start(key, { value, version }, workflow, input);
    return { id: `${key}/${epoch}`, epoch };
  }

  async newest(key: string): Promise<EpochRecord | undefined> {
    return (await this.#find(key))?.value;
  }

  #checked<Input extends Json>({ workflow, key, input }: StartRequest<Input>): Json {
    const known = this.#options.workflows.some(
      ({ name, version }) => name === workflow.name && version === workflow.version,
    );
    if (!known) {
      throw new Error(`workflow "${workflow.name}" version ${workflow.version} is not registered with this engine`);
    }
    if (key === '' || key.length > longestKey) throw new Error(`a workflow key has 1 to ${longestKey} characters`);
    const maxBytes = this.#options.maxInputBytes ?? defaultMaxResultBytes;
    const checked = record(input, `the input of workflow "${workflow.name}"`, maxBytes);
    if (!checked.ok) throw new Error(checked.error);
    return checked.value;
  }

  /** The running epoch, or one that was written down and whose start nobody has seen; nothing if the next one is due. */
  async #join(
    key: string,
    found: Found,
    workflow: Workflow<never>,
    input: Json,
    aboveEpoch: number,
  ): Promise<Started | undefined> {
    const { epoch, started } = found.value;
    const seen = await this.#options.engine.look(key, found.value);
    if (seen === 'running') {
      if (!started || this.#isStale(found)) await this.#write(key, { ...found.value, started: true }, found.version);
      return { id: `${key}/${epoch}`, epoch, started: false };
    }
    // Whoever wrote it down may have died before the start. One that was started and is not there was lost or purged.
    if (seen || started || epoch <= aboveEpoch) return undefined;
    return this.#start(key, found, workflow, input);
  }

  async #start(key: string, { value, version }: Found, workflow: Workflow<never>, input: Json): Promise<Started> {
    const { epoch } = value;
    const id = `${key}/${epoch}`;
    const payload: StartPayload = { workflow: workflow.name, v: workflow.version, id, input };
    const { ran, handle } = await this.#options.engine.start(key, epoch, payload);
    if (ran === false && handle === undefined) return { id, epoch, started: false };
    const named = handle === undefined ? {} : { handle };
    const mine: EpochRecord = { ...value, workflow: workflow.name, version: workflow.version, started: true, ...named };
    const written = (await this.#write(key, mine, version)) !== undefined;
    if (!written) await this.#endStray(key, mine);
    // Of several who were told the same, the one who wrote it down counts as the one who did it.
    return { id, epoch, started: ran ?? written };
  }

  /** Held up for so long that others took it for dead and went on with the next epoch: then this one must not run. */
  async #endStray(key: string, mine: EpochRecord): Promise<void> {
    const now = await this.#find(key);
    if (!now || now.value.epoch <= mine.epoch) return;
    await this.#options.engine.stop(key, mine, 'a later epoch runs');
  }

  #find(key: string): Promise<Found | undefined> {
    return this.#options.records.get<EpochRecord>(recordKey(key));
  }

  #write(key: string, value: EpochRecord, ifVersion: string | null): Promise<string | undefined> {
    return this.#options.records.put(recordKey(key), value, { ifVersion, ttlSeconds: recordTtlSeconds });
  }

  #isStale({ expiresAt }: Found): boolean {
    return expiresAt !== undefined && expiresAt - this.#options.clock.now() < (recordTtlSeconds * 1000) / 2;
  }
}

const recordOf = ({ epoch, workflow, version, startedAt }: RestartRequest): EpochRecord => ({
  epoch,
  workflow,
  version,
  startedAt,
  started: true,
});

const recordKey = (key: string): string => `workflow-epochs/${key}`;

/** From a request to its answer: who asks, what for, which fault strikes, and what comes of it. */

import type { JsonObject } from '../../shared/base/json.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import type { AnswerFault, FaultBook, FaultDecision } from '../kit/faults.ts';
import type { Reply as StandInReply } from '../kit/server.ts';
import type { Call, Command, Parts } from './calls/command.ts';
import { parametersOf } from './calls/command.ts';
import { commands, mayCall } from './calls/commands.ts';
import { isAdmin } from './calls/finding.ts';
import type { CallLimit } from './identity/call-limit.ts';
import { callerOf, onlyReads, refusedCommand } from './identity/signed.ts';
import type { Account } from './site/types.ts';
import { type Answer, answerOf, errorBody, outcomeBody, page } from './wire/answer.ts';
import { Arguments, type Fields } from './wire/fields.ts';
import { inMaintenance, malformed, missing, notPermitted, Refused, throttled, unauthorized } from './wire/refusals.ts';

export interface ApiRequest {
  method: string;
  fields: Fields;
}

export type Reply = StandInReply<Answer>;

/** A command that was asked for and what was answered, without anything secret. */
export interface Exchange {
  command: string;
  method: string;
  /** Without key and signature. */
  fields: Fields;
  account: string | undefined;
  status: number;
  /** What is inside the object that is named after the command. */
  body: JsonObject;
}

/** A fault of one command by its name, for what no rule of the stand-ins can say. */
export interface CommandFault {
  command: string;
  /** Like 530. */
  code: number;
  message?: string;
  /** How often; once when not given. */
  count?: number;
  /** `done`: it is done, and the answer is this all the same. `job`: the command is accepted and its job fails with the code. */
  effect?: 'none' | 'done';
}

interface ApiParts extends Parts {
  faults: FaultBook;
  limit: CallLimit;
  clock: Clock;
  /** By which keys' expiry is checked. */
  authClock: Clock;
  onExchange: ((exchange: Exchange) => void) | undefined;
}

/** What of ASCII is no text, but for the ends of lines. */
const controls = /[^\P{Cc}\n\r\u0080-\u009f]/u;

const undecided: FaultDecision = { machine: [], lagSeconds: 0 };
const secretFields = new Set(['apikey', 'signature', 'expires', 'signatureversion', 'response', 'command']);

export class CloudStackApi {
  /** By command, failures included. */
  readonly calls = new Map<string, number>();
  /** When each command was asked for last. */
  readonly lastCalls = new Map<string, number>();
  readonly commandFaults: (CommandFault & { left: number })[] = [];
  /** Parameters that no command has: CloudStack ignores them, and a test may want to know. */
  readonly unknownParameters = new Set<string>();
  readonly #parts: ApiParts;

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  handle(request: ApiRequest): Reply {
    const { world } = this.#parts;
    world.timeline.settle();
    const { fields } = request;
    const command = fields.command;
    const format = fields.response?.toLowerCase() === 'json' ? 'json' : 'xml';
    const known = command === undefined ? undefined : commands.get(command);
    this.calls.set(command ?? '', (this.calls.get(command ?? '') ?? 0) + 1);
    this.lastCalls.set(command ?? '', this.#parts.clock.now());
    let caller: Account | undefined;
    const say = (status: number, body: JsonObject): Answer => {
      this.#tell(request, caller, status, body);
      return answerOf(status, known?.name, body, format);
    };
    const refuse = (error: unknown): Answer => {
      if (!(error instanceof Refused)) throw error;
      return say(error.code, errorBody(error));
    };
    try {
      if (known === undefined) throw unauthorized();
      caller = this.#callerOf(request, known);
      return this.#strike(request, known, caller, say, refuse);
    } catch (error) {
      return now(refuse(error));
    }
  }

  #callerOf({ method, fields }: ApiRequest, known: Command): Account {
    const { settings, site, limit, clock, authClock } = this.#parts;
    const caller = callerOf(fields, known.name, {
      site,
      settings,
      clock: authClock,
      mayCall: (account) => {
        limit.count(account.id, clock.now());
        if (!mayCall(account, known)) throw refusedCommand(settings.refusedCommandCode, known.name);
      },
    });
    if (settings.enforcePost && method !== 'POST' && !onlyReads(known.name)) {
      throw new Refused(405, `Access to ${known.name} is only allowed by POST request`);
    }
    return caller;
  }

  /** Does it, or what a fault makes of it. */
  #strike(
    { fields }: ApiRequest,
    command: Command,
    caller: Account,
    say: (status: number, body: JsonObject) => Answer,
    refuse: (error: unknown) => Answer,
  ): Reply {
    const { faults, clock, world } = this.#parts;
    const given = new Arguments(command.name, fields);
    this.#checkParameters(command, given);
    const call: Call = { given, caller, admin: isAdmin(caller), faults: undecided };
    const perform = (decision: FaultDecision): Answer => {
      try {
        return say(200, outcomeBody(command.run({ ...call, faults: decision }, this.#parts)));
      } catch (error) {
        return refuse(error);
      }
    };
    const named = this.commandFaults.find((one) => one.command === command.name && one.left > 0);
    if (named !== undefined) {
      named.left--;
      if (named.effect === 'done') perform(undecided);
      return now(refuse(new Refused(named.code, named.message ?? `Injected fault ${named.code}.`, 4250)));
    }
    if (faults.empty) return now(perform(undecided));
    const subject = command.subject?.(call, this.#parts) ?? {};
    const operation =
      command.name === 'listVirtualMachines' && (given.has('id') || given.has('ids')) ? 'get' : command.operation;
    const decision = faults.decide(operation, subject, clock.now());
    const fault = decision.answer;
    if (fault === undefined || fault.kind === 'sold-out' || fault.kind === 'quota') return now(perform(decision));
    const plain: FaultDecision = { machine: decision.machine, lagSeconds: decision.lagSeconds };
    if ('effect' in fault) {
      if (fault.effect === 'late') {
        world.timeline.plan(world.now + Math.round(fault.lateSeconds * 1000), () => perform(plain));
      }
      if (fault.effect === 'done') perform(plain);
    }
    if (fault.kind === 'reset') return { do: 'reset' };
    if (fault.kind === 'timeout') return { do: 'hold', holdMs: fault.holdMs };
    if (fault.kind === 'slow') return { do: 'answer', answer: perform(plain), delayMs: fault.milliseconds };
    return now(faultAnswer(fault, refuse));
  }

  #checkParameters(command: Command, given: Arguments): void {
    const parameters = parametersOf(command);
    const names = new Set(parameters.map(({ name }) => name));
    for (const field of Object.keys(given.fields)) {
      const name = field.toLowerCase().replace(/\[.*$/, '');
      if (!names.has(name) && !secretFields.has(name)) this.unknownParameters.add(`${command.name} ${field}`);
    }
    for (const { name, type, required } of parameters) {
      const there = type === 'map' ? given.maps(name).length > 0 : given.has(name);
      if (required && !there) throw missing(command.name, name);
    }
    const broken = Object.entries(given.fields).find(([, value]) => controls.test(value));
    if (broken !== undefined) {
      throw malformed(`Received value containing illegal ASCII non-printable characters for parameter ${broken[0]}`);
    }
  }

  #tell({ method, fields }: ApiRequest, caller: Account | undefined, status: number, body: JsonObject): void {
    const { onExchange } = this.#parts;
    if (onExchange === undefined) return;
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => !secretFields.has(name.toLowerCase())));
    onExchange({ command: fields.command ?? '', method, fields: shown, account: caller?.name, status, body });
  }
}

function faultAnswer(
  fault: Exclude<AnswerFault, { kind: 'reset' | 'timeout' | 'slow' | 'sold-out' | 'quota' }>,
  refuse: (error: unknown) => Answer,
): Answer {
  switch (fault.kind) {
    case 'throttle':
      return refuse(throttled(Math.round((fault.retryAfterSeconds ?? 1) * 1000)));
    case 'conflict':
      return refuse(new Refused(530, 'There is another operation on this resource at the moment', 4300));
    case 'error':
      if (fault.status === 503 && fault.saysNothingDone) return refuse(inMaintenance());
      return page(fault.status);
    case 'unauthorised':
      return refuse(fault.status === 401 ? unauthorized() : notPermitted('The account is not permitted to do this'));
    case 'refused': {
      const code = /^\d{3}$/.test(fault.code) ? Number(fault.code) : fault.status;
      return refuse(new Refused(code, fault.message, 9999));
    }
    case 'garbled':
      return page(200);
  }
}

const now = (answer: Answer): Reply => ({ do: 'answer', answer, delayMs: 0 });
